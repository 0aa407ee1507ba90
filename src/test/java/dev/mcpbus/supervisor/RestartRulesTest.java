package dev.mcpbus.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.LifecycleMessage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** When one child is started, restarted and left alone. */
class RestartRulesTest {

  @Test
  void a_child_is_deployed_and_then_started_with_epoch_one() {
    SupervisionDriver driver = new SupervisionDriver().add("a");
    assertThat(driver.said()).containsExactly("a deploy", "a start 1");
  }

  @Test
  void a_child_is_not_started_before_it_is_deployed() {
    SupervisionDriver driver = new SupervisionDriver();
    driver.deploys = false;
    assertThat(driver.add("a").said()).containsExactly("a deploy");
    assertThat(driver.deployed("a").said()).containsExactly("a start 1");
  }

  @Test
  void a_lazy_child_waits_until_a_start_is_wanted() {
    SupervisionDriver driver =
        new SupervisionDriver().add(SupervisionDriver.lazy("a", SupervisionDriver.POLICY));
    assertThat(driver.passes(100_000).said()).containsExactly("a deploy");
    assertThat(driver.startWanted("a").said()).containsExactly("a start 1");
    assertThat(driver.startWanted("a").said()).isEmpty();
  }

  @Test
  void permanent_is_restarted_after_a_failure() {
    SupervisionDriver driver = new SupervisionDriver().running("a");
    assertThat(driver.fails("a").said()).containsExactly("a attempt 1 in 100");
    assertThat(driver.passes(99).said()).isEmpty();
    assertThat(driver.passes(1).said()).containsExactly("a start 2");
  }

  @Test
  void permanent_is_restarted_after_a_normal_end() {
    SupervisionDriver driver = new SupervisionDriver().running("a").endsNormally("a");
    assertThat(driver.passes(100).said()).containsExactly("a attempt 1 in 100", "a start 2");
  }

  @Test
  void transient_is_restarted_after_a_failure() {
    SupervisionDriver driver =
        new SupervisionDriver()
            .running(SupervisionDriver.spec("a", SupervisionDriver.policy(RestartType.TRANSIENT)))
            .fails("a");
    assertThat(driver.passes(100).said()).containsExactly("a attempt 1 in 100", "a start 2");
  }

  @ParameterizedTest
  @EnumSource(names = {"TRANSIENT", "TEMPORARY"})
  void a_normal_end_is_final_until_a_start_is_wanted(RestartType type) {
    SupervisionDriver driver =
        new SupervisionDriver()
            .running(SupervisionDriver.spec("a", SupervisionDriver.policy(type)))
            .endsNormally("a");
    assertThat(driver.passes(1_000_000).said()).containsExactly("a stop");
    assertThat(driver.startWanted("a").said()).containsExactly("a start 2");
  }

  @Test
  void temporary_is_not_restarted_after_a_failure_but_a_caller_may_want_it() {
    SupervisionDriver driver =
        new SupervisionDriver()
            .running(SupervisionDriver.spec("a", SupervisionDriver.policy(RestartType.TEMPORARY)))
            .fails("a");
    assertThat(driver.passes(1_000_000).said()).containsExactly("a gave up, next in -1");
    assertThat(driver.startWanted("a").said()).containsExactly("a start 2");
  }

  @Test
  void a_failure_before_the_session_was_ready_counts_as_any_other() {
    SupervisionDriver driver = new SupervisionDriver().add("a");
    driver.said();
    assertThat(driver.fails("a").passes(100).said())
        .containsExactly("a attempt 1 in 100", "a start 2");
  }

  @Test
  void a_failure_that_no_retry_can_help_is_final() {
    SupervisionDriver driver = new SupervisionDriver().running("a").failsForGood("a");
    assertThat(driver.passes(1_000_000).said()).containsExactly("a gave up, next in -1");
    assertThat(driver.startWanted("a").passes(1_000_000).said()).isEmpty();
    assertThat(driver.restartWanted("a").said()).containsExactly("a start 2");
  }

  @Test
  void calls_do_not_shorten_the_back_off() {
    SupervisionDriver driver = new SupervisionDriver().running("a").fails("a");
    driver.said();
    assertThat(driver.startWanted("a").startWanted("a").passes(99).said()).isEmpty();
    assertThat(driver.passes(1).said()).containsExactly("a start 2");
  }

  @Test
  void a_wanted_restart_ends_the_back_off() {
    SupervisionDriver driver = new SupervisionDriver().running("a").fails("a");
    driver.said();
    assertThat(driver.restartWanted("a").said()).containsExactly("a start 2");
    assertThat(driver.passes(10_000).said()).isEmpty();
  }

  @Test
  void a_wanted_restart_stops_and_starts_at_once_and_costs_nothing() {
    SupervisionDriver driver = new SupervisionDriver().running("a");
    for (int i = 2; i < 12; i++) {
      assertThat(driver.restartWanted("a").said())
          .containsExactly("a stop to restart", "a start " + i);
      driver.started("a");
    }
    assertThat(driver.fails("a").said()).containsExactly("a attempt 1 in 100");
  }

  @Test
  void a_restart_waits_for_the_old_session_to_be_over() {
    SupervisionDriver driver = new SupervisionDriver().running("a");
    driver.stops = false;
    assertThat(driver.restartWanted("a").said()).containsExactly("a stop to restart");
    assertThat(driver.passes(5_000).startWanted("a").restartWanted("a").said()).isEmpty();
    assertThat(driver.stopped("a").said()).containsExactly("a start 2");
  }

  @Test
  void a_restart_wanted_while_starting_stops_that_attempt() {
    SupervisionDriver driver = new SupervisionDriver().add("a");
    driver.said();
    assertThat(driver.restartWanted("a").said()).containsExactly("a stop to restart", "a start 2");
  }

  @Test
  void a_restart_wanted_by_the_health_check_counts_as_a_failure() {
    SupervisionDriver driver = new SupervisionDriver().running("a").unhealthy("a");
    assertThat(driver.said()).containsExactly("a stop to restart", "a attempt 1 in 100");
    assertThat(driver.passes(100).said()).containsExactly("a start 2");
    for (int i = 2; i <= 4; i++) {
      driver.started("a").unhealthy("a").passes(1_000);
    }
    assertThat(driver.gaveUp("a")).isTrue();
  }

  @Test
  void a_health_check_of_a_session_that_is_gone_is_ignored() {
    SupervisionDriver driver = new SupervisionDriver().running("a").fails("a");
    driver.said();
    assertThat(driver.unhealthy("a").said()).isEmpty();
  }

  @Test
  void a_stopped_child_stays_down_until_a_start_is_wanted() {
    SupervisionDriver driver = new SupervisionDriver().running("a");
    assertThat(driver.stopWanted("a").passes(1_000_000).said()).containsExactly("a stop");
    assertThat(driver.startWanted("a").said()).containsExactly("a start 2");
  }

  @Test
  void a_stop_wanted_while_starting_ends_that_attempt() {
    SupervisionDriver driver = new SupervisionDriver().add("a");
    driver.said();
    assertThat(driver.stopWanted("a").said()).containsExactly("a stop");
    assertThat(driver.started("a").fails("a").passes(1_000_000).said()).isEmpty();
  }

  @Test
  void a_stop_wanted_while_backing_off_cancels_the_restart() {
    SupervisionDriver driver = new SupervisionDriver().running("a").fails("a").stopWanted("a");
    assertThat(driver.passes(1_000_000).said()).containsExactly("a attempt 1 in 100", "a stop");
  }

  @Test
  void a_stop_wanted_while_stopping_to_restart_wins() {
    SupervisionDriver driver = new SupervisionDriver().running("a");
    driver.stops = false;
    driver.restartWanted("a").stopWanted("a");
    assertThat(driver.said()).containsExactly("a stop to restart", "a stop");
    assertThat(driver.stopped("a").passes(1_000_000).said()).isEmpty();
  }

  @Test
  void a_start_wanted_while_stopping_follows_the_stop() {
    SupervisionDriver driver = new SupervisionDriver().running("a");
    driver.stops = false;
    assertThat(driver.stopWanted("a").startWanted("a").said()).containsExactly("a stop");
    assertThat(driver.stopped("a").said()).containsExactly("a start 2");
  }

  @Test
  void removing_a_child_that_backs_off_leaves_nothing_behind() {
    SupervisionDriver driver = new SupervisionDriver().running("a").fails("a");
    driver.said();
    assertThat(driver.remove("a").passes(1_000_000).said()).isEmpty();
    assertThat(driver.ids()).isEmpty();
  }

  @Test
  void a_child_added_again_continues_the_epochs() {
    SupervisionDriver driver =
        new SupervisionDriver().running("a").fails("a").passes(100).remove("a");
    driver.said();
    assertThat(driver.add("a").said()).containsExactly("a deploy", "a start 3");
  }

  @Test
  void a_replaced_child_keeps_its_place_and_continues_the_epochs() {
    SupervisionDriver driver =
        new SupervisionDriver()
            .running("a", "b")
            .replace(SupervisionDriver.spec("a", SupervisionDriver.POLICY));
    assertThat(driver.said()).containsExactly("a drain and deploy", "a start 2");
    assertThat(driver.ids()).containsExactly("a", "b");
  }

  @Test
  void facts_of_an_old_epoch_are_ignored() {
    SupervisionDriver driver = new SupervisionDriver().running("a").fails("a").passes(100);
    driver.said();
    driver.fact(new LifecycleMessage.Started("a", 1));
    driver.fact(new LifecycleMessage.Ended("a", 1, SupervisionDriver.failure(), true));
    driver.fact(new LifecycleMessage.Ended("a", 1, SupervisionDriver.failure(), false));
    driver.fact(new LifecycleMessage.Ended("a", 3, SupervisionDriver.failure(), false));
    assertThat(driver.passes(1_000_000).said()).isEmpty();
    assertThat(driver.fails("a").said()).containsExactly("a attempt 2 in 200");
  }

  @Test
  void an_end_reported_twice_counts_once() {
    SupervisionDriver driver = new SupervisionDriver().running("a").fails("a").fails("a");
    assertThat(driver.said()).containsExactly("a attempt 1 in 100");
  }

  @Test
  void facts_of_a_stranger_are_ignored() {
    SupervisionDriver driver = new SupervisionDriver().running("a");
    assertThat(driver.fails("x").crashes("x").startWanted("x").restartWanted("x").said()).isEmpty();
  }
}
