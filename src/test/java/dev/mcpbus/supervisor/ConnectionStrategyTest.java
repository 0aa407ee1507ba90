package dev.mcpbus.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a strategy of one's own can decide, and what becomes of a broken one. */
class ConnectionStrategyTest {

  private static final class RecordingStrategy implements ConnectionStrategy {
    private final List<String> failures = new ArrayList<>();
    private boolean awake = true;
    private boolean broken;

    @Override
    public String name() {
      return "strategy";
    }

    @Override
    public boolean shouldConnect(String server) {
      fail();
      return awake;
    }

    @Override
    public void connectionFailed(String server, int attempt, String why) {
      failures.add(server + " " + attempt);
    }

    @Override
    public RestartPolicy retryPolicy(String server, RestartPolicy configured) {
      fail();
      Duration wait = Duration.ofMillis(700L * failures.size());
      return configured.withBackoff(new Backoff(wait, wait, 1, 0));
    }

    private void fail() {
      if (broken) {
        throw new IllegalStateException("broken");
      }
    }
  }

  private final RecordingStrategy strategy = new RecordingStrategy();
  private final ChildSpec spec =
      SupervisionDriver.spec("a", SupervisionDriver.POLICY.withStrategy(strategy));

  @Test
  void it_receives_each_failure_and_returns_the_policy_until_the_next() {
    SupervisionDriver driver = new SupervisionDriver().running(spec).fails("a");
    assertThat(driver.passes(699).said()).doesNotContain("a start 2");
    assertThat(driver.passes(1).said()).contains("a start 2");
    driver.fails("a");
    assertThat(driver.passes(1_399).said()).doesNotContain("a start 3");
    assertThat(driver.passes(1).said()).contains("a start 3");
    assertThat(strategy.failures).containsExactly("a 1", "a 2");
  }

  @Test
  void a_refused_server_stays_down_until_the_strategy_accepts_it() {
    strategy.awake = false;
    SupervisionDriver driver =
        new SupervisionDriver()
            .add(spec)
            .add(SupervisionDriver.spec("b", SupervisionDriver.POLICY));
    assertThat(driver.said())
        .anyMatch(what -> what.contains("b start 1"))
        .noneMatch(what -> what.contains("a start"));
    assertThat(driver.passes(30_000).said()).noneMatch(what -> what.contains("a start"));
    strategy.awake = true;
    assertThat(driver.passes(30_000).said()).anyMatch(what -> what.contains("a start 1"));
    assertThat(strategy.failures).isEmpty();
  }

  @Test
  void a_refused_server_is_asked_for_again_when_a_caller_needs_it() {
    strategy.awake = false;
    SupervisionDriver driver = new SupervisionDriver().add(spec);
    driver.startWanted("a");
    assertThat(driver.said()).noneMatch(what -> what.contains("a start"));
    strategy.awake = true;
    assertThat(driver.startWanted("a").said()).anyMatch(what -> what.contains("a start 1"));
  }

  @Test
  void one_that_throws_leaves_the_configured_policy() {
    strategy.broken = true;
    SupervisionDriver driver = new SupervisionDriver().running(spec).fails("a");
    assertThat(driver.passes(100).said()).contains("a start 2");
  }
}
