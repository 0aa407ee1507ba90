package dev.mcpbus.observability.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.JsonRpcError;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What servers choose and what stands in labels. */
class LabelsTest {

  @Test
  void the_first_names_have_labels_and_all_later_ones_share_one() {
    BoundedNames names = new BoundedNames(3, "other");
    assertThat(
            IntStream.range(0, 1_000)
                .mapToObj(i -> names.label("tool" + i))
                .collect(Collectors.toSet()))
        .containsExactlyInAnyOrder("tool0", "tool1", "tool2", "other");
    assertThat(names.label("tool1")).isEqualTo("tool1");
    assertThat(names.has("tool2")).isTrue();
    assertThat(names.has("tool3")).isFalse();
  }

  @Test
  void a_name_is_printable_and_a_long_one_has_no_label_of_its_own() {
    BoundedNames names = new BoundedNames(3, "other");
    assertThat(names.label("a\u001b[31mb\nc")).doesNotContain("\u001b", "\n");
    assertThat(names.label("x".repeat(129))).isEqualTo("other");
    assertThat(names.label("x".repeat(128))).hasSize(128);
  }

  @Test
  void the_codes_that_a_server_makes_up_are_bounded() {
    BoundedNames codes = new BoundedNames(2, OperationLabels.OTHER);
    assertThat(
            IntStream.range(0, 100)
                .mapToObj(i -> McpFailure.upstream(new JsonRpcError(i, "m", null)))
                .map(failure -> OperationLabels.of("ping", "", failure, codes).errorType())
                .collect(Collectors.toSet()))
        .containsExactlyInAnyOrder("0", "1", "_OTHER");
    McpFailure ours = McpFailure.notSent(FailureCode.OVERLOADED, "full");
    assertThat(OperationLabels.of("ping", "", ours, codes))
        .isEqualTo(new OperationLabels("ping", "", "OVERLOADED", ""));
  }

  @Test
  void a_method_that_mcp_does_not_have_is_another() {
    assertThat(OperationLabels.method("tools/call")).isEqualTo("tools/call");
    assertThat(OperationLabels.method("made/up")).isEqualTo("_OTHER");
  }

  @Test
  void the_usage_of_a_child_is_read_behind_a_name_with_brackets_and_blanks() {
    String fields = "S 1 2 3 4 5 6 7 8 9 10 250 50 15 16 17 18 19 20 21 22 3 24 25";
    assertThat(ChildUsage.parse("77 (odd) name (x)) " + fields))
        .isEqualTo(new ChildUsage(3.0, 3 * 4_096));
    assertThat(ChildUsage.parse("77 (short) S 1 2")).isNull();
    assertThat(ChildUsage.parse("")).isNull();
    assertThat(ChildUsage.of(ProcessHandle.current().pid()))
        .satisfies(own -> assertThat(own).isNotNull());
  }
}
