package dev.mcpbus.cluster.definitions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.McpBusVersion;
import dev.mcpbus.bus.WireForm;
import dev.mcpbus.cluster.membership.ClusterMaps;
import dev.mcpbus.testing.ClusterBed;
import dev.mcpbus.testing.EchoServer;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.InnerCluster;
import dev.mcpbus.testing.InnerCluster.Node;
import dev.mcpbus.testing.ServiceProcess;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.MessageCodec;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import io.vertx.core.spi.cluster.ClusterManager;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Case 93: nodes of this version beside those of the version before. */
class MixedVersionsIT {

  private static final int SERVERS = 6;

  @TempDir Path folder;

  /** A failure as the version before reads it: four bytes of length, then JSON. */
  private static final class OldFailure extends ReplyException {
    private static final long serialVersionUID = 1;
    private final String json;

    OldFailure(String json) {
      super(ReplyFailure.RECIPIENT_FAILURE, 1, json);
      this.json = json;
    }
  }

  private static final class OldCodec implements MessageCodec<OldFailure, OldFailure> {

    @Override
    public void encodeToWire(Buffer buffer, OldFailure failure) {
      byte[] json = failure.json.getBytes(StandardCharsets.UTF_8);
      buffer.appendInt(json.length).appendBytes(json);
    }

    @Override
    public OldFailure decodeFromWire(int at, Buffer buffer) {
      return new OldFailure(buffer.getString(at + 4, at + 4 + buffer.getInt(at)));
    }

    @Override
    public OldFailure transform(OldFailure failure) {
      return failure;
    }

    @Override
    public String name() {
      return "mcpbus.failure";
    }

    @Override
    public byte systemCodecID() {
      return -1;
    }
  }

  private static Map<String, String> entries(Node node, String map) {
    return TestBus.await(
        node.vertx()
            .sharedData()
            .<String, String>getClusterWideMap(map)
            .compose(all -> all.entries()));
  }

  private static void put(Node node, String id, JsonObject definition) {
    TestBus.await(
        node.vertx()
            .sharedData()
            .<String, String>getClusterWideMap(ClusterMaps.SERVERS)
            .compose(all -> all.put(id, sealed(id, definition))));
  }

  /** As a node of any version writes it. */
  private static String sealed(String id, JsonObject definition) {
    return SignedEntry.seal(InnerCluster.SECRET, id, 1, definition.encode()).raw();
  }

  private static JsonObject definition(Node node, String id) {
    String raw = entries(node, ClusterMaps.SERVERS).get(id);
    SignedEntry entry = SignedEntry.open(InnerCluster.SECRET, id, String.valueOf(raw));
    return new JsonObject(String.valueOf(Objects.requireNonNull(entry).text()));
  }

  private static void add(Node node, String name) {
    node.requestHere(
        Addresses.SERVERS_ADD,
        new JsonObject().put("name", name).put("config", EchoServer.shell()));
  }

  @Test
  void a_peer_of_the_version_before_understands_all_that_it_hears_and_is_understood() {
    try (InnerCluster cluster = new InnerCluster(2)) {
      Node peer =
          cluster.stranger(
              new JsonObject().put("weight", 0.001).put("labels", List.of()).put("name", "old"));
      peer.vertx().eventBus().registerCodec(new OldCodec());
      List<JsonObject> facts = new CopyOnWriteArrayList<>();
      peer.vertx()
          .eventBus()
          .<JsonObject>consumer(Addresses.PLACEMENT, fact -> facts.add(fact.body()));
      Node node = cluster.start("new", WireForm.NEWEST, Map.of());

      // What it wrote, and the fact that it tells.
      JsonObject origin =
          new JsonObject()
              .put("name", "s")
              .put("entry", EchoServer.shell())
              .put("defaults", null)
              .put("seeds", false);
      put(peer, "s", new JsonObject().put("origin", origin).put("source", "an old file"));
      peer.vertx()
          .eventBus()
          .publish(
              Addresses.PLACEMENT,
              new JsonObject().put("type", "definitions").put("node", "p").put("clock", 1L));
      Awaitility.await("what the peer defined")
          .atMost(Duration.ofSeconds(20))
          .untilAsserted(
              () ->
                  assertThat(node.statuses().getOrDefault("s", new JsonObject()).getString("state"))
                      .isEqualTo("READY"));

      // What it reads: facts, definitions, claims.
      add(node, "t");
      assertThat(facts)
          .filteredOn(fact -> "definitions".equals(fact.getString("type")))
          .isNotEmpty()
          .allSatisfy(fact -> assertThat(fact.fieldNames()).containsOnly("type", "node", "clock"));
      assertThat(definition(peer, "t").fieldNames()).containsOnly("origin", "source");
      assertThat(entries(peer, ClusterMaps.OWNERS).values())
          .hasSize(2)
          .allMatch(claim -> claim.matches("[0-9]+ [0-9a-f-]{36}"));

      // And a failure, byte by byte.
      assertThat(failure(peer, "1").fieldNames())
          .contains("code", "message", "sent")
          .isSubsetOf("code", "message", "sent", "retryAfter", "data");
      assertThat(failure(peer, "1").getString("code")).isEqualTo("UNKNOWN_TOOL");
      assertThat(failure(peer, "7").getString("code")).isEqualTo("UNKNOWN_TOOL");
      assertThat(node.statuses().keySet()).containsExactlyInAnyOrder("s", "t");

      // Without it the newest form is written.
      cluster.end(peer);
      ClusterManager members = ((VertxInternal) node.vertx()).clusterManager();
      Awaitility.await("the peer to be no member").until(() -> members.getNodes().size() == 1);
      add(node, "u");
      JsonObject newest = definition(node, "u");
      assertThat(newest.getInteger("form")).isEqualTo(2);
      assertThat(newest.getString("version")).isEqualTo(McpBusVersion.current());
    }
  }

  private static JsonObject failure(Node peer, String speaks) {
    Object answer =
        TestBus.await(
            peer.vertx()
                .eventBus()
                .request(
                    "mcp.s.tools.call",
                    new JsonObject().put("name", "nonsense").put("arguments", new JsonObject()),
                    new DeliveryOptions().addHeader("mcpbus", speaks))
                .transform(
                    reply ->
                        Future.succeededFuture(
                            reply.failed() ? reply.cause() : reply.result().body())));
    assertThat(answer).isInstanceOf(OldFailure.class);
    return new JsonObject(((OldFailure) answer).json);
  }

  @Test
  void a_node_that_shares_no_form_with_another_names_both_and_is_not_ready() {
    try (InnerCluster cluster = new InnerCluster(2)) {
      cluster.stranger(new JsonObject().put("name", "far").put("wire", 4).put("wireFrom", 3));
      Node node = cluster.start("near", WireForm.NEWEST, Map.of());
      JsonObject list = node.request(Addresses.SERVERS_LIST, new JsonObject());
      assertThat(list.getJsonArray("problems").encode())
          .contains("node 'far' talks in form 3 to 4, this one in form 1 to 2")
          .contains("go by a version of mcpbus between the two");
    }
  }

  @Test
  void all_nodes_are_replaced_by_a_newer_version_under_calls_and_no_call_is_lost()
      throws IOException {
    JsonObject servers = new JsonObject();
    for (int i = 0; i < SERVERS; i++) {
      servers.put("s" + i, EchoServer.shell(folder.resolve("ran-" + i).toString()));
    }
    JsonObject before = new JsonObject().put("wire", 1);
    List<Integer> doors = new CopyOnWriteArrayList<>();
    List<String> wrong = new CopyOnWriteArrayList<>();
    List<String> answered = new CopyOnWriteArrayList<>();
    AtomicBoolean over = new AtomicBoolean();
    try (ClusterBed bed = new ClusterBed(folder, 4)) {
      bed.start("a1", servers, before);
      bed.start("a2", servers, before);
      ready(bed.node("a1"), Set.of("a1", "a2"));
      doors.add(bed.node("a1").port());
      doors.add(bed.node("a2").port());
      List<Thread> callers = new ArrayList<>();
      for (int c = 0; c < 2; c++) {
        String name = "caller" + c;
        Thread caller =
            new Thread(
                () -> {
                  for (int i = 0; !over.get(); i++) {
                    call(doors, name + "-" + i, i, answered, wrong);
                  }
                },
                name);
        callers.add(caller);
        caller.start();
      }
      replaced(bed, "a1", "b1", servers, doors, Set.of("a2", "b1"));
      assertThat(bed.node("b1").get("/health/ready").status()).isEqualTo(200);
      replaced(bed, "a2", "b2", servers, doors, Set.of("b1", "b2"));
      int until = answered.size() + 50;
      Awaitility.await("calls to the new nodes")
          .atMost(Duration.ofSeconds(20))
          .until(() -> answered.size() >= until || !wrong.isEmpty());
      over.set(true);
      for (Thread caller : callers) {
        caller.join(30_000);
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    } finally {
      over.set(true);
    }
    assertThat(wrong).isEmpty();
    assertThat(answered).hasSizeGreaterThan(100).doesNotHaveDuplicates();
    List<String> ran = new ArrayList<>();
    for (int i = 0; i < SERVERS; i++) {
      for (String line : Files.readAllLines(folder.resolve("ran-" + i))) {
        ran.add(line.substring(0, line.indexOf(' ')));
      }
    }
    assertThat(ran).containsExactlyInAnyOrderElementsOf(answered);
  }

  /** Waits until all servers are served by some of these nodes. */
  private static void ready(ServiceProcess from, Set<String> nodes) {
    Awaitility.await("all servers on " + nodes)
        .atMost(Duration.ofSeconds(40))
        .pollInterval(Duration.ofMillis(100))
        .untilAsserted(
            () ->
                assertThat(ClusterBed.statuses(from).values())
                    .hasSize(SERVERS)
                    .allSatisfy(
                        one -> {
                          assertThat(one.getString("state")).isEqualTo("READY");
                          assertThat(one.getString("node")).isIn(nodes);
                        }));
  }

  private static void replaced(
      ClusterBed bed,
      String old,
      String next,
      JsonObject servers,
      List<Integer> doors,
      Set<String> after) {
    ServiceProcess fresh = bed.start(next, servers, new JsonObject());
    doors.add(fresh.port());
    Integer closed = bed.node(old).port();
    Set<String> all = new TreeSet<>(after);
    all.add(old);
    ready(fresh, all);
    doors.remove(closed);
    bed.node(old).signal("TERM");
    bed.node(old).awaitExit(Duration.ofSeconds(20));
    ready(fresh, after);
  }

  /** Repeats what was not sent, as a caller may. */
  private static void call(
      List<Integer> doors, String call, int turn, List<String> answered, List<String> wrong) {
    String arguments = new JsonObject().put("call", call).put("deadline", 1).encode();
    long until = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    String last = "";
    for (int attempt = turn; System.nanoTime() < until; attempt++) {
      Http.Answer answer;
      try {
        answer =
            Http.post(
                doors.get(attempt % doors.size()),
                "/api/servers/s" + turn % SERVERS + "/tools/echo",
                arguments);
      } catch (AssertionError | IndexOutOfBoundsException e) {
        // Its door has closed meanwhile; whether it ran is seen at the end.
        last = String.valueOf(e);
        continue;
      }
      if (answer.status() == 200) {
        answered.add(call);
        return;
      }
      last = answer.body();
      if (!last.contains("\"sent\":\"no\"")) {
        break;
      }
    }
    wrong.add(call + ": " + last);
  }
}
