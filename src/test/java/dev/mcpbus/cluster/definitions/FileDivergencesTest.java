package dev.mcpbus.cluster.definitions;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.mcpbus.bus.ConnectionId;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class FileDivergencesTest {

  private static final ConnectionId A = new ConnectionId("a");
  private static final ConnectionId B = new ConnectionId("b");

  private final AtomicLong millis = new AtomicLong(7);
  private final FileDivergences files = new FileDivergences(Duration.ofSeconds(60), millis::get);

  @Test
  void a_difference_is_a_note_only_after_the_grace_period() {
    files.compared(A, "a differs");
    millis.addAndGet(59_999);
    assertThat(files.overdue()).isEmpty();
    assertThat(files.of(A)).isEqualTo("a differs");
    millis.addAndGet(1);
    assertThat(files.overdue()).containsExactly("a differs");
  }

  @Test
  void the_grace_period_begins_with_the_first_difference_and_ends_with_the_last() {
    files.compared(A, "a differs from v2");
    millis.addAndGet(40_000);
    files.compared(A, "a differs from v3");
    files.compared(B, "b differs");
    millis.addAndGet(20_000);
    assertThat(files.overdue()).containsExactly("a differs from v3");

    files.compared(A, null);
    files.compared(A, "a differs from v4");
    millis.addAndGet(40_000);
    assertThat(files.overdue()).containsExactly("b differs");
    files.forget(B);
    assertThat(files.overdue()).isEmpty();
    assertThat(files.of(B)).isNull();
  }

  @Test
  void the_log_names_some_of_many_and_counts_the_rest_once() {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Logger logger = (Logger) LoggerFactory.getLogger(FileDivergences.class);
    logger.addAppender(log);
    try {
      for (int i = 0; i < 1_000; i++) {
        files.compared(new ConnectionId("s" + i), "s" + i + " differs");
      }
      files.overdue();
      files.overdue();
      assertThat(log.list).hasSize(11).allMatch(line -> line.getLevel() == Level.INFO);
      assertThat(log.list.get(10).getFormattedMessage())
          .isEqualTo(
              "the same is true of 990 more servers (a warning follows if this lasts for 60 s)");

      log.list.clear();
      millis.addAndGet(60_000);
      files.overdue();
      files.overdue();
      assertThat(log.list).hasSize(11).allMatch(line -> line.getLevel() == Level.WARN);

      log.list.clear();
      for (int i = 0; i < 1_000; i++) {
        files.compared(new ConnectionId("s" + i), null);
      }
      files.overdue();
      assertThat(log.list).hasSize(11);
      assertThat(log.list.get(0).getFormattedMessage()).contains("'s0' is the same");
    } finally {
      logger.detachAppender(log);
    }
  }
}
