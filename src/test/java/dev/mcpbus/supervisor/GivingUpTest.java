package dev.mcpbus.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Back-off, restart intensity, giving up, slow probes and the quiet period, for one child. */
class GivingUpTest {

  private static Desk failing(Desk desk, int times) {
    for (int i = 0; i < times; i++) {
      desk.fails("a").passes(1_000);
    }
    return desk;
  }

  private static Desk givenUp() {
    Desk desk = failing(new Desk().running("a"), 3).fails("a");
    desk.said();
    return desk;
  }

  @Test
  void the_back_off_doubles_with_each_failure_up_to_its_ceiling() {
    RestartPolicy patient =
        new RestartPolicy(
            RestartType.PERMANENT,
            new RestartIntensity(100, Duration.ofSeconds(1)),
            Desk.POLICY.backoff(),
            Desk.POLICY.quietPeriod(),
            Desk.POLICY.reprobe());
    Desk desk = new Desk().running(Desk.spec("a", patient));
    List<String> said = failing(desk, 6).said();
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
    Desk desk = failing(new Desk().running("a"), 3);
    assertThat(desk.said()).last().isEqualTo("a start 4");
    assertThat(desk.fails("a").said()).containsExactly("a gave up, next in 30000");
  }

  @Test
  void a_failure_exactly_one_period_ago_still_counts() {
    Desk desk = failing(new Desk().running("a"), 3).passes(7_000);
    assertThat(desk.fails("a").gaveUp("a")).isTrue();
  }

  @Test
  void a_failure_older_than_the_period_counts_no_more() {
    Desk desk = failing(new Desk().running("a"), 3).passes(7_001);
    assertThat(desk.fails("a").gaveUp("a")).isFalse();
    assertThat(desk.passes(999).fails("a").gaveUp("a")).isTrue();
  }

  @Test
  void no_restart_allowed_gives_up_at_the_first_failure() {
    RestartPolicy strict =
        new RestartPolicy(
            RestartType.PERMANENT,
            new RestartIntensity(0, Duration.ofSeconds(1)),
            Desk.POLICY.backoff(),
            Desk.POLICY.quietPeriod(),
            Desk.POLICY.reprobe());
    Desk desk = new Desk().running(Desk.spec("a", strict)).fails("a");
    assertThat(desk.said()).containsExactly("a gave up, next in 30000");
  }

  @Test
  void after_giving_up_it_is_probed_slowly_for_ever() {
    Desk desk = givenUp();
    for (int epoch = 5; epoch < 50; epoch++) {
      assertThat(desk.passes(29_999).said()).isEmpty();
      assertThat(desk.passes(1).said()).containsExactly("a start " + epoch);
      assertThat(desk.fails("a").said()).containsExactly("a gave up, next in 30000");
    }
  }

  @Test
  void probes_are_spread_by_a_tenth() {
    Desk desk = new Desk(SupervisorOptions.DEFAULT, new Random(1));
    desk.running("a");
    failing(desk, 3);
    long low = Long.MAX_VALUE;
    long high = 0;
    for (int i = 0; i < 500; i++) {
      desk.said();
      desk.fails("a");
      String said = desk.said().get(0);
      long next = Long.parseLong(said.substring(said.lastIndexOf(' ') + 1));
      low = Math.min(low, next);
      high = Math.max(high, next);
      desk.passes(33_000);
    }
    assertThat(low).isBetween(27_000L, 27_500L);
    assertThat(high).isBetween(32_500L, 33_000L);
  }

  @Test
  void without_a_probe_it_stays_down() {
    Desk desk = new Desk().running(Desk.spec("a", Desk.reprobing(Duration.ZERO)));
    failing(desk, 3).said();
    assertThat(desk.fails("a").passes(10_000_000).said()).containsExactly("a gave up, next in -1");
    assertThat(desk.startWanted("a").said()).containsExactly("a start 5");
  }

  @Test
  void a_probe_that_works_does_not_earn_quick_restarts_before_the_quiet_period() {
    Desk desk = givenUp().passes(30_000).started("a").passes(19_999);
    desk.said();
    assertThat(desk.fails("a").said()).containsExactly("a gave up, next in 30000");
  }

  @Test
  void a_probe_that_works_for_the_quiet_period_returns_to_normal() {
    Desk desk = givenUp().passes(30_000).started("a").passes(20_000);
    desk.said();
    assertThat(desk.fails("a").said()).containsExactly("a attempt 1 in 100");
  }

  @Test
  void the_quiet_period_starts_the_back_off_anew() {
    Desk desk = failing(new Desk().running("a"), 2).started("a").passes(19_999);
    desk.said();
    assertThat(desk.fails("a").said()).containsExactly("a attempt 3 in 400");
    desk.passes(400).started("a").passes(20_000).said();
    assertThat(desk.fails("a").said()).containsExactly("a attempt 1 in 100");
  }

  @Test
  void time_spent_backing_off_or_starting_is_not_quiet() {
    Desk desk = new Desk().running("a").fails("a").passes(60_000);
    desk.said();
    assertThat(desk.fails("a").said()).containsExactly("a attempt 2 in 200");
  }

  @Test
  void a_start_wanted_after_giving_up_gets_one_attempt_once_the_back_off_allows() {
    Desk desk = givenUp();
    assertThat(desk.startWanted("a").startWanted("a").said()).containsExactly("a attempt 4 in 800");
    assertThat(desk.passes(800).said()).containsExactly("a start 5");
    assertThat(desk.fails("a").said()).containsExactly("a gave up, next in 30000");
    assertThat(desk.passes(5_000).startWanted("a").said()).containsExactly("a start 6");
    assertThat(desk.fails("a").passes(30_000).said())
        .containsExactly("a gave up, next in 30000", "a start 7");
  }

  @Test
  void a_restart_wanted_after_giving_up_starts_at_once_with_a_fresh_budget() {
    Desk desk = givenUp();
    assertThat(desk.restartWanted("a", "asked").said()).containsExactly("a start 5");
    assertThat(desk.fails("a").said()).containsExactly("a attempt 1 in 100");
  }

  @Test
  void a_stop_wanted_after_giving_up_ends_the_probes() {
    assertThat(givenUp().stopWanted("a").passes(1_000_000).said()).containsExactly("a stop");
  }

  @Test
  void each_child_has_a_budget_of_its_own() {
    Desk desk = new Desk().running("a", "b");
    failing(desk, 3).fails("a");
    desk.said();
    assertThat(desk.fails("b").said()).containsExactly("b attempt 1 in 100");
  }
}
