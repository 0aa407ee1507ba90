package dev.mcpbus.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Back-off, restart intensity, giving up, slow probes and the quiet period, for one child. */
class GivingUpTest {

  private static SupervisionDriver failing(SupervisionDriver driver, int times) {
    for (int i = 0; i < times; i++) {
      driver.fails("a").passes(1_000);
    }
    return driver;
  }

  private static SupervisionDriver givenUp() {
    SupervisionDriver driver = failing(new SupervisionDriver().running("a"), 3).fails("a");
    driver.said();
    return driver;
  }

  @Test
  void the_back_off_doubles_with_each_failure_up_to_its_ceiling() {
    RestartPolicy patient =
        new RestartPolicy(
            RestartType.PERMANENT,
            new RestartIntensity(100, Duration.ofSeconds(1)),
            SupervisionDriver.POLICY.backoff(),
            SupervisionDriver.POLICY.quietPeriod(),
            SupervisionDriver.POLICY.reprobe());
    SupervisionDriver driver =
        new SupervisionDriver().running(SupervisionDriver.spec("a", patient));
    List<String> said = failing(driver, 6).said();
    assertThat(said.stream().filter(s -> s.contains("attempt")))
        .containsExactly(
            "a attempt 1 in 100",
            "a attempt 2 in 200",
            "a attempt 3 in 400",
            "a attempt 4 in 800",
            "a attempt 5 in 1000",
            "a attempt 6 in 1000");
  }

  @Test
  void as_many_failures_as_allowed_are_restarted_and_one_more_is_given_up() {
    SupervisionDriver driver = failing(new SupervisionDriver().running("a"), 3);
    assertThat(driver.said()).last().isEqualTo("a start 4");
    assertThat(driver.fails("a").said()).containsExactly("a gave up, next in 30000");
  }

  @Test
  void a_failure_exactly_one_period_ago_still_counts() {
    SupervisionDriver driver = failing(new SupervisionDriver().running("a"), 3).passes(7_000);
    assertThat(driver.fails("a").gaveUp("a")).isTrue();
  }

  @Test
  void a_failure_older_than_the_period_counts_no_more() {
    SupervisionDriver driver = failing(new SupervisionDriver().running("a"), 3).passes(7_001);
    assertThat(driver.fails("a").gaveUp("a")).isFalse();
    assertThat(driver.passes(999).fails("a").gaveUp("a")).isTrue();
  }

  @Test
  void no_restart_allowed_gives_up_at_the_first_failure() {
    RestartPolicy strict =
        new RestartPolicy(
            RestartType.PERMANENT,
            new RestartIntensity(0, Duration.ofSeconds(1)),
            SupervisionDriver.POLICY.backoff(),
            SupervisionDriver.POLICY.quietPeriod(),
            SupervisionDriver.POLICY.reprobe());
    SupervisionDriver driver =
        new SupervisionDriver().running(SupervisionDriver.spec("a", strict)).fails("a");
    assertThat(driver.said()).containsExactly("a gave up, next in 30000");
  }

  @Test
  void after_giving_up_it_is_probed_slowly_for_ever() {
    SupervisionDriver driver = givenUp();
    for (int epoch = 5; epoch < 50; epoch++) {
      assertThat(driver.passes(29_999).said()).isEmpty();
      assertThat(driver.passes(1).said()).containsExactly("a start " + epoch);
      assertThat(driver.fails("a").said()).containsExactly("a gave up, next in 30000");
    }
  }

  @Test
  void probes_are_spread_by_a_tenth() {
    SupervisionDriver driver = new SupervisionDriver(SupervisorOptions.DEFAULT, new Random(1));
    driver.running("a");
    failing(driver, 3);
    long low = Long.MAX_VALUE;
    long high = 0;
    for (int i = 0; i < 500; i++) {
      driver.said();
      driver.fails("a");
      String said = driver.said().get(0);
      long next = Long.parseLong(said.substring(said.lastIndexOf(' ') + 1));
      low = Math.min(low, next);
      high = Math.max(high, next);
      driver.passes(33_000);
    }
    assertThat(low).isBetween(27_000L, 27_500L);
    assertThat(high).isBetween(32_500L, 33_000L);
  }

  @Test
  void without_a_probe_it_stays_down() {
    SupervisionDriver driver =
        new SupervisionDriver()
            .running(SupervisionDriver.spec("a", SupervisionDriver.reprobing(Duration.ZERO)));
    failing(driver, 3).said();
    assertThat(driver.fails("a").passes(10_000_000).said())
        .containsExactly("a gave up, next in -1");
    assertThat(driver.startWanted("a").said()).containsExactly("a start 5");
  }

  @Test
  void a_probe_that_works_does_not_earn_quick_restarts_before_the_quiet_period() {
    SupervisionDriver driver = givenUp().passes(30_000).started("a").passes(19_999);
    driver.said();
    assertThat(driver.fails("a").said()).containsExactly("a gave up, next in 30000");
  }

  @Test
  void a_probe_that_works_for_the_quiet_period_returns_to_normal() {
    SupervisionDriver driver = givenUp().passes(30_000).started("a").passes(20_000);
    driver.said();
    assertThat(driver.fails("a").said()).containsExactly("a attempt 1 in 100");
  }

  @Test
  void the_quiet_period_starts_the_back_off_anew() {
    SupervisionDriver driver =
        failing(new SupervisionDriver().running("a"), 2).started("a").passes(19_999);
    driver.said();
    assertThat(driver.fails("a").said()).containsExactly("a attempt 3 in 400");
    driver.passes(400).started("a").passes(20_000).said();
    assertThat(driver.fails("a").said()).containsExactly("a attempt 1 in 100");
  }

  @Test
  void time_spent_backing_off_or_starting_is_not_quiet() {
    SupervisionDriver driver = new SupervisionDriver().running("a").fails("a").passes(60_000);
    driver.said();
    assertThat(driver.fails("a").said()).containsExactly("a attempt 2 in 200");
  }

  @Test
  void a_start_wanted_after_giving_up_gets_one_attempt_once_the_back_off_allows() {
    SupervisionDriver driver = givenUp();
    assertThat(driver.startWanted("a").startWanted("a").said())
        .containsExactly("a attempt 4 in 800");
    assertThat(driver.passes(800).said()).containsExactly("a start 5");
    assertThat(driver.fails("a").said()).containsExactly("a gave up, next in 30000");
    assertThat(driver.passes(5_000).startWanted("a").said()).containsExactly("a start 6");
    assertThat(driver.fails("a").passes(30_000).said())
        .containsExactly("a gave up, next in 30000", "a start 7");
  }

  @Test
  void a_restart_wanted_after_giving_up_starts_at_once_with_a_fresh_budget() {
    SupervisionDriver driver = givenUp();
    assertThat(driver.restartWanted("a").said()).containsExactly("a start 5");
    assertThat(driver.fails("a").said()).containsExactly("a attempt 1 in 100");
  }

  @Test
  void a_stop_wanted_after_giving_up_ends_the_probes() {
    assertThat(givenUp().stopWanted("a").passes(1_000_000).said()).containsExactly("a stop");
  }

  @Test
  void each_child_has_a_budget_of_its_own() {
    SupervisionDriver driver = new SupervisionDriver().running("a", "b");
    failing(driver, 3).fails("a");
    driver.said();
    assertThat(driver.fails("b").said()).containsExactly("b attempt 1 in 100");
  }
}
