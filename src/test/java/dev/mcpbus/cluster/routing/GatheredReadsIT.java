package dev.mcpbus.cluster.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.testing.InnerCluster;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two nodes: one reads from the connections of the other. */
class GatheredReadsIT {

  private final InnerCluster cluster = new InnerCluster(2);

  /** What arrives at the owner from the other node: bundles, and requests to connections. */
  private final AtomicInteger bundles = new AtomicInteger();

  private final AtomicInteger alone = new AtomicInteger();
  private Vertx reader;
  private Vertx owner;
  private String ownerId;

  @BeforeEach
  void start() {
    reader = join("reader");
    owner = join("owner");
    ownerId = ClusterRequests.of(owner).self();
    String self = ClusterRequests.of(reader).self();
    assertThat(self).isNotEqualTo(ownerId);
    owner
        .eventBus()
        .addInboundInterceptor(
            delivery -> {
              Message<?> message = delivery.message();
              if (message.address().startsWith(Addresses.SERVERS_READ + ".")) {
                bundles.incrementAndGet();
              } else if (message.address().endsWith(".status")
                  && message.headers().contains(Headers.SPEAKS)) {
                alone.incrementAndGet();
              }
              delivery.next();
            });
  }

  private Vertx join(String node) {
    Vertx vertx = cluster.join(node).vertx();
    Codecs.register(vertx);
    ClusterRequests.of(vertx);
    return vertx;
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  /** A connection of the owner, known as such to the reader. */
  private ConnectionId serve(String id, Consumer<Message<Object>> answer) {
    ConnectionId server = new ConnectionId(id);
    TestBus.await(
        owner
            .eventBus()
            .<Object>consumer(Addresses.of(server, Addresses.STATUS), answer::accept)
            .completion());
    owner
        .eventBus()
        .publish(
            Addresses.PLACEMENT,
            new JsonObject().put("type", "claimed").put("node", ownerId).put("id", id));
    await().until(() -> ClusterRequests.of(reader).replicas().of(server).size() == 1);
    return server;
  }

  private Future<JsonObject> read(ConnectionId server, long millis) {
    return ClusterRequests.of(reader)
        .read(
            server,
            Addresses.STATUS,
            new JsonObject().put("handshake", true),
            new DeliveryOptions().setSendTimeout(millis));
  }

  @Test
  void many_readings_are_one_message_and_each_has_its_own_answer() {
    List<ConnectionId> servers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      String id = "s" + i;
      servers.add(
          serve(
              id, asked -> asked.reply(new JsonObject().put("id", id).put("asked", asked.body()))));
    }
    bundles.set(0);
    List<Future<JsonObject>> answers = servers.stream().map(one -> read(one, 20_000)).toList();
    TestBus.await(Future.all(answers));
    for (int i = 0; i < 20; i++) {
      assertThat(answers.get(i).result().getString("id")).isEqualTo("s" + i);
      assertThat(answers.get(i).result().getJsonObject("asked").getBoolean("handshake")).isTrue();
    }
    assertThat(bundles.get()).isBetween(1, 19);
    assertThat(alone.get()).as("requests of their own").isZero();
  }

  @Test
  void what_a_bundle_does_not_bring_is_read_alone() {
    ConnectionId refuses =
        serve("refuses", asked -> McpFailure.badRequest("not this one").replyTo(asked));
    ConnectionId talks =
        serve("talks", asked -> asked.reply(new JsonObject().put("long", "x".repeat(40_000))));
    ConnectionId well = serve("well", asked -> asked.reply(new JsonObject().put("ok", true)));
    Future<JsonObject> refused = read(refuses, 20_000);
    Future<JsonObject> much = read(talks, 20_000);
    Future<JsonObject> little = read(well, 20_000);

    assertThat(TestBus.await(little).getBoolean("ok")).isTrue();
    assertThat(TestBus.await(much).getString("long")).hasSize(40_000);
    McpFailure failure = McpFailure.of(catchThrowable(() -> TestBus.await(refused)));
    assertThat(failure.code()).isEqualTo(FailureCode.BAD_REQUEST);
    assertThat(failure.getMessage()).contains("not this one");
    assertThat(alone.get()).isEqualTo(2);
  }

  @Test
  void one_that_does_not_answer_delays_the_others_by_half_of_their_time_and_fails_in_its_own() {
    ConnectionId hangs = serve("hangs", asked -> {});
    ConnectionId well = serve("well", asked -> asked.reply(new JsonObject().put("ok", true)));
    long began = System.nanoTime();
    Future<JsonObject> silent = read(hangs, 2_000);
    Future<JsonObject> little = read(well, 2_000);
    assertThat(TestBus.await(little).getBoolean("ok")).isTrue();
    assertThat(silent.isComplete()).as("the other one waits on").isFalse();
    McpFailure failure = McpFailure.of(catchThrowable(() -> TestBus.await(silent)));
    assertThat(failure.code()).isEqualTo(FailureCode.CALL_TIMEOUT);
    assertThat((System.nanoTime() - began) / 1_000_000).isGreaterThanOrEqualTo(1_900);
  }

  @Test
  void a_bundle_reads_nothing_but_what_can_be_read() {
    AtomicInteger restarts = new AtomicInteger();
    TestBus.await(
        owner
            .eventBus()
            .<Object>consumer("mcp.s.restart", asked -> restarts.incrementAndGet())
            .completion());
    JsonArray reads =
        new JsonArray()
            .add(read("s", "restart", new JsonObject()))
            .add(read("s", "status.x", new JsonObject()))
            .add(read("not an id", "status", new JsonObject()))
            .add(read("gone", "status", new JsonObject()))
            .add(new JsonObject().put("id", "s").put("to", "status"));
    JsonObject bundle = new JsonObject().put("millis", 500).put("reads", reads);
    Message<JsonObject> reply =
        TestBus.await(
            reader.eventBus().request(Addresses.at(Addresses.SERVERS_READ, ownerId), bundle));
    assertThat(reply.body().getJsonArray("reads"))
        .hasSize(5)
        .allMatch(answer -> ((JsonObject) answer).isEmpty());
    assertThat(restarts.get()).isZero();

    McpFailure failure =
        McpFailure.of(
            catchThrowable(
                () ->
                    TestBus.await(
                        reader
                            .eventBus()
                            .request(
                                Addresses.at(Addresses.SERVERS_READ, ownerId),
                                new JsonObject().put("reads", "all")))));
    assertThat(failure.code()).isEqualTo(FailureCode.BAD_REQUEST);
  }

  private static JsonObject read(String id, String to, JsonObject body) {
    return new JsonObject().put("id", id).put("to", to).put("json", body);
  }

  @Test
  void a_text_comes_as_bytes() {
    ConnectionId server = serve("lists", asked -> asked.reply(new JsonObject()));
    TestBus.await(
        owner
            .eventBus()
            .<Buffer>consumer(
                Addresses.of(server, Addresses.TOOLS_LIST),
                asked -> asked.reply(Buffer.buffer("{\"tools\":[],\"got\":" + asked.body() + "}")))
            .completion());
    Buffer answer =
        TestBus.await(
            ClusterRequests.of(reader)
                .<Buffer>read(
                    server, Addresses.TOOLS_LIST, Buffer.buffer("{}"), new DeliveryOptions()));
    assertThat(answer).hasToString("{\"tools\":[],\"got\":{}}");
    assertThat(bundles.get()).isEqualTo(1);
  }
}
