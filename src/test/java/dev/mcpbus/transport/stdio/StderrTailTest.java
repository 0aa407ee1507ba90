package dev.mcpbus.transport.stdio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.Redactor;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.transport.OutputListener;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class StderrTailTest {

  private static StderrTail tail(int capacity, String... secrets) {
    Redactor redactor = Redactor.of(Sensitive.all(List.of(secrets)));
    return new StderrTail(capacity, redactor, OutputListener.NONE);
  }

  private static void append(StderrTail tail, String text) {
    tail.append(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void keeps_the_end_and_drops_the_line_that_lost_its_beginning() {
    StderrTail tail = tail(15);
    append(tail, "first line\nsecond line\nthird\n");
    assertThat(tail.text()).isEqualTo("third\n");
  }

  @Test
  void one_append_longer_than_the_ring_keeps_its_end() {
    StderrTail tail = tail(8);
    append(tail, "x".repeat(100) + "\nabcdef");
    assertThat(tail.text()).isEqualTo("abcdef");
  }

  @Test
  void the_first_lines_are_kept_beside_the_last_ones() {
    StderrTail tail = tail(200, "0123456789");
    append(tail, "Error: Cannot find module 'x'\n" + "    at somewhere\n".repeat(1_000) + "end\n");
    assertThat(tail.ends())
        .startsWith("Error: Cannot find module 'x'\n")
        .endsWith("\nend\n")
        .hasSizeLessThan(4_400);
    assertThat(tail.text()).doesNotContain("Cannot find");
    StderrTail cut = tail(20, "0123456789");
    append(cut, "y\n".repeat(2_046) + "0123456789 and\n" + "z\n".repeat(100));
    assertThat(cut.ends()).doesNotContain("0123");
  }

  @Test
  void a_secret_cut_by_the_ring_shows_no_rest() {
    StderrTail tail = tail(100, "0123456789");
    append(tail, "token=0123456789" + "y".repeat(95));
    assertThat(tail.text()).doesNotContainPattern("[0-9]").contains("yyy");
  }

  @Test
  void a_secret_with_characters_in_it_that_are_not_shown_is_masked() {
    StderrTail tail = tail(100, "x7Gh2kQ9");
    append(tail, "token=x7Gh\r2kQ9\n");
    assertThat(tail.text()).isEqualTo("token=***\n");
  }

  @Test
  void secrets_are_masked_longest_first_and_control_characters_are_shown_as_marks() {
    StderrTail tail = tail(100, "secret", "secret-longer", "abc");
    append(tail, "a secret-longer b secret c abc\u001b[31m\r\n");
    assertThat(tail.text()).isEqualTo("a *** b *** c abc?[31m\n");
  }

  @Test
  void an_exit_status_becomes_a_text() {
    assertThat(ExitStatus.describe(3 << 8)).isEqualTo("exit code 3");
    assertThat(ExitStatus.describe(9)).isEqualTo("killed by SIGKILL (9)");
    assertThat(ExitStatus.describe(11 | 0x80)).isEqualTo("killed by SIGSEGV (11)");
    assertThat(ExitStatus.describe(40)).isEqualTo("killed by signal (40)");
  }
}
