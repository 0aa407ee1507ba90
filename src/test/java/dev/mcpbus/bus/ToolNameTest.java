package dev.mcpbus.bus;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ToolNameTest {

  @Test
  void splits_at_the_first_separator_so_that_no_two_pairs_share_a_name() {
    assertThat(ToolName.parse("a.b.c")).contains(new ToolName("a", "b.c"));
    assertThat(ToolName.parse("a:b.c")).contains(new ToolName("a", "b.c"));
    assertThat(ToolName.parse("a.b:c")).contains(new ToolName("a", "b:c"));
    assertThat(ToolName.parse("git.make 🍵")).contains(new ToolName("git", "make 🍵"));
    assertThat(new ToolName("a", "b.c")).hasToString("a.b.c");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "echo", ".echo", ":echo", "git.", "git:", "."})
  void a_name_without_both_parts_is_not_parsed(String name) {
    assertThat(ToolName.parse(name)).isEmpty();
  }
}
