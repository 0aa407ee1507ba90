package dev.mcpbus.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How many sessions may be starting at the same time. */
class StaggeredStartTest {

  private static Desk desk(int concurrency) {
    return new Desk(SupervisorOptions.of(RestartStrategy.ONE_FOR_ONE, concurrency));
  }

  @Test
  void a_thousand_children_start_in_order_and_never_more_than_allowed_at_once() {
    List<String> ids = IntStream.range(0, 1_000).mapToObj(i -> "c" + i).toList();
    Desk desk = desk(16).add(ids.toArray(String[]::new));
    for (int done = 0; done < ids.size(); done++) {
      assertThat(ids.stream().filter(id -> desk.epoch(id) == 1).toList())
          .isEqualTo(ids.subList(0, Math.min(ids.size(), 16 + done)));
      if (done % 2 == 0) {
        desk.started(ids.get(done));
      } else {
        desk.failsForGood(ids.get(done));
      }
    }
    assertThat(desk.said().stream().filter(s -> s.contains("start"))).hasSize(1_000);
  }

  @Test
  void a_failure_frees_the_place_of_the_one_that_failed() {
    Desk desk = desk(1).add("a", "b");
    desk.said();
    assertThat(desk.fails("a").said()).containsExactly("a attempt 1 in 100", "b start 1");
    assertThat(desk.passes(100).said()).isEmpty();
    assertThat(desk.started("b").said()).containsExactly("a start 2");
  }

  @Test
  void one_that_hangs_keeps_its_place_for_a_minute_only() {
    Desk desk = desk(1).add("a", "b", "c");
    desk.said();
    assertThat(desk.passes(59_999).said()).isEmpty();
    assertThat(desk.passes(1).said()).containsExactly("b start 1");
    assertThat(desk.passes(60_000).said()).containsExactly("c start 1");
    assertThat(desk.started("a").fails("a").said()).containsExactly("a attempt 1 in 100");
  }

  @Test
  void a_stop_a_crash_or_a_removal_frees_the_place() {
    Desk desk = desk(1).add("a", "b", "c", "d");
    desk.said();
    assertThat(desk.stopWanted("a").said()).containsExactly("a stop", "b start 1");
    assertThat(desk.crashes("b").said()).contains("c start 1");
    assertThat(desk.remove("c").said()).containsExactly("d start 1");
  }

  @Test
  void one_that_is_stopped_while_it_waits_is_not_started() {
    Desk desk = desk(1).add("a", "b", "c").stopWanted("b");
    desk.said();
    assertThat(desk.started("a").said()).containsExactly("c start 1");
  }
}
