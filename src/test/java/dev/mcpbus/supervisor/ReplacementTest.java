package dev.mcpbus.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What happens to a verticle that crashed, could not be deployed or does not answer. */
class ReplacementTest {

  @Test
  void a_crashed_verticle_is_replaced_at_once_and_its_session_after_the_back_off() {
    SupervisionDriver driver = new SupervisionDriver().running("a").crashes("a");
    assertThat(driver.said()).containsExactly("a deploy", "a attempt 1 in 100");
    assertThat(driver.passes(100).said()).containsExactly("a start 2");
  }

  @Test
  void a_crash_while_starting_is_a_failure() {
    SupervisionDriver driver = new SupervisionDriver().add("a");
    driver.said();
    assertThat(driver.crashes("a").passes(100).said())
        .containsExactly("a deploy", "a attempt 1 in 100", "a start 2");
  }

  @Test
  void a_fresh_verticle_receives_the_rest_of_the_back_off() {
    SupervisionDriver driver = new SupervisionDriver().running("a");
    driver.deploys = false;
    driver.crashes("a").passes(30);
    assertThat(driver.deployed("a").said()).containsExactly("a deploy", "a attempt 1 in 70");
  }

  @Test
  void a_session_that_is_due_waits_for_the_fresh_verticle() {
    SupervisionDriver driver = new SupervisionDriver().running("a");
    driver.deploys = false;
    assertThat(driver.crashes("a").passes(5_000).said()).containsExactly("a deploy");
    assertThat(driver.deployed("a").said()).containsExactly("a start 2");
  }

  @Test
  void a_crash_of_the_instance_that_is_being_replaced_counts_once() {
    SupervisionDriver driver = new SupervisionDriver().running("a");
    driver.deploys = false;
    driver.crashes("a").crashes("a").crashes("a").deployed("a");
    assertThat(driver.said()).containsExactly("a deploy", "a attempt 1 in 100");
  }

  @Test
  void late_facts_of_the_crashed_instance_are_ignored() {
    SupervisionDriver driver = new SupervisionDriver().running("a").crashes("a");
    driver.said();
    assertThat(driver.started("a").fails("a").failsForGood("a").said()).isEmpty();
    assertThat(driver.passes(100).said()).containsExactly("a start 2");
  }

  @Test
  void a_crash_loop_is_given_up_and_probed_slowly() {
    SupervisionDriver driver = new SupervisionDriver().running("a");
    for (int i = 0; i < 3; i++) {
      driver.crashes("a").passes(1_000);
    }
    driver.said();
    assertThat(driver.crashes("a").said()).containsExactly("a deploy", "a gave up, next in 30000");
    assertThat(driver.crashes("a").said()).containsExactly("a undeploy");
    assertThat(driver.passes(29_999).said()).isEmpty();
    assertThat(driver.passes(1).said()).containsExactly("a deploy", "a start 5");
  }

  @Test
  void a_crash_loop_without_any_session_is_bounded_too() {
    SupervisionDriver driver =
        new SupervisionDriver().add(SupervisionDriver.lazy("a", SupervisionDriver.POLICY));
    driver.crashes("a").crashes("a").crashes("a");
    driver.said();
    assertThat(driver.crashes("a").said()).containsExactly("a undeploy");
    assertThat(driver.passes(30_000).said()).containsExactly("a deploy");
  }

  @Test
  void a_crashed_verticle_without_a_probe_comes_back_to_say_that_it_is_given_up() {
    SupervisionDriver driver =
        new SupervisionDriver()
            .running(SupervisionDriver.spec("a", SupervisionDriver.reprobing(Duration.ZERO)));
    for (int i = 0; i < 4; i++) {
      driver.crashes("a").passes(1_000);
    }
    driver.said();
    assertThat(driver.crashes("a").passes(1_000).said())
        .containsExactly("a undeploy", "a deploy", "a gave up, next in -1");
  }

  @Test
  void a_deployment_that_fails_is_tried_again_after_the_back_off() {
    SupervisionDriver driver = new SupervisionDriver();
    driver.deploys = false;
    driver.add("a").deployFails("a").passes(99);
    assertThat(driver.said()).containsExactly("a deploy");
    assertThat(driver.passes(1).said()).containsExactly("a deploy");
    assertThat(driver.deployFails("a").passes(200).deployed("a").said())
        .containsExactly("a deploy", "a start 1");
  }

  @Test
  void a_deployment_that_fails_too_often_is_given_up_and_probed_slowly() {
    SupervisionDriver driver = new SupervisionDriver();
    driver.deploys = false;
    driver.add("a").deployFails("a");
    for (int i = 0; i < 3; i++) {
      assertThat(driver.gaveUp("a")).isFalse();
      driver.passes(1_000).deployFails("a");
    }
    assertThat(driver.gaveUp("a")).isTrue();
    driver.said();
    assertThat(driver.passes(30_000).said()).containsExactly("a deploy");
    assertThat(driver.deployed("a").said()).containsExactly("a start 1");
  }

  @Test
  void a_stop_wanted_while_the_verticle_is_missing_still_brings_the_verticle_back() {
    SupervisionDriver driver = new SupervisionDriver();
    driver.deploys = false;
    driver.add("a").deployFails("a").stopWanted("a").passes(100).deployed("a");
    assertThat(driver.passes(1_000_000).said()).containsExactly("a deploy", "a deploy");
  }

  @Test
  void a_verticle_that_does_not_answer_a_stop_is_replaced() {
    SupervisionDriver driver = new SupervisionDriver().running("a");
    driver.stops = false;
    driver.restartWanted("a");
    driver.said();
    assertThat(driver.doesNotStop("a").passes(100).said())
        .containsExactly("a deploy", "a attempt 1 in 100", "a start 2");
  }

  @Test
  void an_answer_to_an_earlier_stop_changes_nothing() {
    SupervisionDriver driver = new SupervisionDriver().running("a");
    driver.stops = false;
    driver.restartWanted("a").stopped("a").started("a");
    driver.said();
    assertThat(driver.stopped("a").doesNotStop("a").said()).isEmpty();
  }

  @Test
  void a_temporary_child_that_crashes_keeps_its_addresses_but_gets_no_session() {
    SupervisionDriver driver =
        new SupervisionDriver()
            .running(SupervisionDriver.spec("a", SupervisionDriver.policy(RestartType.TEMPORARY)))
            .crashes("a");
    assertThat(driver.passes(1_000_000).said())
        .containsExactly("a deploy", "a gave up, next in -1");
  }

  @Test
  void an_outcome_of_a_deployment_after_removal_changes_nothing() {
    SupervisionDriver driver = new SupervisionDriver();
    driver.deploys = false;
    driver.add("a").remove("a").deployed("a").deployFails("a");
    assertThat(driver.passes(1_000_000).said()).containsExactly("a deploy");
  }
}
