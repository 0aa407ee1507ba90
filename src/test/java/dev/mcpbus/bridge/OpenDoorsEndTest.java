package dev.mcpbus.bridge;

import static dev.mcpbus.bridge.BridgeFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.AccessControl;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.ApiKey;
import dev.mcpbus.security.AuthOptions.Effect;
import dev.mcpbus.security.AuthOptions.Limits;
import dev.mcpbus.security.AuthOptions.Policy;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Streams and sockets end with the credential that opened them; each message counts. */
@ExtendWith(VertxExtension.class)
class OpenDoorsEndTest {

  private static final ApiKeys.Fresh ANN = ApiKeys.generate(new SecureRandom());
  private static final ApiKeys.Fresh BOB = ApiKeys.generate(new SecureRandom());
  private static final Instant NOON = Instant.parse("2027-01-01T12:00:00Z");

  private final AtomicLong seconds = new AtomicLong();

  private static ApiKey key(String name, ApiKeys.Fresh key, @Nullable Instant expires) {
    return new ApiKey(name, key.hash(), Set.of(), name.equals("ann"), expires, null);
  }

  /** Ann's key is good until noon, Bob's for ever. */
  private static AuthOptions both() {
    return TestOptions.ofKeys(List.of(key("ann", ANN, NOON), key("bob", BOB, null)));
  }

  /** It is half a minute before noon. */
  private AccessControl access(AuthOptions auth) {
    return new AccessControl(
        auth,
        () -> NOON.minusSeconds(30).plusSeconds(seconds.get()),
        () -> TimeUnit.SECONDS.toNanos(seconds.get()),
        new SecureRandom(),
        () -> 0);
  }

  private static final class Peer {
    final BlockingQueue<JsonObject> frames = new LinkedBlockingQueue<>();
    final Promise<String> closed = Promise.promise();

    /** A field, because Vert.x closes a client that is no longer referenced. */
    final WebSocketClient client;

    final WebSocket socket;

    Peer(BridgeFixture bridge, ApiKeys.Fresh key) {
      client = bridge.vertx.createWebSocketClient();
      socket =
          await(
              client
                  .connect(
                      new WebSocketConnectOptions()
                          .setHost("127.0.0.1")
                          .setPort(bridge.port)
                          .setURI("/eventbus/websocket")
                          .addHeader("Authorization", "Bearer " + key.key()))
                  .onSuccess(
                      open -> {
                        open.handler(frame -> frames.add(new JsonObject(frame)));
                        open.closeHandler(
                            end ->
                                closed.complete(open.closeStatusCode() + " " + open.closeReason()));
                      }));
    }

    Peer send(String reply) {
      socket.writeTextMessage(
          new JsonObject()
              .put("type", "send")
              .put("address", "mcp.alpha.tools.call")
              .put("body", new JsonObject().put("name", "t"))
              .put("replyAddress", reply)
              .encode());
      return this;
    }

    JsonObject next() throws InterruptedException {
      JsonObject frame = frames.poll(60, TimeUnit.SECONDS);
      assertThat(frame).as("a frame").isNotNull();
      return frame;
    }
  }

  private static final class Stream implements AutoCloseable {
    private final Socket socket;
    private final BufferedReader lines;

    Stream(BridgeFixture bridge, String path, ApiKeys.Fresh key) throws IOException {
      socket = bridge.connect();
      BridgeFixture.write(
          socket,
          "GET "
              + path
              + " HTTP/1.1\r\nHost: localhost:"
              + bridge.port
              + "\r\nX-Api-Key: "
              + key.key()
              + "\r\n\r\n");
      lines =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
      assertThat(lines.readLine()).contains("200");
    }

    /** The last event, where the stream has ended in good order. */
    JsonObject last() throws IOException {
      String last = "";
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("data: ")) {
          last = line.substring(6);
        } else if (line.equals("0")) {
          break;
        }
      }
      return new JsonObject(last);
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  @Test
  void sockets_and_streams_end_when_their_key_expires(Vertx vertx) throws Exception {
    BridgeFixture bridge = new BridgeFixture(vertx, access(both()));
    bridge.on("mcp.alpha.tools.call", new JsonObject());
    Peer ann = new Peer(bridge, ANN);
    Peer bob = new Peer(bridge, BOB);
    try (Stream events = new Stream(bridge, "/api/events", ANN);
        Stream log = new Stream(bridge, "/api/rpc-log", ANN)) {
      ann.send("r").next();
      seconds.set(30);

      assertThat(await(ann.closed.future())).isEqualTo("1008 the key has expired");
      for (Stream stream : List.of(events, log)) {
        JsonObject last = stream.last();
        assertThat(last.getString("type")).isEqualTo("ended");
        assertThat(last.getString("message")).isEqualTo("the key has expired");
      }
    }
    assertThat(bob.send("r").next().getString("type")).isEqualTo("rec");
  }

  @Test
  void no_message_passes_between_the_end_of_a_key_and_the_end_of_its_socket(Vertx vertx)
      throws Exception {
    AccessControl access = access(both());
    BridgeFixture bridge = new BridgeFixture(vertx, access);
    bridge.on("mcp.alpha.tools.call", new JsonObject());
    Peer ann = new Peer(bridge, ANN);
    ann.send("r").next();
    access.reload(TestOptions.ofKeys(List.of(key("bob", BOB, null))));
    ann.send("late");

    assertThat(await(ann.closed.future())).startsWith("1008 the key is no longer good here");
    assertThat(bridge.seen).hasSize(1);
  }

  @Test
  void a_reload_ends_what_it_concerns_and_nothing_else(Vertx vertx) throws Exception {
    AccessControl access = access(both());
    BridgeFixture bridge = new BridgeFixture(vertx, access);
    bridge.on("mcp.alpha.tools.call", new JsonObject());
    Peer ann = new Peer(bridge, ANN);
    Peer bob = new Peer(bridge, BOB);
    Policy denial =
        new Policy(List.of("ann"), List.of("alpha"), List.of(), Set.of(Action.CALL), Effect.DENY);
    Policy all = new Policy(List.of(), List.of(), List.of(), Set.of(), Effect.ALLOW);

    access.reload(RecordCopy.with(both(), "policies", List.of(all)));
    assertThat(await(ann.closed.future())).isEqualTo("1008 what the key may do was changed");
    await(bob.closed.future());

    Peer again = new Peer(bridge, BOB);
    Peer other = new Peer(bridge, ANN);
    access.reload(RecordCopy.with(both(), "policies", List.of(all, denial)));
    assertThat(await(other.closed.future())).contains("was changed");
    assertThat(again.send("r").next().getString("type")).isEqualTo("rec");
    assertThat(new Peer(bridge, ANN).send("r").next().getString("body")).isEqualTo("rejected");
  }

  @Test
  void if_all_keys_are_removed_every_caller_is_refused(Vertx vertx) throws Exception {
    AccessControl access = access(both());
    BridgeFixture bridge = new BridgeFixture(vertx, access);
    Peer bob = new Peer(bridge, BOB);
    access.reload(AuthOptions.NONE);
    await(bob.closed.future());
    assertThat(bridge.get("/api/servers").status()).isEqualTo(401);
    assertThat(access.adminToken()).isNull();
  }

  @Test
  void a_reload_does_not_begin_to_require_a_login(Vertx vertx) {
    AccessControl access = access(AuthOptions.NONE);
    BridgeFixture bridge = new BridgeFixture(vertx, access);
    bridge.service();
    access.reload(both());
    assertThat(bridge.get("/api/servers").status()).isEqualTo(200);
    assertThat(bridge.postAsAdmin("/api/servers/gamma/restart", "").status()).isEqualTo(404);
    assertThat(bridge.post("/api/servers/gamma/restart", "").status()).isEqualTo(403);
  }

  @Test
  void each_message_of_a_socket_takes_from_the_rate_and_the_socket_stays(Vertx vertx)
      throws Exception {
    BridgeFixture bridge =
        new BridgeFixture(vertx, access(RecordCopy.with(both(), "limits", new Limits(1, 3, 0))));
    bridge.on("mcp.alpha.tools.call", new JsonObject());
    Peer bob = new Peer(bridge, BOB); // takes one
    List<String> types = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      types.add(bob.send("r" + i).next().getString("type"));
    }
    assertThat(types).containsExactly("rec", "rec", "err");
    JsonObject refused = bob.send("last").next();
    assertThat(refused.getInteger("failureCode")).isEqualTo(FailureCode.RATE_LIMITED.busCode());
    assertThat(refused.getString("address")).isEqualTo("last");
    assertThat(bridge.seen).hasSize(2);
    seconds.set(1);
    assertThat(bob.send("later").next().getString("type")).isEqualTo("rec");
  }

  @Test
  void calls_of_a_socket_are_in_flight_until_they_are_answered(Vertx vertx) throws Exception {
    BridgeFixture bridge =
        new BridgeFixture(vertx, access(RecordCopy.with(both(), "limits", new Limits(0, 1, 2))));
    BlockingQueue<Message<Object>> requests = new LinkedBlockingQueue<>();
    vertx.eventBus().consumer("mcp.alpha.tools.call", requests::add);
    Peer bob = new Peer(bridge, BOB);
    bob.send("one").send("two").send("three");
    assertThat(bob.next().getString("address")).isEqualTo("three");
    requests.take().reply(new JsonObject());
    assertThat(bob.next().getString("address")).isEqualTo("one");
    bob.send("four");
    requests.take().reply(new JsonObject());
    requests.take().reply(new JsonObject());
    assertThat(List.of(bob.next().getString("type"), bob.next().getString("type")))
        .containsExactly("rec", "rec");
    assertThat(bridge.send(io.vertx.core.http.HttpMethod.GET, "/nowhere", "", key(BOB)).status())
        .as("the socket itself takes no place")
        .isEqualTo(404);
  }

  private static io.vertx.core.MultiMap key(ApiKeys.Fresh key) {
    return io.vertx.core.MultiMap.caseInsensitiveMultiMap().add("X-Api-Key", key.key());
  }
}
