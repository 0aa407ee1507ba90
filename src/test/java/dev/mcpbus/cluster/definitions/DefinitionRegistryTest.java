package dev.mcpbus.cluster.definitions;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.cluster.membership.ClusterMaps;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerSettings;
import dev.mcpbus.hosting.ServerEntryReader;
import dev.mcpbus.testing.InnerCluster;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.core.shareddata.AsyncMap;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One node: it restores lost entries that it has seen, as every node does after a loss. */
class DefinitionRegistryTest {

  private static final ConnectionId ID = new ConnectionId("one");

  private InnerCluster cluster;
  private Vertx vertx;
  private AsyncMap<String, String> map;
  private DefinitionRegistry definitions;
  private ServerEntryReader reader;

  @BeforeEach
  void start() throws Exception {
    cluster = new InnerCluster(1);
    vertx = cluster.join("one").vertx();
    map =
        vertx
            .sharedData()
            .<String, String>getClusterWideMap(ClusterMaps.SERVERS)
            .await(20, SECONDS);
    reader = ServerEntryReader.in(Path.of("."), ConfigEnvironment.system(), ServerSettings.DEFAULT);
    DefinitionChanges changes = new DefinitionChanges(vertx, "one", told -> {});
    definitions =
        new DefinitionRegistry(vertx, reader, changes, changed -> Future.succeededFuture());
    assertThat(definitions.add(definition(), true).await(20, SECONDS)).isTrue();
    assertThat(definitions.all()).containsOnlyKeys(ID);
  }

  @AfterEach
  void end() {
    cluster.close();
  }

  private ServerDefinition definition() {
    return reader.read("one", new JsonObject().put("url", "http://127.0.0.1:1/mcp"));
  }

  @Test
  void what_the_map_lost_with_its_nodes_is_put_back() throws Exception {
    String text = map.remove("one").await(20, SECONDS);

    definitions.readAll().await(20, SECONDS);

    assertThat(map.get("one").await(20, SECONDS)).isEqualTo(text);
    assertThat(definitions.all()).containsOnlyKeys(ID);
    assertThat(definitions.problems()).isEmpty();
  }

  @Test
  void what_was_removed_on_purpose_stays_away_until_it_is_added_again() throws Exception {
    definitions.remove(ID).await(20, SECONDS);
    definitions.readAll().await(20, SECONDS);
    assertThat(definitions.all()).isEmpty();

    assertThat(definitions.add(definition(), false).await(20, SECONDS)).isTrue();
    assertThat(definitions.all()).containsOnlyKeys(ID);
    assertThat(definitions.add(definition(), false).await(20, SECONDS)).isFalse();
  }
}
