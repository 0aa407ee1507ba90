package dev.mcpbus.cluster.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class OwnershipLogTest {

  private final AtomicLong now = new AtomicLong(1_000_000);
  private final OwnershipLog log = new OwnershipLog(now::get);
  private final Logger logger = (Logger) LoggerFactory.getLogger(OwnershipReconciler.class);
  private final ListAppender<ILoggingEvent> written = new ListAppender<>();

  @BeforeEach
  void listen() {
    written.start();
    logger.addAppender(written);
  }

  @AfterEach
  void unlisten() {
    logger.detachAppender(written);
  }

  private List<String> lines() {
    return written.list.stream()
        .filter(line -> line.getLevel().isGreaterOrEqual(ch.qos.logback.classic.Level.INFO))
        .map(line -> line.getLevel() + " " + line.getFormattedMessage())
        .toList();
  }

  @Test
  void one_connection_is_named() {
    log.add(OwnershipLog.ClaimEvent.CLAIMED, "s1");
    assertThat(lines()).isEmpty();
    log.flush(false);
    assertThat(lines()).containsExactly("INFO this node owns 's1' now");
  }

  @Test
  void a_thousand_are_one_line_with_the_first_cause_and_the_rest_is_one_line_later() {
    for (int i = 0; i < 1_000; i++) {
      log.add(OwnershipLog.ClaimEvent.NOT_STARTED, "s" + i, new IllegalStateException("no " + i));
    }
    log.flush(false);
    log.add(OwnershipLog.ClaimEvent.NOT_STARTED, "later", new IllegalStateException("again"));
    log.add(OwnershipLog.ClaimEvent.CLAIMED, "another kind");
    now.addAndGet(9_999);
    log.flush(false);
    assertThat(lines())
        .containsExactly(
            "WARN this node owns 1000 connections ('s0' is the first) and cannot start it:"
                + " java.lang.IllegalStateException: no 0",
            "INFO this node owns 'another kind' now");
    now.addAndGet(1);
    log.flush(false);
    assertThat(lines()).hasSize(3).last().asString().contains("'later'").contains("again");
  }

  @Test
  void at_the_end_everything_is_written() {
    log.add(OwnershipLog.ClaimEvent.HANDED_OVER, "s1");
    log.flush(false);
    log.add(OwnershipLog.ClaimEvent.HANDED_OVER, "s2");
    log.flush(true);
    assertThat(lines()).hasSize(2);
  }
}
