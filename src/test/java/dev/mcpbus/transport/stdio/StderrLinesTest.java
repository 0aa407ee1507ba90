package dev.mcpbus.transport.stdio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.transport.OutputListener;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StderrLinesTest {

  private final List<String> seen = new ArrayList<>();
  private long skipped;

  private final StderrLines lines =
      new StderrLines(
          new OutputListener() {
            @Override
            public void line(OutputStreamName from, byte[] text, boolean isCut) {
              seen.add(new String(text, StandardCharsets.UTF_8) + (isCut ? "|cut" : ""));
            }

            @Override
            public void skipped(long count) {
              skipped += count;
            }
          });

  private void feed(String text) {
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    lines.feed(bytes);
    assertThat(bytes.position()).isZero();
  }

  @Test
  void lines_come_whole_however_the_chunks_divide_them() {
    feed("on");
    feed("e\r\ntwo\n\nthr");
    assertThat(seen).containsExactly("one", "two");
    feed("ee\n");
    assertThat(seen).containsExactly("one", "two", "three");
  }

  @Test
  void a_line_without_a_break_comes_with_the_end() {
    feed("Password: ");
    assertThat(seen).isEmpty();
    lines.endLine();
    lines.endLine();
    assertThat(seen).containsExactly("Password: ");
  }

  @Test
  void a_line_that_is_too_long_is_cut_and_the_next_one_is_whole() {
    for (int i = 0; i < 5; i++) {
      feed("x".repeat(1_000));
    }
    feed("\nnext\n");
    assertThat(seen).containsExactly("x".repeat(OutputListener.MAX_LINE_BYTES) + "|cut", "next");
  }

  @Test
  void of_a_flood_the_last_lines_are_copied_and_the_others_counted() {
    feed("partial ");
    feed("x\n".repeat(3_000) + "end");
    assertThat(seen).hasSize(StderrLines.MAX_AT_ONCE).containsOnly("x");
    assertThat(skipped).isEqualTo(3_000 - StderrLines.MAX_AT_ONCE);
    lines.endLine();
    assertThat(seen).endsWith("end");
  }
}
