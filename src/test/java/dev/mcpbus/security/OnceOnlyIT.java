package dev.mcpbus.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.testing.InnerCluster;
import dev.mcpbus.testing.InnerCluster.Node;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Two nodes of one cluster: what one of them has used, the other does not use again. */
class OnceOnlyIT {

  private static final Duration LONG = Duration.ofMinutes(10);

  private static InnerCluster cluster;
  private static Node one;
  private static Node two;

  @BeforeAll
  static void start() {
    cluster = new InnerCluster(3);
    one = cluster.join("one");
    two = cluster.join("two");
  }

  @AfterAll
  static void close() {
    cluster.close();
  }

  private static Future<Boolean> first(Node on, String what, Duration within) {
    return OnceOnly.of(on.vertx()).first("ann", what, within);
  }

  @Test
  void a_second_use_on_another_node_is_none() {
    assertThat(TestBus.await(first(one, "dpop key a", LONG))).isTrue();
    assertThat(TestBus.await(first(two, "dpop key a", LONG))).isFalse();
    assertThat(TestBus.await(first(two, "dpop key b", LONG))).isTrue();
    assertThat(TestBus.await(first(one, "dpop key b", LONG))).isFalse();
  }

  @Test
  void of_two_uses_at_the_same_time_one_is_the_first() {
    for (int i = 0; i < 200; i++) {
      String what = "race " + i;
      Future<Boolean> here = first(one, what, LONG);
      Future<Boolean> there = first(two, what, LONG);
      assertThat(List.of(TestBus.await(here), TestBus.await(there))).containsOnlyOnce(true);
    }
  }

  @Test
  void what_a_node_has_used_stays_used_when_it_is_lost() {
    Node third = cluster.join("three");
    IntStream.range(0, 50).forEach(i -> TestBus.await(first(third, "lost " + i, LONG)));
    cluster.kill(third);
    IntStream.range(0, 50)
        .forEach(i -> assertThat(TestBus.await(first(one, "lost " + i, LONG))).isFalse());
  }

  @Test
  void the_cluster_forgets_what_can_no_longer_be_used() {
    assertThat(TestBus.await(first(one, "short", Duration.ofMillis(900)))).isTrue();
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> TestBus.await(first(two, "short", Duration.ofMillis(1))));
  }
}
