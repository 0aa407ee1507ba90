package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.ClusterBed;
import dev.mcpbus.testing.EchoServer;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.Pids;
import dev.mcpbus.testing.ServiceProcess;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import plain.PlainCaller;

/** Three processes of the jar in one cluster. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClusterIT {

  private static final int SERVERS = 12;
  private static final Set<String> ALL = Set.of("n1", "n2", "n3");
  private static final JsonObject CALL = new JsonObject().put("call", "c").put("deadline", 1);

  /** After so long a node that sends nothing counts as lost: a closed connection says it before. */
  private static final Duration SILENT_NODE = Duration.ofSeconds(10);

  @TempDir static Path root;

  /** Three nodes that a test has left as it found them, for one that ends a node. */
  private static @Nullable ClusterBed spare;

  private Path folder = root;

  @BeforeEach
  void folder(TestInfo test) throws IOException {
    folder = Files.createDirectory(root.resolve(test.getTestMethod().orElseThrow().getName()));
  }

  @AfterAll
  static void end() {
    ClusterBed left = spare;
    if (left != null) {
      left.close();
    }
  }

  /**
   * @param met servers are added when the nodes know each other: they stay where they begin
   */
  private ClusterBed three(int most, boolean met) {
    ClusterBed bed = new ClusterBed(folder, most);
    JsonObject servers = ClusterBed.servers(SERVERS);
    try {
      for (String node : ALL.stream().sorted().toList()) {
        bed.start(node, met ? new JsonObject() : servers);
      }
      if (met) {
        bed.met();
        for (String server : servers.fieldNames()) {
          JsonObject entry =
              new JsonObject().put("name", server).put("config", servers.getJsonObject(server));
          assertThat(
                  Http.post(
                          bed.node("n1").port(),
                          "/api/servers",
                          entry.encode(),
                          Http.admin(bed.node("n1").port()))
                      .status())
              .isEqualTo(201);
        }
      }
      bed.settled(bed.node("n1"), SERVERS, ALL);
      return bed;
    } catch (RuntimeException | Error failure) {
      bed.close();
      throw failure;
    }
  }

  private static JsonObject of(Map<String, JsonObject> statuses, String server) {
    return statuses.getOrDefault(server, new JsonObject());
  }

  private static Http.Answer echo(ServiceProcess node, String server) {
    return node.callTool(server, "echo", CALL);
  }

  @Tag("release")
  @Test
  @Order(1)
  void every_node_answers_for_every_server_and_what_is_added_on_one_is_there_on_all() {
    ClusterBed bed = three(4, false);
    try {
      for (String name : ALL) {
        ServiceProcess node = bed.node(name);
        Map<String, JsonObject> seen = bed.settled(node, SERVERS, ALL);
        for (String server : seen.keySet()) {
          Http.Answer answer = echo(node, server);
          assertThat(answer.status()).as(server + " by " + name + answer.body()).isEqualTo(200);
          assertThat(answer.body()).contains("c ");
        }
        String list = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";
        Awaitility.await("all tools by " + name)
            .atMost(Duration.ofSeconds(60))
            .untilAsserted(
                () ->
                    assertThat(
                            Http.post(node.port(), "/rpc", list)
                                .json()
                                .getJsonObject("result")
                                .getJsonArray("tools"))
                        .hasSize(4 * SERVERS));
        assertThat(node.get("/health/ready").status()).isEqualTo(200);
        nodesAreSeenBy(node, name);
      }
      try (ClusterBed.Plain plain = bed.plain(PlainCaller.class)) {
        assertThat(plain.line()).isEqualTo("joined");
        calledByPlainVertx(plain);
        addedAndRemoved(bed, plain);
      }
    } catch (RuntimeException | Error failure) {
      bed.close();
      throw failure;
    }
    spare = bed;
  }

  private static List<JsonObject> nodes(ServiceProcess node) {
    return node.get("/api/nodes").json().getJsonArray("nodes").stream()
        .map(JsonObject.class::cast)
        .toList();
  }

  private static void nodesAreSeenBy(ServiceProcess node, String name) {
    // Who owns how much is known as of the last look, of which there is one every 2 s.
    List<JsonObject> nodes =
        Awaitility.await("what each node owns to be known to " + name)
            .until(
                () -> nodes(node),
                all ->
                    all.size() == ALL.size()
                        && all.stream().allMatch(one -> one.getInteger("connections") > 0));
    assertThat(nodes).extracting(one -> one.getString("name")).containsExactly("n1", "n2", "n3");
    assertThat(nodes)
        .allMatch(one -> one.getString("host").equals("127.0.0.1") && !one.getBoolean("leaving"))
        .filteredOn(one -> one.getBoolean("self"))
        .singleElement()
        .satisfies(self -> assertThat(self.getString("name")).isEqualTo(name));
  }

  /** Vert.x alone, without our classes, is served, and hears failures as Vert.x tells them. */
  private static void calledByPlainVertx(ClusterBed.Plain plain) {
    for (int i = 0; i < SERVERS; i++) {
      assertThat(
              plain.request(
                  "mcp.s" + i + ".tools.call",
                  new JsonObject().put("name", "echo").put("arguments", CALL)))
          .contains("\"text\":\"c ");
    }
    assertThat(
            plain.request(
                "mcp.s1.tools.call",
                new JsonObject().put("name", "nonsense").put("arguments", CALL)))
        .startsWith("failed RECIPIENT_FAILURE 1003");
    assertThat(plain.request("mcp.nobody.tools.call", new JsonObject()))
        .startsWith("failed NO_HANDLERS");
    assertThat(plain.request("mcp.servers.get", new JsonObject().put("id", "nobody")))
        .startsWith("failed RECIPIENT_FAILURE 1002");
  }

  /** By a node; a process that does not know the secret can do neither. */
  private static void addedAndRemoved(ClusterBed bed, ClusterBed.Plain plain) {
    JsonObject entry = new JsonObject().put("name", "late").put("config", EchoServer.shell());
    assertThat(plain.request("mcp.servers.add", entry))
        .startsWith("failed RECIPIENT_FAILURE 1014")
        .contains("the cluster's secret");
    int door = bed.node("n2").port();
    assertThat(Http.post(door, "/api/servers", entry.encode(), Http.admin(door)).status())
        .isEqualTo(201);
    for (String name : ALL) {
      assertThat(echo(bed.node(name), "late").status()).as(name).isEqualTo(200);
    }
    assertThat(Http.post(door, "/api/servers", entry.encode(), Http.admin(door)).body())
        .contains("exists already");
    assertThat(plain.request("mcp.servers.remove", new JsonObject().put("id", "late")))
        .startsWith("failed RECIPIENT_FAILURE");
    assertThat(echo(bed.node("n1"), "late").status()).isEqualTo(200);
    assertThat(Http.delete(door, "/api/servers/late", Http.admin(door)).status()).isEqualTo(200);
    for (String name : ALL) {
      // At once: the answer waits until no node calls the server any more.
      assertThat(echo(bed.node(name), "late").status()).as(name).isEqualTo(404);
    }
  }

  @Tag("release")
  @Test
  void calls_to_a_killed_node_fail_at_once_and_its_servers_are_served_elsewhere() throws Exception {
    try (ClusterBed bed = three(3, true)) {
      Map<String, JsonObject> before = ClusterBed.statuses(bed.node("n1"));
      JsonObject lost =
          before.values().stream()
              .filter(one -> "n2".equals(one.getString("node")))
              .findFirst()
              .orElseThrow();
      String server = lost.getString("id");
      List<CompletableFuture<Http.Answer>> flying = new ArrayList<>();
      for (String node : List.of("n1", "n3")) {
        flying.add(
            Http.posted(
                bed.node(node).port(), "/api/servers/" + server + "/tools/hang", CALL.encode()));
      }
      // Answers come in order: the calls before have reached the server.
      assertThat(echo(bed.node("n1"), server).status()).isEqualTo(200);
      assertThat(echo(bed.node("n3"), server).status()).isEqualTo(200);
      long killed = System.nanoTime();
      bed.node("n2").signal("KILL");
      for (CompletableFuture<Http.Answer> call : flying) {
        JsonObject failure = call.get(60, TimeUnit.SECONDS).json();
        assertThat(failure.getString("code")).as(failure.encode()).isEqualTo("OWNER_LOST");
        assertThat(failure.getString("sent")).isEqualTo("maybe");
      }
      assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(SILENT_NODE);
      Awaitility.await("the lost server elsewhere")
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofMillis(50))
          .until(
              () -> {
                Http.Answer answer = echo(bed.node("n1"), server);
                if (answer.status() != 200) {
                  // Between two owners: never sent, and worth another try.
                  assertThat(answer.json().getString("code")).isEqualTo("UNAVAILABLE");
                  assertThat(answer.json().getString("sent")).isEqualTo("no");
                }
                return answer.status() == 200;
              });
      Map<String, JsonObject> after = bed.settled(bed.node("n3"), SERVERS, Set.of("n1", "n3"));
      after.forEach(
          (id, status) -> {
            JsonObject old = before.getOrDefault(id, new JsonObject());
            if ("n2".equals(old.getString("node"))) {
              assertThat(status.getLong("epoch")).isGreaterThan(old.getLong("epoch"));
              Awaitility.await("the child of a killed node to be gone")
                  .until(() -> !Pids.runs(ServiceProcess.pidOf(old)));
            } else {
              assertThat(status.getString("node")).isEqualTo(old.getString("node"));
              assertThat(ServiceProcess.pidOf(status)).isEqualTo(ServiceProcess.pidOf(old));
            }
          });
    }
  }

  @Test
  @Order(2)
  void a_node_that_gets_a_sigterm_hands_over_and_loses_no_accepted_call() throws Exception {
    ClusterBed left = spare;
    spare = null;
    try (ClusterBed bed = left == null ? three(3, true) : left) {
      ServiceProcess caller = bed.node("n1");
      List<String> leaving =
          ClusterBed.statuses(caller).values().stream()
              .filter(one -> "n2".equals(one.getString("node")))
              .map(one -> one.getString("id"))
              .toList();
      List<CompletableFuture<Http.Answer>> calls = new ArrayList<>();
      for (int round = 0; round < 20; round++) {
        for (String server : leaving) {
          calls.add(
              Http.posted(caller.port(), "/api/servers/" + server + "/tools/slow", CALL.encode()));
        }
        if (round == 10) {
          bed.node("n2").signal("TERM");
        }
      }
      for (CompletableFuture<Http.Answer> call : calls) {
        Http.Answer answer = call.get(60, TimeUnit.SECONDS);
        if (answer.status() != 200) {
          // A node that is new and behind refuses at its door: such a call was not accepted.
          assertThat(answer.json().getString("code"))
              .as(answer.body())
              .isIn("UNAVAILABLE", "OVERLOADED");
          assertThat(answer.json().getString("sent")).isEqualTo("no");
        }
      }
      bed.node("n2").awaitExit(Duration.ofSeconds(15));
      bed.settled(caller, SERVERS, Set.of("n1", "n3"));
      for (String server : leaving) {
        assertThat(echo(caller, server).status()).isEqualTo(200);
      }
    }
  }

  @Tag("release")
  @Test
  void case_92_a_file_that_differs_is_a_warning_and_a_rollout_of_it_empties_no_balancer() {
    try (ClusterBed bed = new ClusterBed(folder, 2)) {
      JsonObject servers = ClusterBed.servers(2);
      ServiceProcess first = bed.start("n1", servers);
      bed.settled(first, 2, Set.of("n1"));
      JsonObject other = servers.copy();
      other.put("s1", EchoServer.shell("other.txt")).put("s2", EchoServer.shell());
      other.getJsonObject("s2").put("labels", new JsonArray().add("gpu"));
      ServiceProcess second =
          bed.start("n2", other, new JsonObject().put("rolloutGrace", "2s")).early();
      second.awaitErr("server 's1' is defined otherwise in the cluster");
      Awaitility.await("the problem of each server")
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () -> {
                Http.Answer ready = second.get("/health/ready");
                assertThat(ready.status()).isEqualTo(200);
                assertThat(ready.body())
                    .contains("notes", "on node 'n2': server 's1' is defined otherwise")
                    .contains("on node 'n1'", "make the files equal");
                Map<String, JsonObject> seen = ClusterBed.statuses(second);
                assertThat(of(seen, "s1").getString("problem")).contains("defined otherwise");
                assertThat(of(seen, "s2").getString("problem")).contains("labels", "gpu");
              });
      assertThat(first.get("/health/ready").body()).doesNotContain("notes");
      assertThat(second.errText().lines().filter(line -> line.contains("defined otherwise")))
          .anyMatch(line -> line.contains(" INFO ") && line.contains("a warning follows"))
          .anyMatch(line -> line.contains(" WARN "));

      // The rollout: one node's file changes, then the other's; every node is ready throughout.
      Map<String, JsonObject> before = ClusterBed.statuses(first);
      Long pid = ServiceProcess.pidOf(of(before, "s0"));
      Long old = ServiceProcess.pidOf(of(before, "s1"));
      JsonObject next = servers.copy().put("s1", EchoServer.shell("next.txt"));
      bed.rewrite("n1", next);
      first.awaitErr("configuration changed: 0 added, 1 changed");
      Map<String, JsonObject> mid =
          bed.until(
              "the changed server to run",
              first,
              all ->
                  "READY".equals(of(all, "s1").getString("state"))
                      && ServiceProcess.pidOf(of(all, "s1")) != old);
      assertThat(second.get("/health/ready").status()).isEqualTo(200);
      Long changed = ServiceProcess.pidOf(of(mid, "s1"));
      bed.rewrite("n2", next);
      second.awaitErr("server 's1' is the same in this node's file and in the cluster again");
      Awaitility.await("the note to go")
          .until(() -> !second.get("/health/ready").body().contains("'s1'"));
      Map<String, JsonObject> after = ClusterBed.statuses(first);
      assertThat(ServiceProcess.pidOf(of(after, "s0"))).isEqualTo(pid);
      assertThat(ServiceProcess.pidOf(of(after, "s1"))).isEqualTo(changed);
    }
  }

  @Tag("release")
  @Test
  void a_node_whose_port_is_in_use_ends_at_once_and_the_others_never_notice_it()
      throws IOException {
    try (ClusterBed bed = new ClusterBed(folder, 3);
        ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      JsonObject servers = ClusterBed.servers(6);
      bed.start("n1", servers);
      bed.start("n2", servers);
      Map<String, JsonObject> before = bed.settled(bed.node("n1"), 6, Set.of("n1", "n2"));
      ServiceProcess third = bed.start("n3", servers, new JsonObject(), taken.getLocalPort());
      assertThat(third.awaitExit(Duration.ofSeconds(10))).isEqualTo(1);
      assertThat(third.errText())
          .contains("127.0.0.1:" + taken.getLocalPort() + " is in use", "--port", "\"bridge\"")
          .doesNotContain("this node is in cluster", "\tat ");
      ClusterBed.statuses(bed.node("n1"))
          .forEach(
              (id, status) ->
                  assertThat(status.getLong("epoch"))
                      .as(id)
                      .isEqualTo(of(before, id).getLong("epoch")));
      assertThat(bed.node("n1").errText()).doesNotContain("n3");
      Awaitility.await("the report of n2, which waits for the states of all servers")
          .atMost(Duration.ofSeconds(60))
          .until(() -> bed.node("n2").outText().contains("Cluster: this node is n2, with n1"));
    }
  }

  @Tag("release")
  @Test
  void a_node_that_is_left_without_a_quorum_says_so_and_serves_again_when_it_has_one() {
    try (ClusterBed bed = new ClusterBed(folder, 3)) {
      JsonObject quorum = new JsonObject().put("quorum", 2);
      ServiceProcess first = bed.start("n1", ClusterBed.servers(2), quorum).early();
      hindered(first, "2 nodes see each other", "sees 1, itself included");
      ServiceProcess second = bed.start("n2", new JsonObject(), quorum);
      bed.met();
      until(first, 200);
      assertThat(echo(first, "s0").status()).isEqualTo(200);
      second.signal("KILL");
      second.awaitExit(Duration.ofSeconds(5));
      hindered(first, "2 nodes see each other", "sees 1, itself included");
      bed.start("n3", new JsonObject(), quorum);
      until(first, 200);
      assertThat(echo(first, "s0").status()).isEqualTo(200);
    }
  }

  private static Http.Answer until(ServiceProcess node, int status) {
    return Awaitility.await("/health/ready to be " + status)
        .atMost(Duration.ofSeconds(60))
        .until(() -> node.get("/health/ready"), ready -> ready.status() == status);
  }

  private static void hindered(ServiceProcess node, String... why) {
    Awaitility.await("the node to say why")
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> {
              Http.Answer ready = node.get("/health/ready");
              assertThat(ready.status()).isEqualTo(503);
              assertThat(ready.body()).contains(why);
              assertThat(of(ClusterBed.statuses(node), "s1").getString("problem")).contains(why);
            });
    assertThat(node.get("/api/nodes").body()).contains(why).contains("\"name\":\"n1\"");
    Awaitility.await("the connection of before to have ended")
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              Http.Answer call = echo(node, "s1");
              assertThat(call.json().getString("code")).isEqualTo("UNAVAILABLE");
              assertThat(call.json().getString("sent")).isEqualTo("no");
              return Stream.concat(Stream.of("no node serves 's1'"), Stream.of(why))
                  .allMatch(call.body()::contains);
            });
  }
}
