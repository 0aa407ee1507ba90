package dev.mcpbus.directory.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NameSuggestionsTest {

  @Test
  void counts_insertions_deletions_and_replacements() {
    assertThat(NameSuggestions.distance("", "abc")).isEqualTo(3);
    assertThat(NameSuggestions.distance("kitten", "sitting")).isEqualTo(3);
    assertThat(NameSuggestions.distance("same", "same")).isZero();
  }

  @Test
  void the_nearest_come_first_and_the_far_ones_not_at_all() {
    assertThat(
            NameSuggestions.of("read_fil", List.of("write", "read_files", "read_file", "READ_FIL")))
        .containsExactly("READ_FIL", "read_file", "read_files");
    assertThat(NameSuggestions.of("read", List.of("completely_different"))).isEmpty();
  }

  @Test
  void the_work_is_bounded() {
    List<String> many = IntStream.range(0, 100_000).mapToObj(i -> "tool" + i).toList();

    assertThat(NameSuggestions.of("tool", many)).hasSize(3);
    assertThat(NameSuggestions.of("t".repeat(1_000_000), many)).isEmpty();
  }
}
