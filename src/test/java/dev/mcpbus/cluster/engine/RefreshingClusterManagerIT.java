package dev.mcpbus.cluster.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.LifecycleEvent;
import com.hazelcast.core.LifecycleEvent.LifecycleState;
import dev.mcpbus.testing.InnerCluster;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.internal.VertxInternal;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RefreshingClusterManagerIT {

  private static final String ADDRESS = "mcp.elsewhere";

  private InnerCluster cluster;
  private Vertx other;
  private RefreshingClusterManager merged;

  @BeforeEach
  void start() {
    cluster = new InnerCluster(3);
    other = cluster.join("other").vertx();
    merged = manager(cluster.join("merged").vertx());
    TestBus.await(
        other.eventBus().consumer(ADDRESS, message -> message.reply("here")).completion());
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private static RefreshingClusterManager manager(Vertx vertx) {
    return (RefreshingClusterManager) ((VertxInternal) vertx).clusterManager();
  }

  @Test
  void whatAMergedNodeHasCleanedAwayOfAnotherIsPutDownAgain() {
    HazelcastInstance hazelcast = merged.getHazelcastInstance();
    hazelcast.getMultiMap("__vertx.subs").remove(ADDRESS);
    hazelcast.getMap("__vertx.nodeInfo").remove(manager(other).getNodeId());
    assertThat(hazelcast.getMultiMap("__vertx.subs").get(ADDRESS)).isEmpty();

    merged.stateChanged(new LifecycleEvent(LifecycleState.MERGED));

    Vertx asking = cluster.join("asking").vertx();
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .ignoreExceptions()
        .until(() -> ask(asking).equals("here"));
  }

  private static String ask(Vertx asking) {
    return TestBus.await(
        asking
            .eventBus()
            .<String>request(ADDRESS, "?", new DeliveryOptions().setSendTimeout(2_000))
            .map(reply -> reply.body()));
  }
}
