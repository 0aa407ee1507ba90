package dev.mcpbus.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How many sessions may be starting at the same time. */
class StaggeredStartTest {

  private static SupervisionDriver driver(int concurrency) {
    return new SupervisionDriver(SupervisorOptions.of(RestartStrategy.ONE_FOR_ONE, concurrency));
  }

  @Test
  void a_thousand_children_start_in_order_and_never_more_than_allowed_at_once() {
    List<String> ids = IntStream.range(0, 1_000).mapToObj(i -> "c" + i).toList();
    SupervisionDriver driver = driver(16).add(ids.toArray(String[]::new));
    for (int done = 0; done < ids.size(); done++) {
      assertThat(ids.stream().filter(id -> driver.epoch(id) == 1).toList())
          .isEqualTo(ids.subList(0, Math.min(ids.size(), 16 + done)));
      if (done % 2 == 0) {
        driver.started(ids.get(done));
      } else {
        driver.failsForGood(ids.get(done));
      }
    }
    assertThat(driver.said().stream().filter(s -> s.contains("start"))).hasSize(1_000);
  }

  @Test
  void a_failure_frees_the_place_of_the_one_that_failed() {
    SupervisionDriver driver = driver(1).add("a", "b");
    driver.said();
    assertThat(driver.fails("a").said()).containsExactly("a attempt 1 in 100", "b start 1");
    assertThat(driver.passes(100).said()).containsExactly("a start 2");
  }

  private static String[] hanging(int count) {
    return IntStream.range(0, count).mapToObj(i -> "hangs" + i).toArray(String[]::new);
  }

  @Test
  void one_that_hangs_gives_its_place_back_after_a_second_and_its_start_goes_on() {
    SupervisionDriver driver = driver(1).add("a", "b", "c");
    driver.said();
    assertThat(driver.passes(999).said()).isEmpty();
    assertThat(driver.passes(1).said()).containsExactly("b start 1");
    assertThat(driver.passes(1_000).said()).containsExactly("c start 1");
    assertThat(driver.started("a").fails("a").said()).containsExactly("a attempt 1 in 100");
  }

  @Test
  void while_the_processors_are_busy_a_start_keeps_its_place_for_ten_seconds() {
    SupervisionDriver driver = driver(1);
    driver.load = 0.9;
    driver.add("a", "b", "c").said();
    assertThat(driver.passes(9_999).said()).isEmpty();
    assertThat(driver.passes(1).said()).containsExactly("b start 1");
    driver.load = 0.1;
    assertThat(driver.passes(1_000).said()).containsExactly("c start 1");
  }

  @Test
  void a_client_does_not_wait_for_configured_servers_that_hang() {
    SupervisionDriver driver = driver(16).add(hanging(40));
    driver.said();
    assertThat(driver.add(SupervisionDriver.awaited("lease", "s")).said())
        .contains("lease start 1");
  }

  @Test
  void the_first_call_does_not_wait_for_configured_servers_that_hang() {
    SupervisionDriver driver = driver(16).add(hanging(40)).add("queued");
    driver.add(SupervisionDriver.lazy("lazy", SupervisionDriver.POLICY)).said();
    assertThat(driver.startWanted("lazy").said()).containsExactly("lazy start 1");
    assertThat(driver.startWanted("queued").said()).containsExactly("queued start 1");
  }

  @Test
  void clients_of_a_server_that_hangs_leave_places_to_clients_of_others() {
    SupervisionDriver driver = driver(16);
    for (int i = 0; i < 64; i++) {
      driver.add(SupervisionDriver.awaited("lease" + i, "hangs"));
    }
    assertThat(driver.said().stream().filter(said -> said.contains("start"))).hasSize(12);
    driver.add(SupervisionDriver.awaited("other", "s"));
    assertThat(driver.said()).contains("other start 1");
  }

  @Test
  void what_has_failed_to_start_waits_beside_what_may_start() {
    SupervisionDriver driver = driver(2).add("hangs0", "hangs1", "crashes");
    driver.fails("hangs0").fails("hangs1").started("crashes").said();
    assertThat(driver.passes(100).said()).containsExactly("hangs0 start 2", "hangs1 start 2");
    driver.fails("crashes");
    assertThat(driver.passes(100).said()).contains("crashes start 2");
  }

  @Test
  void a_stop_a_crash_or_a_removal_frees_the_place() {
    SupervisionDriver driver = driver(1).add("a", "b", "c", "d");
    driver.said();
    assertThat(driver.stopWanted("a").said()).containsExactly("a stop", "b start 1");
    assertThat(driver.crashes("b").said()).contains("c start 1");
    assertThat(driver.remove("c").said()).containsExactly("d start 1");
  }

  @Test
  void one_that_is_stopped_while_it_waits_is_not_started() {
    SupervisionDriver driver = driver(1).add("a", "b", "c").stopWanted("b");
    driver.said();
    assertThat(driver.started("a").said()).containsExactly("c start 1");
  }
}
