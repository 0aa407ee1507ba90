package dev.mcpbus.cluster.definitions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ClusterMap;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.WireForm;
import dev.mcpbus.cluster.membership.ClockOffsets;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.testing.EchoServer;
import dev.mcpbus.testing.FakeMcpServer;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.InnerCluster;
import dev.mcpbus.testing.InnerCluster.Node;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.shareddata.AsyncMap;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The definitions on each node, and the owner of a server that some nodes cannot read. */
class DefinitionRegistryIT {

  private static final JsonObject CALL =
      new JsonObject()
          .put("name", "echo")
          .put("arguments", new JsonObject().put("call", "c").put("deadline", 1));

  private static JsonObject wantsSecret() {
    return EchoServer.shell().put("env", new JsonObject().put("KEY", "${IT_TEST_SECRET}"));
  }

  private static AsyncMap<String, String> map(Node node, String name) {
    return TestBus.await(node.vertx().sharedData().<String, String>getClusterWideMap(name));
  }

  private static void add(Node node, String name, JsonObject config) {
    node.requestHere(
        Addresses.SERVERS_ADD, new JsonObject().put("name", name).put("config", config));
  }

  private static JsonObject status(Node from, String id) {
    return from.statuses().getOrDefault(id, new JsonObject());
  }

  private static void until(String what, Runnable assertion) {
    Awaitility.await(what).atMost(Duration.ofSeconds(60)).untilAsserted(assertion::run);
  }

  @Test
  void a_node_that_cannot_read_a_server_leaves_it_to_those_that_can() {
    try (InnerCluster cluster = new InnerCluster(2)) {
      Node rich = cluster.start("rich", WireForm.NEWEST, Map.of("IT_TEST_SECRET", "canary"));
      Set<String> all = IntStream.range(0, 8).mapToObj(i -> "s" + i).collect(Collectors.toSet());
      all.forEach(name -> add(rich, name, wantsSecret()));
      Node poor = cluster.start("poor", WireForm.NEWEST, Map.of());
      add(rich, "late", wantsSecret());
      until(
          "all of them on the one node",
          () ->
              List.of(rich, poor)
                  .forEach(
                      from -> {
                        Map<String, JsonObject> seen = from.statuses();
                        assertThat(seen.keySet()).containsAll(all).contains("late");
                        seen.values()
                            .forEach(
                                one -> {
                                  assertThat(one.getString("state")).isEqualTo("READY");
                                  assertThat(one.getString("node")).isEqualTo("rich");
                                });
                      }));
      poor.statuses()
          .values()
          .forEach(
              one ->
                  assertThat(one.getString("problem"))
                      .contains("cannot be read on this node", "IT_TEST_SECRET"));
      assertThat(poor.request("mcp.s1.tools.call", CALL).encode()).contains("\"c ");
      // Examined where its connection is: the other node could not even read the entry.
      assertThat(
              poor.requestHere(Addresses.SERVERS_EXAMINE, new JsonObject().put("id", "s1"))
                  .encode())
          .contains("\"name\":\"ping\",\"result\":\"fine\"")
          .doesNotContain("canary", "\"failed\"");
      assertThat(TestBus.await(map(rich, ClusterMap.REFUSALS.key).size())).isEqualTo(9);
      assertThat(TestBus.await(map(rich, ClusterMap.SERVERS.key).values()).toString())
          .doesNotContain("canary");

      // A node that has left refuses nothing any more, and a readable server is not refused.
      add(rich, "open", EchoServer.shell());
      cluster.end(poor);
      until(
          "no refusals",
          () -> assertThat(TestBus.await(map(rich, ClusterMap.REFUSALS.key).size())).isZero());
    }
  }

  @Test
  void a_server_of_a_program_whose_node_was_taken_for_lost_is_back_with_the_node() {
    try (InnerCluster cluster = new InnerCluster(3)) {
      Node one = cluster.start("one", WireForm.NEWEST, Map.of());
      Node two = cluster.start("two", WireForm.NEWEST, Map.of());
      FakeMcpServer git = FakeMcpServer.create(one.vertx(), "git").tool("status", "clean");
      TestBus.await(Objects.requireNonNull(one.bus()).add("git", git.transport()));
      until("git", () -> assertThat(status(two, "git").getString("state")).isEqualTo("READY"));

      // What the other part of a cluster writes, whose link to the node was cut.
      String removal = SignedEntry.seal(InnerCluster.SECRET, "git", Long.MAX_VALUE / 2, null).raw();
      TestBus.await(map(two, ClusterMap.SERVERS.key).put("git", removal));
      Node three = cluster.start("three", WireForm.NEWEST, Map.of());
      until(
          "git is defined again",
          () -> {
            assertThat(TestBus.await(map(two, ClusterMap.SERVERS.key).get("git")))
                .contains("embedding program");
            List.of(one, two, three)
                .forEach(
                    from -> assertThat(status(from, "git").getString("node")).isEqualTo("one"));
          });
      JsonObject call = TestBus.toolCall("status", new JsonObject());
      assertThat(three.request("mcp.git.tools.call", call).encode()).contains("clean");
    }
  }

  @Test
  void a_file_that_differs_is_a_warning_with_both_places_and_every_node_stays_ready() {
    try (InnerCluster cluster = new InnerCluster(2).rollout(Duration.ZERO)) {
      BridgeOptions bridge = BridgeOptions.DEFAULT.withPort(0);
      JsonObject servers =
          new JsonObject().put("same", EchoServer.shell()).put("other", EchoServer.shell());
      Node first =
          cluster.start(
              cluster.join("first"), "first.json", servers, Map.of(), bridge, AuthOptions.NONE);
      JsonObject differs = servers.copy().put("other", EchoServer.shell("elsewhere"));
      Node second =
          cluster.start(
              cluster.join("second"), "second.json", differs, Map.of(), bridge, AuthOptions.NONE);
      Http.Answer ready = Http.get(second.port(), "/health/ready");
      String differs1 = "second.json on node 'second': server 'other' is defined otherwise";
      String place = "(first.json on node 'first')";
      assertThat(ready.status()).isEqualTo(200);
      assertThat(ready.json().getJsonArray("notes").encode())
          .contains(differs1, place)
          .doesNotContain("'same'");
      assertThat(Http.get(first.port(), "/health/ready").json().containsKey("notes")).isFalse();
      JsonObject list = second.requestHere(Addresses.SERVERS_LIST, new JsonObject());
      assertThat(list.containsKey("problems")).isFalse();
      assertThat(list.getJsonArray("notes").encode()).contains(differs1, place);
      assertThat(status(second, "other").getString("problem")).contains("first.json");

      // Removed for all nodes, while the files still name it.
      first.requestHere(Addresses.SERVERS_REMOVE, new JsonObject().put("id", "same"));
      until(
          "the removal to be a divergence",
          () ->
              assertThat(Http.get(second.port(), "/health/ready").body())
                  .contains(
                      "second.json on node 'second': server 'same' was removed from the cluster"));
      assertThat(Http.get(second.port(), "/health/ready").status()).isEqualTo(200);
    }
  }

  @Test
  void a_refusal_ends_when_the_definition_can_be_read_again() {
    try (InnerCluster cluster = new InnerCluster(2)) {
      Node first = cluster.start("first", WireForm.NEWEST, Map.of());
      Node second = cluster.start("second", WireForm.NEWEST, Map.of());
      AsyncMap<String, String> servers = map(first, ClusterMap.SERVERS.key);
      JsonObject written = form(EchoServer.shell(), "s");
      TestBus.await(servers.put("s", sealed("s", 1, written.copy().put("form", 3))));
      tell(second, 3, "s");
      until(
          "the server to be refused by both",
          () -> {
            assertThat(TestBus.await(map(first, ClusterMap.REFUSALS.key).size())).isEqualTo(2);
            for (Node node : List.of(first, second)) {
              assertThat(status(node, "s").getString("problem"))
                  .contains("written in form 3", "reads form 1", "upgrade this node");
            }
          });
      assertThatThrownBy(() -> first.request("mcp.s.tools.call", CALL))
          .isInstanceOfSatisfying(
              ReplyException.class,
              failure -> assertThat(McpFailure.of(failure).sent()).isEqualTo(McpFailure.Sent.NO));
      TestBus.await(servers.put("s", sealed("s", 2, written)));
      tell(second, 5, "s");
      until(
          "the server on one of them",
          () -> {
            assertThat(TestBus.await(map(first, ClusterMap.REFUSALS.key).size())).isZero();
            for (Node node : List.of(first, second)) {
              assertThat(status(node, "s").getString("state")).isEqualTo("READY");
              assertThat(status(node, "s").getString("problem")).isNull();
            }
          });
    }
  }

  @Test
  void only_what_a_fact_names_is_read_and_a_fact_that_was_missed_shows_in_the_next() {
    try (InnerCluster cluster = new InnerCluster(2)) {
      // First the test's own node: a node that sees a join reads everything.
      Node writer = cluster.join("writer");
      Node node = cluster.start("only", WireForm.NEWEST, Map.of());
      AsyncMap<String, String> servers = map(writer, ClusterMap.SERVERS.key);
      for (String id : List.of("a", "b", "c")) {
        TestBus.await(servers.put(id, sealed(id, 1, form(EchoServer.shell(), id))));
      }
      tell(writer, 1, "a");
      until("the first", () -> assertThat(node.statuses()).containsOnlyKeys("a"));
      tell(writer, 2, "c");
      until("the third", () -> assertThat(node.statuses()).containsOnlyKeys("a", "c"));
      // The message with number 3, about b, is lost.
      tell(writer, 4, "a");
      until("all", () -> assertThat(node.statuses()).containsOnlyKeys("a", "b", "c"));
      TestBus.await(servers.put("b", sealed("b", 2, null)));
      tell(writer, 5, "b");
      until("two", () -> assertThat(node.statuses()).containsOnlyKeys("a", "c"));
      // A message may report a change without ids.
      TestBus.await(servers.put("b", sealed("b", 3, form(EchoServer.shell(), "b"))));
      writer
          .vertx()
          .eventBus()
          .publish(
              Addresses.PLACEMENT,
              new JsonObject().put("type", "definitions").put("node", "brief").put("clock", 1));
      until("three", () -> assertThat(node.statuses()).containsOnlyKeys("a", "b", "c"));
    }
  }

  /** The text that a node writes. */
  private static JsonObject form(JsonObject entry, String id) {
    return new JsonObject()
        .put("form", WireForm.NEWEST)
        .put(
            "origin",
            new JsonObject()
                .put("name", id)
                .put("entry", entry)
                .put("defaults", null)
                .put("seeds", false))
        .put("source", "a test");
  }

  private static String sealed(String id, long revision, @Nullable JsonObject text) {
    return SignedEntry.seal(InnerCluster.SECRET, id, revision, text == null ? null : text.encode())
        .raw();
  }

  private static void tell(Node from, long count, String... ids) {
    from.vertx()
        .eventBus()
        .publish(
            Addresses.PLACEMENT,
            new JsonObject()
                .put("type", "definitions")
                .put("node", "a writer")
                .put("clock", ClockOffsets.clock())
                .put("ids", new JsonArray(List.of(ids)))
                .put("count", count));
  }
}
