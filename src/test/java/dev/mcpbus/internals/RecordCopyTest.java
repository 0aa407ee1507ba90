package dev.mcpbus.internals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RecordCopyTest {

  private record Bounds(int least, @Nullable String name) {
    Bounds {
      if (least < 0) {
        throw new IllegalArgumentException("least is negative");
      }
    }
  }

  private static final Bounds ONE = new Bounds(1, "one");

  @Test
  void the_named_components_change_and_no_other() {
    assertThat(RecordCopy.with(ONE, "least", 2)).isEqualTo(new Bounds(2, "one"));
    assertThat(RecordCopy.with(ONE, "name", null)).isEqualTo(new Bounds(1, null));
    assertThat(RecordCopy.with(ONE, Map.of("least", 3, "name", "x"))).isEqualTo(new Bounds(3, "x"));
    assertThat(ONE).isEqualTo(new Bounds(1, "one"));
  }

  @Test
  void what_the_constructor_refuses_is_refused_with_its_words() {
    assertThatThrownBy(() -> RecordCopy.with(ONE, "least", -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("least is negative");
  }

  @Test
  void a_component_that_is_not_there_is_named_without_its_value() {
    assertThatThrownBy(() -> RecordCopy.with(ONE, "most", "secret"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("most")
        .hasMessageNotContaining("secret");
  }
}
