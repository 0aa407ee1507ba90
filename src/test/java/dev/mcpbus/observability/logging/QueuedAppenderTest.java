package dev.mcpbus.observability.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

/** A log whose stream stalls, or refuses lines. */
class QueuedAppenderTest {

  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private final CountDownLatch stall = new CountDownLatch(1);
  private volatile boolean stalls;
  private volatile boolean full;
  private volatile boolean waits;

  private final LoggerContext logging = new LoggerContext();
  private final Logger log;

  QueuedAppenderTest() {
    OutputStream out =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
          }

          @Override
          public void write(byte[] bytes, int offset, int length) throws IOException {
            if (stalls) {
              waits = true;
              try {
                stall.await();
              } catch (InterruptedException e) {
                throw new IOException(e);
              }
            }
            if (full) {
              synchronized (written) {
                written.write(bytes, offset, 5); // a part of the line
              }
              throw new IOException("No space left on device");
            }
            synchronized (written) {
              written.write(bytes, offset, length);
            }
          }
        };
    new LogSetup(Map.of(), out).configure(logging);
    log = logging.getLogger("dev.mcpbus.Some");
  }

  private String text() {
    synchronized (written) {
      return written.toString(StandardCharsets.UTF_8);
    }
  }

  private QueuedAppender appender() {
    return (QueuedAppender) Objects.requireNonNull(logging.getLogger("ROOT").getAppender("err"));
  }

  private static void until(org.awaitility.core.ThrowingRunnable holds) {
    Awaitility.await().atMost(Duration.ofSeconds(60)).untilAsserted(holds);
  }

  @Test
  void a_stream_that_stalls_holds_up_no_thread_and_a_line_says_what_is_lost() {
    stalls = true;
    log.info("first");
    until(() -> assertThat(waits).isTrue());
    String kilobyte = "x".repeat(1024);
    for (int i = 0; i < 1200; i++) {
      log.info(kilobyte);
    }
    stall.countDown();
    until(() -> assertThat(text()).contains("are lost"));
    log.info("last");
    until(() -> assertThat(text()).contains("last"));
    assertThat(text()).contains("first", " WARN ");
    Matcher lost = Pattern.compile(" (\\d+) lines of this log are lost").matcher(text());
    assertThat(lost.find()).isTrue();
    assertThat(Integer.parseInt(lost.group(1)) + text().split("x{1024}", -1).length - 1)
        .as("each line is there or counted")
        .isEqualTo(1200);
  }

  @Test
  void a_full_stream_loses_lines_and_the_log_goes_on_when_it_has_room() {
    full = true;
    log.info("one");
    until(() -> assertThat(text()).hasSize(5));
    full = false;
    log.info("two");
    until(() -> assertThat(text()).contains("two"));
    assertThat(text().lines().toList())
        .as("the cut line ends before the next one begins")
        .satisfiesExactly(
            cut -> assertThat(cut).hasSize(5),
            notice -> assertThat(notice).contains("1 lines of this log are lost"),
            two -> assertThat(two).endsWith(" two"));
  }

  @Test
  void after_the_end_of_the_jvm_began_each_line_is_there_when_its_call_returns() {
    log.info("one");
    appender().end();
    assertThat(text()).contains("one");
    log.info("two");
    assertThat(text()).contains("two");
  }

  @Test
  void the_end_does_not_wait_for_ever_for_a_stream_that_stalls() {
    stalls = true;
    log.info("one");
    until(() -> assertThat(waits).isTrue());
    appender().end();
    log.info("two");
    assertThat(text()).isEmpty();
    stall.countDown();
  }
}
