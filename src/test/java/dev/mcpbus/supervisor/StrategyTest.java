package dev.mcpbus.supervisor;

import static dev.mcpbus.supervisor.RestartStrategy.ONE_FOR_ALL;
import static dev.mcpbus.supervisor.RestartStrategy.ONE_FOR_ONE;
import static dev.mcpbus.supervisor.RestartStrategy.REST_FOR_ONE;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Which others a failure takes down, and in which order they come back. */
class StrategyTest {

  @Test
  void one_for_one_leaves_the_others_alone() {
    SupervisionDriver driver = new SupervisionDriver(ONE_FOR_ONE).running("a", "b", "c").fails("b");
    assertThat(driver.passes(100).said()).containsExactly("b attempt 1 in 100", "b start 2");
  }

  @Test
  void one_for_all_stops_all_in_reverse_order_and_starts_them_in_order_after_the_back_off() {
    SupervisionDriver driver = new SupervisionDriver(ONE_FOR_ALL).running("a", "b", "c").fails("b");
    assertThat(driver.said())
        .containsExactly("b attempt 1 in 100", "c stop to restart", "a stop to restart");
    assertThat(driver.passes(99).said()).isEmpty();
    assertThat(driver.passes(1).said()).containsExactly("a start 2", "b start 2", "c start 2");
  }

  @Test
  void rest_for_one_takes_those_that_were_added_later() {
    SupervisionDriver driver =
        new SupervisionDriver(REST_FOR_ONE).running("a", "b", "c", "d").fails("b");
    assertThat(driver.passes(100).said())
        .containsExactly(
            "b attempt 1 in 100",
            "d stop to restart",
            "c stop to restart",
            "b start 2",
            "c start 2",
            "d start 2");
  }

  @Test
  void rest_for_one_of_the_last_takes_only_itself() {
    SupervisionDriver driver = new SupervisionDriver(REST_FOR_ONE).running("a", "b").fails("b");
    assertThat(driver.passes(100).said()).containsExactly("b attempt 1 in 100", "b start 2");
  }

  @Test
  void nobody_starts_before_all_of_the_group_have_stopped() {
    SupervisionDriver driver = new SupervisionDriver(ONE_FOR_ALL).running("a", "b", "c");
    driver.stops = false;
    driver.fails("b").passes(1_000);
    driver.said();
    assertThat(driver.stopped("a").said()).isEmpty();
    assertThat(driver.stopped("c").said()).containsExactly("a start 2", "b start 2", "c start 2");
  }

  @Test
  void an_end_that_is_not_restarted_does_not_touch_the_others() {
    ChildSpec shortLived =
        SupervisionDriver.spec("b", SupervisionDriver.policy(RestartType.TRANSIENT));
    SupervisionDriver driver =
        new SupervisionDriver(ONE_FOR_ALL).running("a").running(shortLived).endsNormally("b");
    assertThat(driver.passes(1_000_000).said()).containsExactly("b stop");
  }

  @Test
  void a_temporary_sibling_is_stopped_and_not_started_again() {
    ChildSpec temporary =
        SupervisionDriver.spec("b", SupervisionDriver.policy(RestartType.TEMPORARY));
    SupervisionDriver driver =
        new SupervisionDriver(ONE_FOR_ALL).running("a").running(temporary).fails("a");
    assertThat(driver.passes(1_000).said())
        .containsExactly("a attempt 1 in 100", "b stop", "a start 2");
  }

  @Test
  void a_transient_sibling_is_started_again() {
    ChildSpec other = SupervisionDriver.spec("b", SupervisionDriver.policy(RestartType.TRANSIENT));
    SupervisionDriver driver =
        new SupervisionDriver(ONE_FOR_ALL).running("a").running(other).fails("a");
    assertThat(driver.passes(1_000).said())
        .containsExactly("a attempt 1 in 100", "b stop to restart", "a start 2", "b start 2");
  }

  @Test
  void siblings_without_a_session_stay_without_one() {
    SupervisionDriver driver = new SupervisionDriver(ONE_FOR_ALL).running("a", "b");
    driver.add(SupervisionDriver.lazy("c", SupervisionDriver.POLICY)).stopWanted("b").said();
    assertThat(driver.fails("a").passes(1_000).said())
        .containsExactly("a attempt 1 in 100", "a start 2");
  }

  @Test
  void a_failure_while_all_are_starting_again_holds_them_once_more() {
    SupervisionDriver driver =
        new SupervisionDriver(ONE_FOR_ALL).running("a", "b", "c").fails("b").passes(100);
    driver.said();
    assertThat(driver.started("a").fails("b").passes(200).said())
        .containsExactly(
            "b attempt 2 in 200",
            "c stop to restart",
            "a stop to restart",
            "a start 3",
            "b start 3",
            "c start 3");
  }

  @Test
  void an_earlier_failure_takes_over_those_that_wait_for_a_later_one() {
    SupervisionDriver driver =
        new SupervisionDriver(REST_FOR_ONE).running("a", "b", "c").fails("b").passes(50).fails("a");
    driver.said();
    assertThat(driver.passes(99).said()).isEmpty();
    assertThat(driver.passes(1).said()).containsExactly("a start 2", "b start 2", "c start 2");
  }

  @Test
  void giving_up_on_one_lets_the_others_go_on() {
    SupervisionDriver driver = new SupervisionDriver(ONE_FOR_ALL).running("a", "b");
    for (int i = 0; i < 3; i++) {
      driver.fails("a").passes(1_000).started("a").started("b");
    }
    driver.said();
    assertThat(driver.fails("a").said()).containsExactly("a gave up, next in 30000");
    assertThat(driver.passes(30_000).said()).containsExactly("a start 5");
  }

  @Test
  void a_failure_that_no_retry_can_help_does_not_touch_the_others() {
    SupervisionDriver driver =
        new SupervisionDriver(ONE_FOR_ALL).running("a", "b").failsForGood("a");
    assertThat(driver.passes(1_000_000).said()).containsExactly("a gave up, next in -1");
  }

  @Test
  void stopping_the_one_that_backs_off_lets_the_held_ones_go_on() {
    SupervisionDriver driver = new SupervisionDriver(ONE_FOR_ALL).running("a", "b").fails("a");
    driver.said();
    assertThat(driver.stopWanted("a").said()).containsExactly("a stop", "b start 2");
  }

  @Test
  void removing_the_one_that_backs_off_lets_the_held_ones_go_on() {
    SupervisionDriver driver = new SupervisionDriver(ONE_FOR_ALL).running("a", "b").fails("a");
    driver.said();
    assertThat(driver.remove("a").said()).containsExactly("b start 2");
  }

  @Test
  void a_restart_wanted_by_a_caller_restarts_this_child_alone() {
    SupervisionDriver driver =
        new SupervisionDriver(ONE_FOR_ALL).running("a", "b").restartWanted("a");
    assertThat(driver.said()).containsExactly("a stop to restart", "a start 2");
  }

  @Test
  void a_held_child_whose_verticle_crashes_still_comes_back_with_its_group() {
    SupervisionDriver driver =
        new SupervisionDriver(REST_FOR_ONE).running("a", "b").fails("a").crashes("b");
    driver.said();
    assertThat(driver.passes(100).said()).containsExactly("a start 2", "b start 2");
  }

  @Test
  void a_sibling_that_does_not_stop_is_replaced() {
    SupervisionDriver driver = new SupervisionDriver(REST_FOR_ONE).running("a", "b");
    driver.stops = false;
    driver.fails("a").passes(15_000);
    driver.said();
    assertThat(driver.doesNotStop("b").said())
        .containsExactly("b deploy", "a start 2", "b start 2");
  }
}
