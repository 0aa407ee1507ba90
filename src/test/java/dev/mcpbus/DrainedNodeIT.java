package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.testing.EchoServer;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.InnerCluster;
import dev.mcpbus.testing.InnerCluster.Node;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node that is drained hands over what it owns, and runs on without a connection. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class DrainedNodeIT {

  private static final int SERVERS = 6;

  private final InnerCluster cluster = new InnerCluster(3);

  @AfterEach
  void end() {
    cluster.close();
  }

  private Node start(String name) {
    JsonObject servers = new JsonObject();
    for (int i = 0; i < SERVERS; i++) {
      servers.put("s" + i, EchoServer.shell());
    }
    return cluster.start(
        cluster.join(name),
        "servers.json",
        servers,
        Map.of(),
        BridgeOptions.DEFAULT.withPort(0),
        AuthOptions.NONE);
  }

  private static Http.Answer drain(Node at, String node) {
    String token = Objects.requireNonNull(Objects.requireNonNull(at.bus()).adminToken());
    return Http.post(at.port(), "/api/nodes/" + node + "/drain", "", Http.admin(token));
  }

  /** The nodes that own connections, as {@code by} sees them, and all servers are ready. */
  private static Set<String> owners(Node by) {
    Map<String, JsonObject> statuses = by.statuses();
    assertThat(statuses).hasSize(SERVERS);
    assertThat(statuses.values()).allMatch(one -> one.getString("state").equals("READY"));
    return statuses.values().stream()
        .map(one -> one.getString("node"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static JsonObject seen(Node by, String node) {
    return by.requestHere(Addresses.SERVERS_NODES, new JsonObject()).getJsonArray("nodes").stream()
        .map(JsonObject.class::cast)
        .filter(one -> one.getString("name").equals(node))
        .findFirst()
        .orElseThrow();
  }

  private static int leases(Node at) {
    return at.requestHere(Addresses.SERVERS_LEASES, new JsonObject()).getJsonArray("leases").size();
  }

  private static void until(Runnable assertion) {
    Awaitility.await().atMost(Duration.ofSeconds(60)).untilAsserted(assertion::run);
  }

  /** What operators ask at one node covers the private connections of the others. */
  private static void seenFromElsewhere(Node at, String lease) {
    String[] admin =
        Http.admin(Objects.requireNonNull(Objects.requireNonNull(at.bus()).adminToken()));
    String call = new JsonObject().put("call", "p").put("deadline", 1).encode();
    String tool = "/api/servers/" + lease + "/tools/echo";
    assertThat(Http.post(at.port(), tool, call, admin).status()).isEqualTo(200);

    JsonObject calls = Http.get(at.port(), "/api/servers/s0/calls", admin).json();
    assertThat(calls.containsKey("missingNodes")).as(calls.encode()).isFalse();
    assertThat(calls.getJsonArray("recent").stream().map(JsonObject.class::cast))
        .as(calls.encode())
        .anyMatch(
            one ->
                lease.equals(one.getString("lease"))
                    && "echo".equals(one.getString("name"))
                    && "OK".equals(one.getString("outcome")));
    JsonObject activity = Http.get(at.port(), "/api/servers/s0/activity", admin).json();
    assertThat(
            activity.getJsonArray("calls").stream()
                .mapToInt(one -> ((Number) one).intValue())
                .sum())
        .isGreaterThanOrEqualTo(2);

    String log = "/api/servers/s0/rpc-log";
    assertThat(Http.post(at.port(), log, "{\"mode\":\"bus\"}", admin).json().getString("mode"))
        .isEqualTo("bus");
    String status = "/api/servers/" + lease + "/status";
    assertThat(Http.get(at.port(), status, admin).json().getJsonObject("rpcLog").getString("mode"))
        .isEqualTo("bus");
    Http.post(at.port(), log, "{\"mode\":null}", admin);
    assertThat(Http.get(at.port(), status, admin).json().containsKey("rpcLog")).isFalse();
  }

  @Tag("long")
  @Test
  void it_hands_over_what_it_owns_is_not_ready_and_takes_nothing_new() {
    Node one = start("n1");
    assertThat(drain(one, "n1").body()).contains("the only node that may own connections");
    assertThat(Http.get(one.port(), "/health/ready").status()).isEqualTo(200);
    Node two = start("n2");
    until(() -> assertThat(owners(one)).containsExactly("n1", "n2"));
    Http.Answer unknown = drain(one, "n7");
    assertThat(unknown.status()).isEqualTo(400);
    assertThat(unknown.body()).contains("no node 'n7'; there are [n1, n2]");
    assertThat(Http.post(two.port(), "/api/nodes/n1/drain", "").status())
        .as("without the admin right")
        .isEqualTo(403);

    Http.Answer begun = drain(two, "n1");
    assertThat(begun.status()).as(begun.body()).isEqualTo(200);
    assertThat(begun.json().getString("node")).isEqualTo("n1");
    assertThat(begun.json().getInteger("connections")).isBetween(1, SERVERS);
    until(
        () -> {
          assertThat(owners(two)).containsExactly("n2");
          for (Node by : new Node[] {one, two}) {
            assertThat(seen(by, "n1").getBoolean("leaving")).isTrue();
            assertThat(seen(by, "n1").getInteger("connections")).isZero();
            assertThat(seen(by, "n2").getBoolean("leaving")).isFalse();
          }
        });
    assertThat(Http.get(one.port(), "/health/ready").status()).isEqualTo(503);
    assertThat(Http.get(two.port(), "/health/ready").status()).isEqualTo(200);
    assertThat(drain(one, "n1").json().getInteger("connections")).as("once more").isZero();
    assertThat(drain(one, "n2").body()).contains("the only node that may own connections");
    JsonObject call = new JsonObject().put("call", "c").put("deadline", 1);
    Http.Answer called = Http.post(one.port(), "/api/servers/s0/tools/echo", call.encode());
    assertThat(called.status()).as("its door still serves").isEqualTo(200);

    JsonObject leased =
        one.requestHere(
            Addresses.SERVERS_LEASE,
            new JsonObject()
                .put("id", "s0")
                .put("capabilities", new JsonObject())
                .put("input", "test.input")
                .put("events", "test.events")
                .put("ttl", 60_000));
    assertThat(leases(one)).as("a client's own connection, too").isZero();
    assertThat(leases(two)).isOne();
    seenFromElsewhere(one, leased.getString("lease"));

    Node three = start("n3");
    until(
        () -> {
          assertThat(owners(three)).containsExactly("n2", "n3");
          assertThat(seen(three, "n1").getBoolean("leaving")).as("a later node knows").isTrue();
        });
    cluster.end(two);
    until(() -> assertThat(owners(one)).containsExactly("n3"));
  }
}
