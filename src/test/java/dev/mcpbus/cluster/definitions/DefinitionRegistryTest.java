package dev.mcpbus.cluster.definitions;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.map.IMap;
import dev.mcpbus.bus.ClusterMap;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerSettings;
import dev.mcpbus.hosting.ServerEntryReader;
import dev.mcpbus.hosting.ServerHosting.Addition;
import dev.mcpbus.testing.InnerCluster;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import io.vertx.core.shareddata.AsyncMap;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
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
            .<String, String>getClusterWideMap(ClusterMap.SERVERS.key)
            .await(60, SECONDS);
    reader = ServerEntryReader.in(Path.of("."), ConfigEnvironment.system(), ServerSettings.DEFAULT);
    DefinitionChanges changes = new DefinitionChanges(vertx, "one", told -> {});
    definitions =
        new DefinitionRegistry(
            vertx,
            "one",
            reader,
            new FileDivergences(Duration.ZERO, () -> 0),
            changes,
            changed -> Future.succeededFuture());
    assertThat(definitions.add(definition(), Addition.START).await(60, SECONDS)).isTrue();
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
    String text = map.remove("one").await(60, SECONDS);

    definitions.readAll().await(60, SECONDS);

    assertThat(map.get("one").await(60, SECONDS)).isEqualTo(text);
    assertThat(definitions.all()).containsOnlyKeys(ID);
    assertThat(definitions.problem(ID)).isNull();
  }

  @Test
  void a_file_that_says_what_the_map_has_writes_nothing() throws Exception {
    String text = map.get("one").await(60, SECONDS);

    definitions.replace(definition()).await(60, SECONDS);
    assertThat(map.get("one").await(60, SECONDS)).isEqualTo(text);

    JsonObject other = new JsonObject().put("url", "http://127.0.0.1:2/mcp");
    definitions.replace(reader.read("one", other)).await(60, SECONDS);
    assertThat(map.get("one").await(60, SECONDS)).isNotEqualTo(text).contains("127.0.0.1:2");
  }

  @Test
  void who_reads_that_a_server_is_gone_finds_its_removal() throws Exception {
    String there = map.get("one").await(60, SECONDS);
    IMap<String, String> removals =
        ((HazelcastClusterManager) ((VertxInternal) vertx).clusterManager())
            .getHazelcastInstance()
            .getMap(ClusterMap.REMOVALS.key);
    removals.lock("one"); // it cannot be written
    Future<Void> removing = definitions.remove(ID, false);
    for (int reads = 0; reads < 100; reads++) {
      assertThat(map.get("one").await(60, SECONDS)).isEqualTo(there);
    }
    removals.unlock("one");

    removing.await(60, SECONDS);
    assertThat(map.get("one").await(60, SECONDS)).isNotEqualTo(there);
    assertThat(removals.containsKey("one")).isTrue();
  }

  @Test
  void what_was_removed_on_purpose_stays_away_until_it_is_added_again() throws Exception {
    definitions.remove(ID, false).await(60, SECONDS);
    definitions.readAll().await(60, SECONDS);
    assertThat(definitions.all()).isEmpty();

    // A file that still has the entry does not bring it back, one with another entry does.
    assertThat(definitions.add(definition(), Addition.START).await(20, SECONDS)).isFalse();
    assertThat(definitions.all()).isEmpty();
    JsonObject other = new JsonObject().put("url", "http://127.0.0.1:2/mcp");
    assertThat(definitions.add(reader.read("one", other), Addition.START).await(60, SECONDS))
        .isTrue();
    definitions.remove(ID, false).await(60, SECONDS);

    assertThat(definitions.add(definition(), Addition.CALLER).await(60, SECONDS)).isTrue();
    assertThat(definitions.all()).containsOnlyKeys(ID);
    assertThat(definitions.add(definition(), Addition.CALLER).await(20, SECONDS)).isFalse();
  }

  @Test
  void a_file_adds_what_the_cluster_lacks_and_what_no_caller_has_removed() throws Exception {
    List<ServerDefinition> file = new ArrayList<>(List.of(definition()));
    for (int i = 0; i < 200; i++) {
      file.add(
          reader.read(
              "s" + i, new JsonObject().put("url", "http://127.0.0.1:" + (i + 1) + "/mcp")));
    }
    ConnectionId removed = file.get(7).id();
    definitions.add(file.get(7), Addition.CALLER).await(60, SECONDS);
    definitions.remove(removed, false).await(60, SECONDS);

    List<ConnectionId> added = definitions.seed(file).await(60, SECONDS);

    assertThat(added).hasSize(199).doesNotHaveDuplicates().doesNotContain(ID, removed);
    assertThat(definitions.all()).hasSize(200).doesNotContainKey(removed);
    assertThat(definitions.all().keySet()).allMatch(id -> definitions.problem(id) == null);
    assertThat(map.size().await(60, SECONDS)).isEqualTo(201); // with the note of the removal
    assertThat(definitions.seed(file).await(60, SECONDS)).as("the same file again").isEmpty();

    List<ServerDefinition> differs =
        List.of(reader.read("s3", new JsonObject().put("url", "http://127.0.0.1:9/mcp")));
    assertThat(definitions.seed(differs).await(60, SECONDS)).isEmpty();
    assertThat(definitions.problem(new ConnectionId("s3"))).contains("is defined otherwise");
  }

  @Test
  void a_file_that_differs_is_told_in_what_and_what_to_do() throws Exception {
    JsonObject other = new JsonObject().put("url", "http://127.0.0.1:2/mcp");
    definitions.seed(List.of(reader.read("one", other))).await(60, SECONDS);
    assertThat(definitions.problem(ID))
        .contains("server 'one' is defined otherwise in the cluster", "they differ in [url]")
        .endsWith(
            "make the files equal, and where they are, change the entry in one of them while its"
                + " node runs");
    definitions.seed(List.of(definition())).await(60, SECONDS);
    assertThat(definitions.problem(ID)).isNull();
  }

  @Test
  void a_definition_of_a_caller_is_no_reason_to_change_other_files() throws Exception {
    ConnectionId id = new ConnectionId("two");
    JsonObject added = new JsonObject().put("url", "http://127.0.0.1:2/mcp");
    definitions.add(reader.read("two", added), Addition.CALLER).await(60, SECONDS);
    JsonObject file = new JsonObject().put("url", "http://127.0.0.1:3/mcp");
    definitions.seed(List.of(reader.read("two", file))).await(60, SECONDS);
    assertThat(definitions.problem(id))
        .contains("a caller added the cluster's: rename the one in the file")
        .doesNotContain("make the files equal");
  }

  @Test
  void what_this_node_cannot_read_is_not_said_to_differ() throws Exception {
    String later = new JsonObject().put("form", 9).put("version", "9.0").encode();
    new DefinitionMap(vertx, InstantSource.system(), id -> {}).put(ID, later).await(60, SECONDS);
    definitions.readAll().await(60, SECONDS);
    assertThat(definitions.all()).doesNotContainKey(ID);
    assertThat(definitions.problem(ID))
        .contains("is not compared with the cluster's definition, which counts: ")
        .contains("it is written in form 9", "upgrade this node")
        .doesNotContain("make the files equal", "null");
  }
}
