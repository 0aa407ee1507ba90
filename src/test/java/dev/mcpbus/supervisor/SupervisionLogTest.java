package dev.mcpbus.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
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

  private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

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
    return lines.list.stream()
        .filter(line -> line.getLevel().isGreaterOrEqual(Level.INFO))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
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

  @Test
  void a_child_that_is_ready_again_says_after_how_many_attempts_and_how_long() {
    SupervisionDriver driver = new SupervisionDriver().running("git");
    driver.fails("git").passes(100).fails("git").passes(200).fails("git").passes(400);
    driver.started("git");
    assertThat(said()).endsWith("git is ready again after 3 attempts, 700 ms");
  }

  @Test
  void a_child_that_starts_for_the_first_time_says_nothing() {
    new SupervisionDriver().running("git");
    assertThat(said()).isEmpty();
  }

  @Test
  void a_child_that_fails_for_hours_has_lines_at_growing_intervals_with_the_number() {
    SupervisionDriver driver =
        new SupervisionDriver()
            .running(SupervisionDriver.spec("x", SupervisionDriver.reprobing(TEN_SECONDS)));
    long end = driver.now + Duration.ofHours(10).toMillis();
    int failures = 0;
    while (driver.now < end) {
      driver.fails("x").passes(TEN_SECONDS.plusSeconds(1).toMillis());
      failures++;
    }
    assertThat(failures).isGreaterThan(3_000);
    assertThat(said()).hasSizeBetween(10, 20);
    assertThat(said().get(0)).endsWith("(attempt 1, epoch 1): refused");
    assertThat(said().get(said().size() - 1))
        .containsPattern("\\d{4} failures in \\d h\\): refused");
  }

  @Test
  void a_child_that_flaps_does_not_log_each_failure_and_recovery() {
    SupervisionDriver driver = new SupervisionDriver().running("x");
    for (int i = 0; i < 100; i++) {
      driver.fails("x").passes(30_000).started("x").passes(1_000);
    }
    assertThat(said()).hasSizeLessThan(20);
    assertThat(said().stream().filter(line -> line.contains("ready again"))).hasSizeLessThan(10);

    driver.passes(60_000).fails("x");
    assertThat(said().get(said().size() - 1)).as("a new series").doesNotContain("failures in");
  }

  @Test
  void a_hundred_children_that_fail_at_once_have_twenty_lines_and_one_that_says_so() {
    SupervisionDriver driver =
        new SupervisionDriver(SupervisorOptions.of(RestartStrategy.ONE_FOR_ONE, 200));
    for (int i = 0; i < 100; i++) {
      driver.running("x" + i);
    }
    for (int i = 0; i < 100; i++) {
      driver.fails("x" + i);
    }
    assertThat(said()).hasSize(FailureLog.MAX_LINES + 1);
    assertThat(said().get(FailureLog.MAX_LINES)).contains("more are left out", "status");

    driver.now += 10_000;
    driver.passes(0);
    driver.fails("x99");
    assertThat(said().get(said().size() - 1)).startsWith("x99 ");
  }
}
