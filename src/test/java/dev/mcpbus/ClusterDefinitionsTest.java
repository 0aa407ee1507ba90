package dev.mcpbus;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.ClusterCalls;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.cluster.ClusterOptions;
import dev.mcpbus.cluster.HazelcastCluster;
import dev.mcpbus.config.Environment;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerSettings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.core.shareddata.AsyncMap;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One node: what it remembers is put back, as every node does that survives a loss. */
class ClusterDefinitionsTest {

  private static final ConnectionId ID = new ConnectionId("one");

  private Vertx vertx;
  private AsyncMap<String, String> map;
  private ClusterDefinitions definitions;
  private ServerEntryReader reader;

  @BeforeEach
  void start() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    String name = "definitions-" + ProcessHandle.current().pid() + "-" + System.nanoTime();
    ClusterOptions options =
        new ClusterOptions(
            name, null, "127.0.0.1", port, 0, List.of("127.0.0.1:" + port), null, 0, Set.of(), 1);
    vertx = HazelcastCluster.start(new VertxOptions(), options, null).await(60, SECONDS);
    map =
        vertx
            .sharedData()
            .<String, String>getClusterWideMap(ClusterCalls.SERVERS)
            .await(20, SECONDS);
    reader = ServerEntryReader.in(Path.of("."), Environment.system(), ServerSettings.DEFAULT);
    definitions = new ClusterDefinitions(vertx, reader, changed -> Future.succeededFuture());
    assertThat(definitions.add(definition(), true).await(20, SECONDS)).isTrue();
    assertThat(definitions.all()).containsOnlyKeys(ID);
  }

  @AfterEach
  void end() {
    Awaitility.await().atMost(Duration.ofSeconds(30)).until(vertx.close()::isComplete);
  }

  private ServerDefinition definition() {
    return reader.read("one", new JsonObject().put("url", "http://127.0.0.1:1/mcp"));
  }

  @Test
  void what_the_map_lost_with_its_nodes_is_put_back() throws Exception {
    String text = map.remove("one").await(20, SECONDS);

    definitions.read().await(20, SECONDS);

    assertThat(map.get("one").await(20, SECONDS)).isEqualTo(text);
    assertThat(definitions.all()).containsOnlyKeys(ID);
    assertThat(definitions.problems()).isEmpty();
  }

  @Test
  void what_was_removed_on_purpose_stays_away_until_it_is_added_again() throws Exception {
    definitions.remove(ID).await(20, SECONDS);
    definitions.read().await(20, SECONDS);
    assertThat(definitions.all()).isEmpty();

    assertThat(definitions.add(definition(), false).await(20, SECONDS)).isTrue();
    assertThat(definitions.all()).containsOnlyKeys(ID);
    assertThat(definitions.add(definition(), false).await(20, SECONDS)).isFalse();
  }
}
