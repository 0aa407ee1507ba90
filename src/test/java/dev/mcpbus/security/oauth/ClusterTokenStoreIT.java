package dev.mcpbus.security.oauth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.testing.InnerCluster;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Two nodes that are two members of a cluster. */
class ClusterTokenStoreIT extends OAuthFixture {

  private OAuthClient on(Vertx node) {
    // No variable: each node makes the same key of the cluster's secret.
    store = OwnTokenStore.of(node, Map.of());
    Vertx own = vertx;
    vertx = node;
    try {
      return client();
    } finally {
      vertx = own;
    }
  }

  @Test
  void two_nodes_that_renew_at_once_ask_the_token_endpoint_once() throws Exception {
    try (InnerCluster cluster = new InnerCluster(2)) {
      OAuthClient first = on(cluster.join("one").vertx());
      Vertx other = cluster.join("two").vertx();
      assertThat(challenged(first)).isTrue();
      OAuthClient second = on(other);
      assertThat(get(token(second))).isEqualTo("at-1");
      for (int round = 1; round <= 3; round++) {
        now = now.plusSeconds(3580);
        world.holdTokens = true;
        int before = world.grants("refresh_token").size();
        Future<String> one = token(first);
        Future<String> two = token(second);
        await()
            .atMost(Duration.ofSeconds(60))
            .until(() -> world.grants("refresh_token").size() > before);
        world.release();
        assertThat(get(one)).isEqualTo("at-" + (round + 1));
        assertThat(get(two)).isEqualTo("at-" + (round + 1));
        assertThat(world.grants("refresh_token")).hasSize(round);
      }
      assertThat(prompts).hasSize(1);
    }
  }
}
