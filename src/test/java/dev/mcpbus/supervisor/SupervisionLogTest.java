package dev.mcpbus.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The lines of the log by which a person follows a child that fails. */
class SupervisionLogTest {

  private final Logger logger = (Logger) LoggerFactory.getLogger(Supervision.class);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

  @BeforeEach
  void listen() {
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void leave() {
    logger.detachAppender(lines);
  }

  private List<String> said() {
    return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void a_child_that_ends_is_said_to_have_ended_and_to_start_again() {
    new SupervisionDriver().running("exits").fails("exits");
    assertThat(said())
        .contains("exits has ended and starts again in 100 ms (attempt 1, epoch 1): refused");
  }

  @Test
  void a_child_without_a_further_attempt_says_what_brings_it_back() {
    new SupervisionDriver()
        .running(SupervisionDriver.spec("x", SupervisionDriver.policy(RestartType.TEMPORARY)))
        .fails("x");
    assertThat(said())
        .contains(
            "x is not running: no further attempt until a caller restarts it (attempt 1, epoch 1):"
                + " refused");
    new SupervisionDriver()
        .running(SupervisionDriver.spec("y", SupervisionDriver.reprobing(Duration.ofSeconds(30))))
        .failsForGood("y");
    assertThat(said())
        .contains(
            "y is not running: no further attempt until its entry is changed or a caller restarts"
                + " it (attempt 1, epoch 1): refused");
  }
}
