package dev.mcpbus.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What happens to a verticle that crashed, could not be deployed or does not answer. */
class ReplacementTest {

  @Test
  void a_crashed_verticle_is_replaced_at_once_and_its_session_after_the_back_off() {
    Desk desk = new Desk().running("a").crashes("a");
    assertThat(desk.said()).containsExactly("a deploy", "a attempt 1 in 100");
    assertThat(desk.passes(100).said()).containsExactly("a start 2");
  }

  @Test
  void a_crash_while_starting_is_a_failure() {
    Desk desk = new Desk().add("a");
    desk.said();
    assertThat(desk.crashes("a").passes(100).said())
        .containsExactly("a deploy", "a attempt 1 in 100", "a start 2");
  }

  @Test
  void a_fresh_verticle_is_told_what_is_left_of_the_back_off() {
    Desk desk = new Desk().running("a");
    desk.deploys = false;
    desk.crashes("a").passes(30);
    assertThat(desk.deployed("a").said()).containsExactly("a deploy", "a attempt 1 in 70");
  }

  @Test
  void a_session_that_is_due_waits_for_the_fresh_verticle() {
    Desk desk = new Desk().running("a");
    desk.deploys = false;
    assertThat(desk.crashes("a").passes(5_000).said()).containsExactly("a deploy");
    assertThat(desk.deployed("a").said()).containsExactly("a start 2");
  }

  @Test
  void a_crash_of_the_instance_that_is_being_replaced_counts_once() {
    Desk desk = new Desk().running("a");
    desk.deploys = false;
    desk.crashes("a").crashes("a").crashes("a").deployed("a");
    assertThat(desk.said()).containsExactly("a deploy", "a attempt 1 in 100");
  }

  @Test
  void late_facts_of_the_crashed_instance_are_ignored() {
    Desk desk = new Desk().running("a").crashes("a");
    desk.said();
    assertThat(desk.started("a").fails("a").failsForGood("a").said()).isEmpty();
    assertThat(desk.passes(100).said()).containsExactly("a start 2");
  }

  @Test
  void a_crash_loop_is_given_up_and_probed_slowly() {
    Desk desk = new Desk().running("a");
    for (int i = 0; i < 3; i++) {
      desk.crashes("a").passes(1_000);
    }
    desk.said();
    assertThat(desk.crashes("a").said()).containsExactly("a deploy", "a gave up, next in 30000");
    assertThat(desk.crashes("a").said()).containsExactly("a undeploy");
    assertThat(desk.passes(29_999).said()).isEmpty();
    assertThat(desk.passes(1).said()).containsExactly("a deploy", "a start 5");
  }

  @Test
  void a_crash_loop_without_any_session_is_bounded_too() {
    Desk desk = new Desk().add(Desk.lazy("a", Desk.POLICY));
    desk.crashes("a").crashes("a").crashes("a");
    desk.said();
    assertThat(desk.crashes("a").said()).containsExactly("a undeploy");
    assertThat(desk.passes(30_000).said()).containsExactly("a deploy");
  }

  @Test
  void a_crashed_verticle_without_a_probe_comes_back_to_say_that_it_is_given_up() {
    Desk desk = new Desk().running(Desk.spec("a", Desk.reprobing(Duration.ZERO)));
    for (int i = 0; i < 4; i++) {
      desk.crashes("a").passes(1_000);
    }
    desk.said();
    assertThat(desk.crashes("a").passes(1_000).said())
        .containsExactly("a undeploy", "a deploy", "a gave up, next in -1");
  }

  @Test
  void a_deployment_that_fails_is_tried_again_after_the_back_off() {
    Desk desk = new Desk();
    desk.deploys = false;
    desk.add("a").deployFails("a").passes(99);
    assertThat(desk.said()).containsExactly("a deploy");
    assertThat(desk.passes(1).said()).containsExactly("a deploy");
    assertThat(desk.deployFails("a").passes(200).deployed("a").said())
        .containsExactly("a deploy", "a start 1");
  }

  @Test
  void a_deployment_that_fails_too_often_is_given_up_and_probed_slowly() {
    Desk desk = new Desk();
    desk.deploys = false;
    desk.add("a").deployFails("a");
    for (int i = 0; i < 3; i++) {
      assertThat(desk.gaveUp("a")).isFalse();
      desk.passes(1_000).deployFails("a");
    }
    assertThat(desk.gaveUp("a")).isTrue();
    desk.said();
    assertThat(desk.passes(30_000).said()).containsExactly("a deploy");
    assertThat(desk.deployed("a").said()).containsExactly("a start 1");
  }

  @Test
  void a_stop_wanted_while_the_verticle_is_missing_still_brings_the_verticle_back() {
    Desk desk = new Desk();
    desk.deploys = false;
    desk.add("a").deployFails("a").stopWanted("a").passes(100).deployed("a");
    assertThat(desk.passes(1_000_000).said()).containsExactly("a deploy", "a deploy");
  }

  @Test
  void a_verticle_that_does_not_answer_a_stop_is_replaced() {
    Desk desk = new Desk().running("a");
    desk.stops = false;
    desk.restartWanted("a", "asked");
    desk.said();
    assertThat(desk.doesNotStop("a").passes(100).said())
        .containsExactly("a deploy", "a attempt 1 in 100", "a start 2");
  }

  @Test
  void an_answer_to_an_earlier_stop_changes_nothing() {
    Desk desk = new Desk().running("a");
    desk.stops = false;
    desk.restartWanted("a", "asked").stopped("a").started("a");
    desk.said();
    assertThat(desk.stopped("a").doesNotStop("a").said()).isEmpty();
  }

  @Test
  void a_temporary_child_that_crashes_keeps_its_addresses_but_gets_no_session() {
    Desk desk = new Desk().running(Desk.spec("a", Desk.policy(RestartType.TEMPORARY))).crashes("a");
    assertThat(desk.passes(1_000_000).said()).containsExactly("a deploy", "a gave up, next in -1");
  }

  @Test
  void an_outcome_of_a_deployment_after_removal_changes_nothing() {
    Desk desk = new Desk();
    desk.deploys = false;
    desk.add("a").remove("a").deployed("a").deployFails("a");
    assertThat(desk.passes(1_000_000).said()).containsExactly("a deploy");
  }
}
