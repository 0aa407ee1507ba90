package dev.mcpbus.cluster.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.LifecycleEvent;
import com.hazelcast.core.LifecycleEvent.LifecycleState;
import dev.mcpbus.bus.WireForm;
import dev.mcpbus.testing.InnerCluster;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import io.vertx.core.spi.cluster.NodeInfo;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RefreshingClusterManagerIT {

  private static final String ADDRESS = "mcp.elsewhere";

  private InnerCluster cluster;
  private Vertx other;
  private Vertx mergedVertx;
  private RefreshingClusterManager merged;

  @BeforeEach
  void start() {
    cluster = new InnerCluster(3);
    other = cluster.join("other").vertx();
    mergedVertx = cluster.join("merged").vertx();
    merged = manager(mergedVertx);
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
        .atMost(Duration.ofSeconds(60))
        .ignoreExceptions()
        .until(() -> ask(asking).equals("here"));
  }

  @Test
  void a_node_that_is_missing_in_the_table_is_found_where_it_was() {
    String id = manager(mergedVertx).getNodeId();
    TestBus.await(new VertxClusterMembers(mergedVertx, WireForm.METADATA).open());
    assertThat(info(other, id)).isNotNull();
    merged.getHazelcastInstance().getMap("__vertx.nodeInfo").remove(id);
    assertThat(info(other, id)).as("a reply to it must find it").isNotNull();
    assertThat(info(mergedVertx, id)).as("it writes its own again").isNull();
  }

  private static @Nullable NodeInfo info(Vertx of, String node) {
    Promise<NodeInfo> info = Promise.promise();
    manager(of).getNodeInfo(node, info);
    return TestBus.await(info.future().otherwise((NodeInfo) null));
  }

  @Test
  void a_process_of_plain_vertx_finds_each_address_of_a_connection_while_it_is_a_member() {
    String served = "mcp.s1.ping";
    TestBus.await(other.eventBus().consumer(served, message -> message.reply("pong")).completion());
    HazelcastInstance hazelcast = merged.getHazelcastInstance();
    assertThat(hazelcast.getMultiMap("__vertx.subs").keySet())
        .contains("mcp.s1")
        .doesNotContain(served);
    assertThat(ask(mergedVertx, served)).isEqualTo("pong");

    Vertx plain = cluster.intruder(new JsonObject()).vertx();
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .ignoreExceptions()
        .until(() -> ask(plain, served).equals("pong"));
    TestBus.await(plain.close());
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> !hazelcast.getMultiMap("__vertx.subs").keySet().contains(served));
    assertThat(hazelcast.getMultiMap("__vertx.subs").keySet()).contains("mcp.s1");
  }

  private static String ask(Vertx asking) {
    return ask(asking, ADDRESS);
  }

  private static String ask(Vertx asking, String address) {
    return TestBus.await(
        asking
            .eventBus()
            .<String>request(address, "?", new DeliveryOptions().setSendTimeout(2_000))
            .map(reply -> reply.body()));
  }
}
