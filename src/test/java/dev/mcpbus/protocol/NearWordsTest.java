package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NearWordsTest {

  @Test
  void counts_insertions_deletions_and_replacements() {
    assertThat(NearWords.distance("", "abc")).isEqualTo(3);
    assertThat(NearWords.distance("kitten", "sitting")).isEqualTo(3);
    assertThat(NearWords.distance("same", "same")).isZero();
    assertThat(NearWords.distance("swap", "sawp")).isEqualTo(1);
    assertThat(NearWords.distance("t".repeat(65), "t")).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void the_nearest_come_first_and_the_far_ones_not_at_all() {
    assertThat(NearWords.of("read_fil", List.of("write", "read_files", "read_file", "READ_FIL")))
        .containsExactly("READ_FIL", "read_file", "read_files");
    assertThat(NearWords.of("read", List.of("completely_different"))).isEmpty();
  }

  @Test
  void the_work_is_bounded() {
    List<String> many = IntStream.range(0, 100_000).mapToObj(i -> "tool" + i).toList();

    assertThat(NearWords.of("tool", many)).hasSize(3);
    assertThat(NearWords.of("t".repeat(1_000_000), many)).isEmpty();
  }
}
