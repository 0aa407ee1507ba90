package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.ClusterBed;
import dev.mcpbus.testing.CountingServer;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.ServiceProcess;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server over HTTP with a connection on each of three nodes. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ReplicasIT {

  private static final List<String> NODES = List.of("n1", "n2", "n3");
  private static final String CALL = new JsonObject().put("call", "c").encode();

  @TempDir Path folder;

  /** The session of each replica, by its node, as {@code from} tells it. */
  private static Map<String, String> sessions(Map<String, JsonObject> statuses) {
    Map<String, String> sessions = new HashMap<>();
    JsonObject web = statuses.getOrDefault("web", new JsonObject());
    for (Object one : web.getJsonArray("replicas", new JsonArray())) {
      JsonObject replica = (JsonObject) one;
      if ("READY".equals(replica.getString("state"))) {
        sessions.put(replica.getString("node"), replica.getString("sessionId"));
      }
    }
    return sessions;
  }

  /** As {@link #sessions}; keeps statuses by which fewer than two replicas serve. */
  private static Map<String, String> serving(
      Map<String, JsonObject> statuses, List<Map<String, JsonObject>> tooFew) {
    Map<String, String> sessions = sessions(statuses);
    if (sessions.size() < 2) {
      tooFew.add(statuses);
    }
    return sessions;
  }

  private static Map<String, String> settled(
      ClusterBed bed, ServiceProcess from, Set<String> nodes, Predicate<String> session) {
    bed.until(
        "web on " + nodes,
        from,
        all -> {
          Map<String, String> now = sessions(ClusterBed.allOfStatuses(from));
          return now.keySet().equals(nodes) && now.values().stream().allMatch(session);
        });
    return sessions(ClusterBed.allOfStatuses(from));
  }

  private static CompletableFuture<Http.Answer> call(ServiceProcess node, String tool) {
    return Http.posted(node.port(), "/api/servers/web/tools/" + tool, CALL);
  }

  private static List<Http.Answer> all(List<CompletableFuture<Http.Answer>> calls)
      throws Exception {
    List<Http.Answer> answers = new ArrayList<>();
    for (CompletableFuture<Http.Answer> call : calls) {
      answers.add(call.get(60, TimeUnit.SECONDS));
    }
    return answers;
  }

  /** Calls without a pause through every node until {@code over}; all of them must succeed. */
  private static int steady(ClusterBed bed, IntPredicate over) throws Exception {
    int sent = 0;
    while (!over.test(sent)) {
      List<CompletableFuture<Http.Answer>> calls = new ArrayList<>();
      for (String node : NODES) {
        if (bed.node(node).runs()) {
          calls.add(call(bed.node(node), "slow"));
          calls.add(call(bed.node(node), "echo"));
        }
      }
      for (Http.Answer answer : all(calls)) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
      }
      sent += calls.size();
    }
    return sent;
  }

  @Tag("release")
  @Test
  void replicas_are_spread_share_the_calls_roll_one_by_one_and_outlive_a_node() throws Exception {
    try (CountingServer server = new CountingServer();
        ClusterBed bed = new ClusterBed(folder, 3)) {
      JsonObject servers = new JsonObject().put("web", server.entry().put("replicas", 3));
      NODES.forEach(node -> bed.start(node, servers));
      ServiceProcess n1 = bed.node("n1");
      Map<String, String> first = settled(bed, n1, Set.copyOf(NODES), server::knows);
      toldOnce(bed);
      shared(bed);
      operated(bed.node("n2"));
      messagesShown(bed);
      Map<String, String> second = rolled(bed, first);
      changed(bed, server, servers, second);
      lost(bed, server);
    }
  }

  /** One server, its tools once, on each node. */
  private static void toldOnce(ClusterBed bed) {
    for (String name : NODES) {
      ServiceProcess node = bed.node(name);
      assertThat(ClusterBed.statuses(node)).containsOnlyKeys("web");
      String list = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";
      Awaitility.await("the tools by " + name)
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () ->
                  assertThat(
                          Http.post(node.port(), "/rpc", list)
                              .json()
                              .getJsonObject("result")
                              .getJsonArray("tools"))
                      .hasSize(3));
    }
  }

  /** Calls are those of all replicas; output is that of the replica that the caller names. */
  private static void operated(ServiceProcess node) {
    String web = "/api/servers/web";
    String[] admin = Http.admin(node.port());
    JsonObject calls = Http.get(node.port(), web + "/calls", admin).json();
    assertThat(calls.containsKey("missing")).as(calls.encode()).isFalse();
    assertThat(
            calls.getJsonArray("recent").stream()
                .map(call -> ((JsonObject) call).getInteger("replica"))
                .distinct())
        .containsExactlyInAnyOrder(0, 1, 2);
    JsonObject all = Http.get(node.port(), "/api/calls", admin).json();
    assertThat(all.getJsonArray("recent").getJsonObject(0).getString("server")).isEqualTo("web");
    JsonObject activity = Http.get(node.port(), "/api/activity", admin).json();
    JsonObject counted = activity.getJsonObject("servers").getJsonObject("web");
    assertThat(counted.containsKey("missing")).as(activity.encode()).isFalse();
    assertThat(
            counted.getJsonArray("calls").stream().mapToInt(one -> ((Number) one).intValue()).sum())
        .as("calls at the three replicas, to which they went in turn")
        .isGreaterThanOrEqualTo(30);
    assertThat(Http.get(node.port(), web + "/history", admin).json().getJsonArray("endings"))
        .isNotNull();
    assertThat(Http.get(node.port(), web + "/logs?replica=2", admin).body()).contains("no output");
    assertThat(Http.get(node.port(), web + "/logs?replica=7", admin).status()).isEqualTo(400);
    String cancel = web + "/calls/123456/cancel?replica=1";
    assertThat(Http.post(node.port(), cancel, "", admin).json().getBoolean("cancelled")).isFalse();
  }

  /** The request goes to one replica, and each process logs the messages of its own. */
  private static void messagesShown(ClusterBed bed) {
    ServiceProcess asked = bed.node("n2");
    String[] admin = Http.admin(asked.port());
    String path = "/api/servers/web/rpc-log";
    JsonObject set = Http.post(asked.port(), path, "{\"mode\":\"on\"}", admin).json();
    assertThat(set.getString("mode")).isEqualTo("on");
    for (String name : NODES) {
      Awaitility.await("the messages of the replica of " + name)
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () -> {
                assertThat(call(asked, "echo").get(60, TimeUnit.SECONDS).status()).isEqualTo(200);
                assertThat(bed.node(name).errText() + bed.node(name).outText()).contains("web -> ");
              });
    }
    assertThat(Http.post(asked.port(), path, "{\"mode\":null}", admin).json())
        .isEqualTo(new JsonObject().put("mode", "off"));
  }

  /** Each answer of the server names its session. */
  private static void shared(ClusterBed bed) throws Exception {
    List<CompletableFuture<Http.Answer>> calls = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      calls.add(call(bed.node(NODES.get(i % 2)), "echo"));
    }
    Map<String, Long> bySession =
        all(calls).stream()
            .peek(answer -> assertThat(answer.status()).as(answer.body()).isEqualTo(200))
            .map(answer -> answer.json().getJsonArray("content").getJsonObject(0))
            .collect(Collectors.groupingBy(c -> c.getString("text"), Collectors.counting()));
    assertThat(bySession.values())
        .hasSize(3)
        .allSatisfy(count -> assertThat(count).isBetween(8L, 12L));
  }

  /** The command goes to one node and reaches all, one after the other. */
  private static Map<String, String> rolled(ClusterBed bed, Map<String, String> before)
      throws Exception {
    ServiceProcess asked = bed.node("n2");
    assertThat(
            Http.post(asked.port(), "/api/servers/web/restart", "", Http.admin(asked.port()))
                .status())
        .isLessThan(300);
    Set<String> old = Set.copyOf(before.values());
    List<Map<String, JsonObject>> tooFew = new ArrayList<>();
    long until = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    steady(
        bed,
        sent -> {
          Map<String, String> now = serving(ClusterBed.allOfStatuses(asked), tooFew);
          return System.nanoTime() > until
              || (now.size() == 3 && now.values().stream().noneMatch(old::contains));
        });
    assertThat(tooFew).as("fewer than two replicas that serve").isEmpty();
    return settled(bed, asked, Set.copyOf(NODES), session -> !old.contains(session));
  }

  /** The definition changes on one node; the others take it, one after the other. */
  private static void changed(
      ClusterBed bed, CountingServer server, JsonObject servers, Map<String, String> before)
      throws Exception {
    JsonObject other = servers.copy();
    other.getJsonObject("web").put("timeout", 77_000);
    Set<String> old = Set.copyOf(before.values());
    bed.rewrite("n3", other);
    long until = System.nanoTime() + Duration.ofSeconds(40).toNanos();
    List<Map<String, JsonObject>> tooFew = new ArrayList<>();
    ServiceProcess asked = bed.node("n1");
    steady(
        bed,
        sent -> {
          Map<String, String> now = serving(ClusterBed.allOfStatuses(asked), tooFew);
          return System.nanoTime() > until
              || (now.size() == 3 && now.values().stream().noneMatch(old::contains));
        });
    assertThat(tooFew).as("fewer than two replicas that serve").isEmpty();
    settled(
        bed, asked, Set.copyOf(NODES), session -> !old.contains(session) && server.knows(session));
  }

  /** Only what the lost node had in flight is lost. */
  private static void lost(ClusterBed bed, CountingServer server) throws Exception {
    List<CompletableFuture<Http.Answer>> flying = new ArrayList<>();
    Map<String, String> sessions = sessions(ClusterBed.allOfStatuses(bed.node("n1")));
    Map<String, Integer> had =
        sessions.values().stream().collect(Collectors.toMap(one -> one, server::calls));
    for (int i = 0; i < 6; i++) {
      flying.add(call(bed.node("n1"), "hang"));
    }
    Awaitility.await("two calls on each node")
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                sessions.values().stream()
                    .allMatch(one -> server.calls(one) == had.getOrDefault(one, 0) + 2));
    bed.node("n2").signal("KILL");
    Awaitility.await("the share of the lost node to fail")
        .atMost(Duration.ofSeconds(60))
        .until(() -> flying.stream().filter(CompletableFuture::isDone).count() == 2);
    for (String left : List.of("n1", "n3")) {
      // What a node sends before it knows of the loss is in flight to the lost node.
      bed.until("web not on n2", bed.node(left), all -> !sessions(all).containsKey("n2"));
    }
    int through = steady(bed, sent -> sent >= 40);
    assertThat(through).isGreaterThanOrEqualTo(40);
    server.release();
    List<Http.Answer> answers = all(flying);
    assertThat(answers).filteredOn(answer -> answer.status() == 200).hasSize(4);
    assertThat(answers)
        .filteredOn(answer -> answer.status() != 200)
        .hasSize(2)
        .allSatisfy(
            answer -> {
              assertThat(answer.json().getString("code")).isEqualTo("OWNER_LOST");
              assertThat(answer.json().getString("sent")).isEqualTo("maybe");
            });
    settled(bed, bed.node("n3"), Set.of("n1", "n3"), session -> true);
  }
}
