package dev.mcpbus.testing.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each promise is seen broken once: a check that cannot fail proves nothing. */
class HistoryTest {

  private static final String MS = "000000";
  private static final String START = "start 1" + MS + " ledger n1 10";
  private static final String INVOKE = "invoke 100" + MS + " c1 ledger n2 2100" + MS;
  private static final String EXECUTE = "execute 110" + MS + " ledger n1 10 c1";
  private static final String OK = "ok 120" + MS + " c1 ledger n1 10 c1";

  private static History of(String... lines) {
    return new History(
        Arrays.stream(lines).map(Fact::parse).toList(),
        Duration.ofMillis(500),
        Duration.ofSeconds(2));
  }

  private static List<String> violations(String... lines) {
    return of(lines).violations();
  }

  @Test
  void a_call_that_ran_once_in_time_with_its_own_result_is_fine() {
    History history = of(START, INVOKE, EXECUTE, OK, "fault 105" + MS + " kill n3");

    assertThat(history.violations()).isEmpty();
    assertThat(history.callCount()).isEqualTo(1);
    assertThat(history.executionCount()).isEqualTo(1);
    assertThat(history.lifeCount()).isEqualTo(1);
    assertThat(history.endings()).containsExactly(java.util.Map.entry("ok", 1));
    assertThat(history.latest()).isZero();
  }

  @Test
  void a_failure_that_may_have_been_sent_may_have_run_or_not() {
    String lost = "fail 130" + MS + " c1 OWNER_LOST maybe";

    assertThat(violations(START, INVOKE, EXECUTE, lost)).isEmpty();
    assertThat(violations(START, INVOKE, lost)).isEmpty();
    assertThat(of(START, INVOKE, lost).endings()).containsKey("OWNER_LOST sent:maybe");
  }

  @Test
  void a_call_without_an_ending_is_seen() {
    assertThat(violations(START, INVOKE, EXECUTE)).singleElement().asString().contains("no ending");
  }

  @Test
  void two_endings_are_seen() {
    assertThat(violations(START, INVOKE, EXECUTE, OK, OK))
        .singleElement()
        .asString()
        .contains("2 endings");
  }

  @Test
  void a_second_execution_is_seen() {
    String again = "execute 115" + MS + " ledger n1 10 c1";

    assertThat(violations(START, INVOKE, EXECUTE, again, OK))
        .singleElement()
        .asString()
        .contains("executed 2 times");
  }

  @Test
  void an_execution_of_what_was_told_as_not_sent_is_seen() {
    assertThat(violations(START, INVOKE, EXECUTE, "fail 130" + MS + " c1 UNAVAILABLE no"))
        .singleElement()
        .asString()
        .contains("not sent, yet it was executed");
  }

  @Test
  void a_result_without_an_execution_is_seen() {
    assertThat(violations(START, INVOKE, OK)).singleElement().asString().contains("never executed");
  }

  @Test
  void a_result_of_another_call_is_seen() {
    assertThat(violations(START, INVOKE, EXECUTE, "ok 120" + MS + " c1 ledger n1 10 c2"))
        .singleElement()
        .asString()
        .contains("of another call");
  }

  @Test
  void an_execution_after_the_deadline_is_seen_beyond_the_slack() {
    String lost = "fail 2200" + MS + " c1 CALL_TIMEOUT maybe";

    assertThat(violations(START, INVOKE, lost, "execute 2600" + MS + " ledger n1 10 c1")).isEmpty();
    History late = of(START, INVOKE, lost, "execute 2601" + MS + " ledger n1 10 c1");
    assertThat(late.violations()).singleElement().asString().contains("501 ms after its deadline");
    assertThat(late.latest()).isEqualTo(Duration.ofMillis(501));
  }

  @Test
  void an_execution_for_a_client_that_has_left_is_seen_beyond_the_slack() {
    String left = "left 200" + MS + " c1";

    assertThat(violations(START, INVOKE, EXECUTE, left)).isEmpty();
    assertThat(violations(START, INVOKE, left, "execute 700" + MS + " ledger n1 10 c1")).isEmpty();
    assertThat(violations(START, INVOKE, left, "execute 701" + MS + " ledger n1 10 c1"))
        .singleElement()
        .asString()
        .contains("501 ms after its client left");
  }

  @Test
  void the_time_at_a_node_begins_when_the_request_arrives_there() {
    String onTheWay = "arrive 140" + MS + " c1";
    String late = "execute 2641" + MS + " ledger n1 10 c1";
    String ending = "fail 2700" + MS + " c1 CALLER_TIMEOUT maybe";

    History history = of(START, INVOKE, onTheWay, late, ending, "arrive 3000" + MS + " other");
    assertThat(history.violations()).singleElement().asString().contains("501 ms after");
    assertThat(history.latest()).isEqualTo(Duration.ofMillis(501));
    assertThat(history.callCount()).isEqualTo(1);
  }

  @Test
  void an_ending_long_after_the_deadline_is_seen() {
    assertThat(violations(START, INVOKE, EXECUTE, "fail 4101" + MS + " c1 CALL_TIMEOUT maybe"))
        .singleElement()
        .asString()
        .contains("ended 2001 ms after its deadline");
  }

  @Test
  void an_older_server_that_acts_after_a_newer_one_has_started_is_seen() {
    assertThat(violations(START, "start 105" + MS + " ledger n3 30", INVOKE, EXECUTE, OK))
        .singleElement()
        .asString()
        .contains("executed by n1/10 5 ms after n3/30 took over ledger");
    assertThat(violations(START, "start 105" + MS + " other n3 30", INVOKE, EXECUTE, OK)).isEmpty();
    assertThat(violations(START, "start 115" + MS + " ledger n3 30", INVOKE, EXECUTE, OK))
        .isEmpty();
  }

  @Test
  void an_execution_by_nobody_or_of_no_call_is_seen() {
    assertThat(violations(INVOKE, EXECUTE, OK))
        .singleElement()
        .asString()
        .contains("never started");
    assertThat(violations(START, EXECUTE)).singleElement().asString().contains("invoked 0 times");
  }

  @Test
  void a_line_that_is_cut_off_is_refused() {
    assertThatThrownBy(() -> Fact.parse("execute 110 ledger n1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("too few words");
    assertThatThrownBy(() -> Fact.parse("hello 1")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Fact.parse("")).isInstanceOf(IllegalArgumentException.class);
  }
}
