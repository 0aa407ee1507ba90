package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.List;
import org.junit.jupiter.api.Test;

class MethodsTest {

  @Test
  void every_method_with_a_name_here_is_known_and_no_other_is() throws IllegalAccessException {
    for (Field field : Methods.class.getFields()) {
      if (field.getType() == String.class) {
        assertThat(Methods.isKnown((String) field.get(null))).as(field.getName()).isTrue();
      }
    }
    for (String alike :
        List.of(
            "tools/Call",
            "tools/call ",
            "tools//call",
            "TOOLS.CALL",
            "tools/call\u0000",
            "tools/call\u0000x",
            "tools/c\u0000all",
            "tools\u200b/call",
            "\uff54ools/call",
            "tool\u017f/call",
            "p\u0131ng")) {
      assertThat(Methods.isKnown(alike)).as(alike).isTrue();
    }
    assertThat(Methods.isKnown("com.example/act")).isFalse();
    assertThat(Methods.isKnown("tools/calls")).isFalse();
  }
}
