package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.config.ClusterOptions;
import dev.mcpbus.config.ConfigDiff;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerSettings;
import dev.mcpbus.hosting.ServerEntryReader;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.testing.EchoServer;
import dev.mcpbus.testing.FakeMcpServer;
import dev.mcpbus.testing.InnerCluster;
import dev.mcpbus.testing.InnerCluster.Node;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * mcpbus in a cluster that a program has made itself, and in every cluster servers over transports
 * of the program.
 */
class OwnClusterIT {

  private static final JsonObject GIT = new JsonObject().put("id", "git");

  private static void until(String what, Runnable assertion) {
    Awaitility.await(what).atMost(Duration.ofSeconds(60)).untilAsserted(assertion::run);
  }

  /** Makes a foreign Vert.x a node, and puts mcpbus on it. */
  private static Node joined(InnerCluster cluster, String name) {
    Node on = cluster.foreign();
    ClusterOptions options =
        RecordCopy.with(
            ClusterOptions.DEFAULT, Map.of("secret", InnerCluster.SECRET, "node", name));
    assertThat(TestBus.await(ClusterParts.join(on.vertx(), options))).isSameAs(on.vertx());
    return started(cluster, on);
  }

  private static Node started(InnerCluster cluster, Node on) {
    return cluster.start(on, "nowhere", new JsonObject(), Map.of(), null, AuthOptions.NONE);
  }

  private static Node node(InnerCluster cluster, String name, boolean foreign) {
    return foreign ? joined(cluster, name) : started(cluster, cluster.join(name));
  }

  private static String failure(Future<?> of) {
    try {
      TestBus.await(of);
      return "none";
    } catch (RuntimeException e) {
      return McpFailure.of(e).code() + " " + McpFailure.of(e).getMessage();
    }
  }

  private static Future<JsonObject> ask(Node from, String address, JsonObject body) {
    return RequestSender.of(from.vertx())
        .<JsonObject>request(null, address, body, new DeliveryOptions())
        .map(Message::body);
  }

  private static Future<JsonObject> call(Node from) {
    return RequestSender.of(from.vertx())
        .<JsonObject>request(
            new ConnectionId("git"),
            "mcp.git.tools.call",
            TestBus.toolCall("status", new JsonObject()),
            new DeliveryOptions())
        .map(Message::body);
  }

  @Test
  void a_late_question_after_a_removal_leaves_the_new_server_of_a_program() {
    try (InnerCluster cluster = new InnerCluster(2)) {
      Node one = node(cluster, "one", false);
      Node two = node(cluster, "two", false);
      List<Node> all = List.of(one, two);
      TestBus.await(add(one, "git"));
      until("git on both nodes", () -> assertEverywhere(all, "one"));
      String at = ((VertxInternal) one.vertx()).clusterManager().getNodeId();

      // As node two asks when it has removed a server of its file.
      JsonObject question = GIT.copy().put("program", false);
      TestBus.await(ask(two, Addresses.at(Addresses.SERVERS_REMOVE, at), question));

      assertEverywhere(all, "one");
    }
  }

  // ---- a cluster of the program's own

  @Test
  void a_vertx_that_is_no_node_is_told_what_it_lacks() {
    ClusterSecret other = ClusterSecret.of("another secret, which is as long as it must be");
    try (InnerCluster cluster = new InnerCluster(3)) {
      Node bare = cluster.foreign();
      assertThatThrownBy(() -> started(cluster, bare))
          .hasMessageContainingAll("no cluster secret", "McpBus.clustered(vertx");
      InnerCluster.SECRET.register(bare.vertx());
      assertThatThrownBy(() -> started(cluster, bare))
          .hasMessageContainingAll("does not say that it is a node", "McpBus.clustered(vertx");
      assertThatThrownBy(() -> TestBus.await(McpBus.clustered(bare.vertx(), other)))
          .hasMessageContaining("another cluster secret already");
      assertThatThrownBy(() -> TestBus.await(McpBus.clustered(bare.vertx(), McpBus.Options.of())))
          .hasMessageContaining("openssl rand -base64 32");

      joined(cluster, "one");
      Node two = cluster.foreign();
      assertThatThrownBy(() -> TestBus.await(McpBus.clustered(two.vertx(), other)))
          .hasMessageContaining("has another cluster secret; give all nodes");
    }
    Vertx alone = Vertx.vertx();
    assertThatThrownBy(() -> TestBus.await(McpBus.clustered(alone, other)))
        .hasMessageContainingAll("not clustered", "withClusterManager");
    TestBus.await(alone.close());
  }

  @Test
  void nodes_of_a_programs_own_cluster_share_servers_and_take_over() {
    try (InnerCluster cluster = new InnerCluster(3)) {
      List<Node> nodes = new ArrayList<>();
      for (String name : List.of("one", "two", "three")) {
        nodes.add(joined(cluster, name));
      }
      Set<String> names = Set.of("a", "b", "c", "d", "e", "f");
      names.forEach(
          name ->
              nodes
                  .get(0)
                  .requestHere(
                      Addresses.SERVERS_ADD,
                      new JsonObject().put("name", name).put("config", EchoServer.shell())));
      until("all on all nodes", () -> nodes.forEach(from -> assertServed(from, names, 3)));

      cluster.end(nodes.remove(0));
      until("all on the other nodes", () -> nodes.forEach(from -> assertServed(from, names, 2)));
      cluster.lose(nodes.remove(0));
      until("all on the last node", () -> nodes.forEach(from -> assertServed(from, names, 1)));
    }
  }

  private static void assertServed(Node from, Set<String> names, int nodes) {
    Map<String, JsonObject> seen = from.statuses();
    assertThat(seen.keySet()).isEqualTo(names);
    assertThat(seen.values())
        .allSatisfy(one -> assertThat(one.getString("state")).isEqualTo("READY"))
        .allSatisfy(one -> assertThat(one.getString("problem")).isNull());
    assertThat(seen.values().stream().map(one -> one.getString("node")).distinct().count())
        .isBetween(1L, (long) nodes);
    assertThat(from.requestHere(Addresses.SERVERS_NODES, new JsonObject()).getJsonArray("nodes"))
        .hasSize(nodes);
    for (String name : names) {
      JsonObject call = TestBus.toolCall("echo", new JsonObject().put("call", name));
      assertThat(
              TestBus.await(
                      RequestSender.of(from.vertx())
                          .<JsonObject>request(
                              new ConnectionId(name),
                              "mcp." + name + ".tools.call",
                              call,
                              new DeliveryOptions()))
                  .body()
                  .encode())
          .contains(name + " ");
    }
  }

  // ---- servers over a transport of the program

  private static void assertEverywhere(List<Node> nodes, String owner) {
    for (Node from : nodes) {
      for (int i = 0; i < 2 * nodes.size(); i++) { // any node answers, in turn
        assertThat(ids(from.request(Addresses.SERVERS_LIST, new JsonObject()))).contains("git");
        JsonObject status = from.request(Addresses.SERVERS_GET, GIT);
        assertThat(status.getString("state")).isEqualTo("READY");
        assertThat(status.getString("node")).isEqualTo(owner);
        assertThat(status.getString("problem")).isNull();
        assertThat(status.getString("source"))
            .isEqualTo("the embedding program on node '" + owner + "'");
        assertThat(status.getJsonObject("config").getString("type")).isEqualTo("memory");
      }
      JsonObject mine = from.statuses().getOrDefault("git", new JsonObject());
      assertThat(mine.getString("state")).isEqualTo("READY");
      assertThat(mine.getString("node")).isEqualTo(owner);
      assertThat(from.request("mcp.git.tools.list", new JsonObject()).encode())
          .contains("\"status\"");
      assertThat(tools(from)).anyMatch(name -> name.contains("git"));
      assertThat(TestBus.await(call(from)).encode()).contains("clean");
      TestBus.await(Objects.requireNonNull(from.bus()).awaitReady(Duration.ofSeconds(20), "git"));
    }
  }

  private static Set<String> ids(JsonObject list) {
    Set<String> ids = new HashSet<>();
    list.getJsonArray("servers").forEach(one -> ids.add(((JsonObject) one).getString("id")));
    return ids;
  }

  private static Set<String> tools(Node from) {
    JsonArray tools =
        from.requestHere(Addresses.ALL_TOOLS_LIST, new JsonObject()).getJsonArray("tools");
    Set<String> names = new HashSet<>();
    tools.forEach(one -> names.add(((JsonObject) one).getString("name")));
    return names;
  }

  private static void assertNowhere(List<Node> nodes) {
    for (Node from : nodes) {
      assertThat(from.statuses()).doesNotContainKey("git");
      assertThat(tools(from)).isEmpty();
      for (int i = 0; i < 2 * nodes.size(); i++) {
        assertThat(failure(ask(from, Addresses.SERVERS_GET, GIT))).startsWith("UNKNOWN_CONNECTION");
      }
      assertThat(failure(call(from))).startsWith("UNKNOWN_CONNECTION");
    }
  }

  private static Future<?> add(Node at, String id) {
    FakeMcpServer git = FakeMcpServer.create(at.vertx(), "git").tool("status", "clean");
    return Objects.requireNonNull(at.bus()).add(id, git.transport());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void a_server_of_a_program_exists_once_is_found_by_all_nodes_and_goes_with_its_node(
      boolean foreign) {
    try (InnerCluster cluster = new InnerCluster(4)) {
      Node one = node(cluster, "one", foreign);
      Node two = node(cluster, "two", foreign);
      Node three = node(cluster, "three", foreign);
      List<Node> all = List.of(one, two, three);

      TestBus.await(add(one, "git"));
      until("git on all nodes", () -> assertEverywhere(all, "one"));

      for (Node at : all) {
        assertThat(failure(add(at, "GIT")))
            .startsWith("BAD_REQUEST")
            .contains("'git' exists already", "on node 'one'");
        JsonObject entry = new JsonObject().put("name", "Git").put("config", EchoServer.shell());
        assertThat(
                failure(
                    at.vertx()
                        .eventBus()
                        .request(
                            Addresses.SERVERS_ADD,
                            entry,
                            new DeliveryOptions().setLocalOnly(true))))
            .contains("'git' exists already", "on node 'one'");
      }
      ServerDefinition ofFile =
          ServerEntryReader.in(Path.of("."), ConfigEnvironment.system(), ServerSettings.DEFAULT)
              .read("git", EchoServer.shell());
      for (boolean gone : List.of(false, true)) { // a file that names the id changes nothing
        List<ServerDefinition> none = List.of();
        List<ServerDefinition> changed = List.of(ofFile);
        TestBus.await(
            Reload.of(
                Objects.requireNonNull(three.bus()),
                new ConfigDiff(
                    none,
                    gone ? none : changed,
                    gone ? changed : none,
                    List.of(),
                    null,
                    List.of())));
        if (!gone) {
          assertThat(String.valueOf(three.statuses().get("git")))
              .contains("is defined otherwise in the cluster", "on node 'one'");
          assertThat(TestBus.await(call(three)).encode()).contains("clean");
        }
      }
      assertEverywhere(all, "one");
      two.request("mcp.git.restart", new JsonObject());
      until("git after its restart", () -> assertEverywhere(all, "one"));

      three.requestHere(Addresses.SERVERS_REMOVE, GIT);
      until("git is removed", () -> assertNowhere(all));

      Promise<JsonObject> never = Promise.promise();
      Promise<Void> called = Promise.promise();
      FakeMcpServer slow =
          FakeMcpServer.create(two.vertx(), "git")
              .tool(
                  "status",
                  new JsonObject().put("type", "object"),
                  arguments -> {
                    called.tryComplete();
                    return never.future();
                  });
      TestBus.await(Objects.requireNonNull(two.bus()).add("git", slow.transport()));
      Future<JsonObject> inFlight = call(one);
      TestBus.await(called.future());
      cluster.kill(two);
      assertThat(failure(inFlight)).startsWith("OWNER_LOST");
      assertThat(failure(call(one))).startsWith("UNKNOWN_CONNECTION");
      List<Node> rest = List.of(one, three);
      until("git is gone with its node", () -> assertNowhere(rest));

      Node again = node(cluster, "two", foreign);
      TestBus.await(add(again, "git"));
      List<Node> now = List.of(one, three, again);
      until("git on all nodes again", () -> assertEverywhere(now, "two"));
      cluster.end(again);
      until("git has gone with its bus", () -> assertNowhere(rest));
    }
  }
}
