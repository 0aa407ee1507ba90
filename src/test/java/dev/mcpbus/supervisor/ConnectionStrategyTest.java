package dev.mcpbus.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a strategy of one's own can decide, and what becomes of a broken one. */
class ConnectionStrategyTest {

  private static final class Told implements ConnectionStrategy {
    private final List<String> heard = new ArrayList<>();
    private boolean awake = true;
    private boolean broken;

    @Override
    public String name() {
      return "told";
    }

    @Override
    public boolean shouldConnect(String server) {
      fail();
      return awake;
    }

    @Override
    public void connectionFailed(String server, int attempt, String why) {
      heard.add(server + " " + attempt);
    }

    @Override
    public RestartPolicy retryPolicy(String server, RestartPolicy configured) {
      fail();
      Duration wait = Duration.ofMillis(700L * heard.size());
      return configured.withBackoff(new Backoff(wait, wait, 1, 0));
    }

    private void fail() {
      if (broken) {
        throw new IllegalStateException("broken");
      }
    }
  }

  private final Told told = new Told();
  private final ChildSpec spec = Desk.spec("a", Desk.POLICY.withStrategy(told));

  @Test
  void it_hears_of_each_failure_and_says_what_holds_until_the_next() {
    Desk desk = new Desk().running(spec).fails("a");
    assertThat(desk.passes(699).said()).doesNotContain("a start 2");
    assertThat(desk.passes(1).said()).contains("a start 2");
    desk.fails("a");
    assertThat(desk.passes(1_399).said()).doesNotContain("a start 3");
    assertThat(desk.passes(1).said()).contains("a start 3");
    assertThat(told.heard).containsExactly("a 1", "a 2");
  }

  @Test
  void a_server_that_it_does_not_want_is_left_and_asked_for_again() {
    told.awake = false;
    Desk desk = new Desk().add(spec).add(Desk.spec("b", Desk.POLICY));
    assertThat(desk.said())
        .anyMatch(what -> what.contains("b start 1"))
        .noneMatch(what -> what.contains("a start"));
    assertThat(desk.passes(30_000).said()).noneMatch(what -> what.contains("a start"));
    told.awake = true;
    assertThat(desk.passes(30_000).said()).anyMatch(what -> what.contains("a start 1"));
    assertThat(told.heard).isEmpty();
  }

  @Test
  void one_that_throws_leaves_the_configured_policy() {
    told.broken = true;
    Desk desk = new Desk().running(spec).fails("a");
    assertThat(desk.passes(100).said()).contains("a start 2");
  }
}
