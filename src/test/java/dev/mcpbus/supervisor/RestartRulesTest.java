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
    Desk desk = new Desk().add("a");
    assertThat(desk.said()).containsExactly("a deploy", "a start 1");
  }

  @Test
  void a_child_is_not_started_before_it_is_deployed() {
    Desk desk = new Desk();
    desk.deploys = false;
    assertThat(desk.add("a").said()).containsExactly("a deploy");
    assertThat(desk.deployed("a").said()).containsExactly("a start 1");
  }

  @Test
  void a_lazy_child_waits_until_a_start_is_wanted() {
    Desk desk = new Desk().add(Desk.lazy("a", Desk.POLICY));
    assertThat(desk.passes(100_000).said()).containsExactly("a deploy");
    assertThat(desk.startWanted("a").said()).containsExactly("a start 1");
    assertThat(desk.startWanted("a").said()).isEmpty();
  }

  @Test
  void permanent_is_restarted_after_a_failure() {
    Desk desk = new Desk().running("a");
    assertThat(desk.fails("a").said()).containsExactly("a attempt 1 in 100");
    assertThat(desk.passes(99).said()).isEmpty();
    assertThat(desk.passes(1).said()).containsExactly("a start 2");
  }

  @Test
  void permanent_is_restarted_after_a_normal_end() {
    Desk desk = new Desk().running("a").endsNormally("a");
    assertThat(desk.passes(100).said()).containsExactly("a attempt 1 in 100", "a start 2");
  }

  @Test
  void transient_is_restarted_after_a_failure() {
    Desk desk = new Desk().running(Desk.spec("a", Desk.policy(RestartType.TRANSIENT))).fails("a");
    assertThat(desk.passes(100).said()).containsExactly("a attempt 1 in 100", "a start 2");
  }

  @ParameterizedTest
  @EnumSource(names = {"TRANSIENT", "TEMPORARY"})
  void a_normal_end_is_final_until_a_start_is_wanted(RestartType type) {
    Desk desk = new Desk().running(Desk.spec("a", Desk.policy(type))).endsNormally("a");
    assertThat(desk.passes(1_000_000).said()).containsExactly("a stop");
    assertThat(desk.startWanted("a").said()).containsExactly("a start 2");
  }

  @Test
  void temporary_is_not_restarted_after_a_failure_but_a_caller_may_want_it() {
    Desk desk = new Desk().running(Desk.spec("a", Desk.policy(RestartType.TEMPORARY))).fails("a");
    assertThat(desk.passes(1_000_000).said()).containsExactly("a gave up, next in -1");
    assertThat(desk.startWanted("a").said()).containsExactly("a start 2");
  }

  @Test
  void a_failure_before_the_session_was_ready_counts_as_any_other() {
    Desk desk = new Desk().add("a");
    desk.said();
    assertThat(desk.fails("a").passes(100).said())
        .containsExactly("a attempt 1 in 100", "a start 2");
  }

  @Test
  void a_failure_that_no_retry_can_help_is_final() {
    Desk desk = new Desk().running("a").failsForGood("a");
    assertThat(desk.passes(1_000_000).said()).containsExactly("a gave up, next in -1");
    assertThat(desk.startWanted("a").passes(1_000_000).said()).isEmpty();
    assertThat(desk.restartWanted("a", "asked").said()).containsExactly("a start 2");
  }

  @Test
  void calls_do_not_shorten_the_back_off() {
    Desk desk = new Desk().running("a").fails("a");
    desk.said();
    assertThat(desk.startWanted("a").startWanted("a").passes(99).said()).isEmpty();
    assertThat(desk.passes(1).said()).containsExactly("a start 2");
  }

  @Test
  void a_wanted_restart_ends_the_back_off() {
    Desk desk = new Desk().running("a").fails("a");
    desk.said();
    assertThat(desk.restartWanted("a", "asked").said()).containsExactly("a start 2");
    assertThat(desk.passes(10_000).said()).isEmpty();
  }

  @Test
  void a_wanted_restart_stops_and_starts_at_once_and_costs_nothing() {
    Desk desk = new Desk().running("a");
    for (int i = 2; i < 12; i++) {
      assertThat(desk.restartWanted("a", "asked").said())
          .containsExactly("a stop to restart", "a start " + i);
      desk.started("a");
    }
    assertThat(desk.fails("a").said()).containsExactly("a attempt 1 in 100");
  }

  @Test
  void a_restart_waits_for_the_old_session_to_be_over() {
    Desk desk = new Desk().running("a");
    desk.stops = false;
    assertThat(desk.restartWanted("a", "asked").said()).containsExactly("a stop to restart");
    assertThat(desk.passes(5_000).startWanted("a").restartWanted("a", "again").said()).isEmpty();
    assertThat(desk.stopped("a").said()).containsExactly("a start 2");
  }

  @Test
  void a_restart_wanted_while_starting_stops_that_attempt() {
    Desk desk = new Desk().add("a");
    desk.said();
    assertThat(desk.restartWanted("a", "asked").said())
        .containsExactly("a stop to restart", "a start 2");
  }

  @Test
  void a_restart_wanted_by_the_health_check_counts_as_a_failure() {
    Desk desk = new Desk().running("a").restartWanted("a", "health: 3 pings lost");
    assertThat(desk.said()).containsExactly("a stop to restart", "a attempt 1 in 100");
    assertThat(desk.passes(100).said()).containsExactly("a start 2");
    for (int i = 2; i <= 4; i++) {
      desk.started("a").restartWanted("a", "health: 3 pings lost").passes(1_000);
    }
    assertThat(desk.gaveUp("a")).isTrue();
  }

  @Test
  void a_health_check_of_a_session_that_is_gone_is_ignored() {
    Desk desk = new Desk().running("a").fails("a");
    desk.said();
    assertThat(desk.restartWanted("a", "health: late").said()).isEmpty();
  }

  @Test
  void a_stopped_child_stays_down_until_a_start_is_wanted() {
    Desk desk = new Desk().running("a");
    assertThat(desk.stopWanted("a").passes(1_000_000).said()).containsExactly("a stop");
    assertThat(desk.startWanted("a").said()).containsExactly("a start 2");
  }

  @Test
  void a_stop_wanted_while_starting_ends_that_attempt() {
    Desk desk = new Desk().add("a");
    desk.said();
    assertThat(desk.stopWanted("a").said()).containsExactly("a stop");
    assertThat(desk.started("a").fails("a").passes(1_000_000).said()).isEmpty();
  }

  @Test
  void a_stop_wanted_while_backing_off_cancels_the_restart() {
    Desk desk = new Desk().running("a").fails("a").stopWanted("a");
    assertThat(desk.passes(1_000_000).said()).containsExactly("a attempt 1 in 100", "a stop");
  }

  @Test
  void a_stop_wanted_while_stopping_to_restart_wins() {
    Desk desk = new Desk().running("a");
    desk.stops = false;
    desk.restartWanted("a", "asked").stopWanted("a");
    assertThat(desk.said()).containsExactly("a stop to restart", "a stop");
    assertThat(desk.stopped("a").passes(1_000_000).said()).isEmpty();
  }

  @Test
  void a_start_wanted_while_stopping_follows_the_stop() {
    Desk desk = new Desk().running("a");
    desk.stops = false;
    assertThat(desk.stopWanted("a").startWanted("a").said()).containsExactly("a stop");
    assertThat(desk.stopped("a").said()).containsExactly("a start 2");
  }

  @Test
  void removing_a_child_that_backs_off_leaves_nothing_behind() {
    Desk desk = new Desk().running("a").fails("a");
    desk.said();
    assertThat(desk.remove("a").passes(1_000_000).said()).isEmpty();
    assertThat(desk.ids()).isEmpty();
  }

  @Test
  void a_child_added_again_continues_the_epochs() {
    Desk desk = new Desk().running("a").fails("a").passes(100).remove("a");
    desk.said();
    assertThat(desk.add("a").said()).containsExactly("a deploy", "a start 3");
  }

  @Test
  void a_replaced_child_keeps_its_place_and_continues_the_epochs() {
    Desk desk = new Desk().running("a", "b").replace(Desk.spec("a", Desk.POLICY));
    assertThat(desk.said()).containsExactly("a drain and deploy", "a start 2");
    assertThat(desk.ids()).containsExactly("a", "b");
  }

  @Test
  void facts_of_an_old_epoch_are_ignored() {
    Desk desk = new Desk().running("a").fails("a").passes(100);
    desk.said();
    desk.fact(new LifecycleMessage.Started("a", 1));
    desk.fact(new LifecycleMessage.Ended("a", 1, Desk.failure(), true));
    desk.fact(new LifecycleMessage.Ended("a", 1, Desk.failure(), false));
    desk.fact(new LifecycleMessage.Ended("a", 3, Desk.failure(), false));
    assertThat(desk.passes(1_000_000).said()).isEmpty();
    assertThat(desk.fails("a").said()).containsExactly("a attempt 2 in 200");
  }

  @Test
  void an_end_told_twice_counts_once() {
    Desk desk = new Desk().running("a").fails("a").fails("a");
    assertThat(desk.said()).containsExactly("a attempt 1 in 100");
  }

  @Test
  void facts_of_a_stranger_are_ignored() {
    Desk desk = new Desk().running("a");
    assertThat(desk.fails("x").crashes("x").startWanted("x").restartWanted("x", "").said())
        .isEmpty();
  }
}
