package dev.mcpbus.bridge;

import static dev.mcpbus.bridge.BridgeFixture.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.bridge.options.BridgeLimitOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.Operation;
import io.vertx.core.Vertx;
import io.vertx.core.http.UpgradeRejectedException;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The frames of the event-bus bridge over a plain WebSocket. */
@ExtendWith(VertxExtension.class)
class EventBusEndpointTest {

  private static final BridgeOptions OPTIONS = BridgeOptions.DEFAULT.withPort(0);
  private static final String PROGRESS = "mcp.progress.0123456789abcdef";

  private static final class Peer {

    final BlockingQueue<JsonObject> frames = new LinkedBlockingQueue<>();

    /** A field, because Vert.x closes a client that is no longer referenced. */
    final WebSocketClient client;

    final WebSocket socket;

    Peer(BridgeFixture bridge) {
      this(bridge, null);
    }

    Peer(BridgeFixture bridge, @Nullable String origin) {
      WebSocketConnectOptions options =
          new WebSocketConnectOptions()
              .setHost("127.0.0.1")
              .setPort(bridge.port)
              .setURI("/eventbus/websocket");
      if (origin != null) {
        options.addHeader("Origin", origin);
      }
      client = bridge.vertx.createWebSocketClient();
      socket =
          await(
              client
                  .connect(options)
                  .onSuccess(open -> open.handler(frame -> frames.add(new JsonObject(frame)))));
    }

    Peer write(JsonObject frame) {
      socket.writeTextMessage(frame.encode());
      return this;
    }

    Peer send(String address, JsonObject body) {
      return send(address, body, new JsonObject());
    }

    Peer send(String address, JsonObject body, JsonObject headers) {
      return write(
          frame("send", address)
              .put("body", body)
              .put("headers", headers)
              .put("replyAddress", "reply-1"));
    }

    JsonObject next() throws InterruptedException {
      JsonObject frame = frames.poll(60, TimeUnit.SECONDS);
      assertThat(frame).as("a frame").isNotNull();
      return frame;
    }
  }

  private static JsonObject frame(String type, String address) {
    return new JsonObject().put("type", type).put("address", address);
  }

  @Test
  void a_page_calls_a_tool_by_its_address(Vertx vertx) throws InterruptedException {
    BridgeFixture bridge = new BridgeFixture(vertx, OPTIONS);
    bridge.on("mcp.alpha.tools.call", new JsonObject().put("sum", 5));
    Peer peer = new Peer(bridge, "http://localhost:" + bridge.port);
    JsonObject headers =
        new JsonObject()
            .put("deadline", 500)
            .put("call-id", "c-1")
            .put("principal", "root")
            .put("input", "mcp.alpha.control");

    JsonObject answer =
        peer.send("mcp.alpha.tools.call", new JsonObject().put("name", "add"), headers).next();

    assertThat(answer.getString("type")).isEqualTo("rec");
    assertThat(answer.getString("address")).isEqualTo("reply-1");
    assertThat(answer.getJsonObject("body")).isEqualTo(new JsonObject().put("sum", 5));
    var seen = bridge.seen.get(0).headers();
    assertThat(seen.get("deadline")).isEqualTo("500");
    assertThat(seen.get("call-id")).isEqualTo("local/c-1");
    assertThat(Requester.of(seen)).extracting(Requester::name).isEqualTo("local");
    assertThat(seen.contains("input")).isFalse();
  }

  @Test
  void a_failure_has_its_code(Vertx vertx) throws InterruptedException {
    BridgeFixture bridge = new BridgeFixture(vertx, OPTIONS);
    bridge.on("mcp.alpha.ping", McpFailure.notSent(FailureCode.UNAVAILABLE, "asleep"));

    JsonObject answer = new Peer(bridge).send("mcp.alpha.ping", new JsonObject()).next();

    assertThat(answer.getString("type")).isEqualTo("err");
    assertThat(answer.getInteger("failureCode")).isEqualTo(FailureCode.UNAVAILABLE.busCode());
    assertThat(answer.getString("message")).contains("asleep");
  }

  @Test
  void events_and_progress_are_delivered(Vertx vertx) throws InterruptedException {
    BridgeFixture bridge = new BridgeFixture(vertx, OPTIONS);
    bridge.on("mcp.alpha.tools.call", new JsonObject());
    Peer peer = new Peer(bridge);
    for (String address : List.of("mcp.events", "mcp.alpha.events", PROGRESS)) {
      peer.write(frame("register", address));
    }
    peer.send("mcp.alpha.tools.call", new JsonObject(), new JsonObject().put("progress", PROGRESS))
        .next();
    assertThat(bridge.seen.get(0).headers().get("progress")).isEqualTo(PROGRESS);

    vertx.eventBus().publish("mcp.events", new JsonObject().put("n", 1));
    vertx.eventBus().publish("mcp.alpha.events", new JsonObject().put("n", 2));
    vertx.eventBus().send(PROGRESS, new JsonObject().put("n", 3));

    List<Integer> seen = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      seen.add(peer.next().getJsonObject("body").getInteger("n"));
    }
    assertThat(seen).containsExactlyInAnyOrder(1, 2, 3);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mcp.alpha.control",
        "mcp.supervisor",
        "mcp.input",
        "mcp.alpha.input",
        "mcp.input.ask",
        "mcp.input.drop",
        "mcp.input.offer",
        "mcp.input.respond",
        "mcp.input.pending",
        "mcp.servers.add",
        "mcp.servers.preview",
        "mcp.servers.examine",
        "mcp.servers.remove",
        "mcp.alpha.connect",
        "mcp.alpha.disconnect",
        "mcp.alpha.restart",
        "mcp.alpha.request",
        "mcp.alpha.loglevel",
        "mcp.alpha.tools.approve",
        "mcp.events",
        "mcp.alpha.events",
        "mcp.rpc",
        "mcp.alpha.beta.tools.call",
        "mcp.ALPHA.tools.call",
        "mcp..tools.call",
        "mcpbus.demo",
        "__vertx.anything",
        "alpha",
        ""
      })
  void what_is_not_on_the_list_cannot_be_sent_to(String address, Vertx vertx)
      throws InterruptedException {
    BridgeFixture bridge = new BridgeFixture(vertx, OPTIONS);
    if (!address.isEmpty()) {
      bridge.on(address, new JsonObject());
    }
    bridge.on("mcp.alpha.ping", new JsonObject());
    Peer peer = new Peer(bridge);

    peer.send(address, new JsonObject());
    peer.write(frame("publish", address).put("body", new JsonObject()));

    assertThat(peer.next().getString("type")).isEqualTo("err");
    assertThat(peer.next().getString("type")).isEqualTo("err");
    // What comes after it is served, so the others have not just been slow.
    if (peer.socket.isClosed()) {
      peer = new Peer(bridge);
    }
    assertThat(peer.send("mcp.alpha.ping", new JsonObject()).next().getString("type"))
        .isEqualTo("rec");
    assertThat(bridge.seen).extracting(BridgeFixture.Seen::address).containsOnly("mcp.alpha.ping");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mcp.alpha.tools.call",
        "mcp.rpc",
        "mcp.input",
        "mcp.alpha.input",
        "mcp.supervisor",
        "mcp.progress.short",
        "__vertx.reply.1"
      })
  void what_is_not_on_the_list_cannot_be_listened_to(String address, Vertx vertx)
      throws InterruptedException {
    BridgeFixture bridge = new BridgeFixture(vertx, OPTIONS);
    bridge.on("mcp.beta.ping", new JsonObject());
    Peer peer = new Peer(bridge);

    peer.write(frame("register", address));

    assertThat(peer.next().getString("type")).isEqualTo("err");
    vertx.eventBus().publish(address, new JsonObject().put("secret", true));
    // The next frame is the answer to this, not what was published.
    assertThat(peer.send("mcp.beta.ping", new JsonObject()).next().getString("address"))
        .isEqualTo("reply-1");
  }

  @Test
  void a_call_is_never_published_and_progress_goes_nowhere_else(Vertx vertx)
      throws InterruptedException {
    BridgeFixture bridge = new BridgeFixture(vertx, OPTIONS);
    bridge.on("mcp.alpha.tools.call", new JsonObject());
    Peer peer = new Peer(bridge);

    peer.write(frame("publish", "mcp.alpha.tools.call").put("body", new JsonObject()));
    assertThat(peer.next().getString("type")).isEqualTo("err");
    peer.send(
        "mcp.alpha.tools.call",
        new JsonObject(),
        new JsonObject().put("progress", "mcp.alpha.control"));
    assertThat(peer.next().getString("type")).isEqualTo("err");
    assertThat(bridge.seen).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://evil.example", "null", "https://localhost"})
  void a_page_of_elsewhere_is_refused(String origin, Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx, OPTIONS);

    assertThatThrownBy(() -> new Peer(bridge, origin))
        .rootCause()
        .isInstanceOfSatisfying(
            UpgradeRejectedException.class,
            rejected -> assertThat(rejected.getStatus()).isEqualTo(403));
  }

  @Test
  void only_web_sockets_are_spoken(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx, OPTIONS);

    assertThat(bridge.get("/eventbus/info").json().getBoolean("websocket")).isTrue();
    assertThat(bridge.post("/eventbus/000/x/xhr", "").status()).isEqualTo(404);
    assertThat(bridge.post("/eventbus/000/x/xhr_streaming", "").status()).isEqualTo(404);
    assertThat(bridge.get("/eventbus/000/x/eventsource").status()).isEqualTo(404);
    assertThat(bridge.get("/eventbus/000/x/htmlfile?c=f").status()).isEqualTo(404);
    assertThat(bridge.get("/eventbus/000/x/jsonp?c=f").status()).isEqualTo(404);
    assertThat(bridge.get("/eventbus/iframe.html").status()).isEqualTo(404);
  }

  @Test
  void an_event_bus_that_is_switched_off_has_no_path(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx, RecordCopy.with(OPTIONS, "eventBus", false));

    assertThat(bridge.get("/eventbus/info").status()).isEqualTo(404);
  }

  @Test
  void a_quiet_peer_stays_longer_than_a_request_may_take(Vertx vertx) throws InterruptedException {
    BridgeFixture bridge =
        new BridgeFixture(
            vertx, RecordCopy.with(OPTIONS, "receiveTimeout", Duration.ofMillis(200)));
    bridge.on("mcp.alpha.ping", new JsonObject());
    Peer peer = new Peer(bridge);
    long until = System.nanoTime() + Duration.ofSeconds(1).toNanos();

    Awaitility.await().until(() -> System.nanoTime() > until);

    assertThat(peer.send("mcp.alpha.ping", new JsonObject()).next().getString("type"))
        .isEqualTo("rec");
  }

  @Test
  void a_peer_that_is_gone_gives_its_place_back(Vertx vertx) {
    BridgeFixture bridge =
        new BridgeFixture(
            vertx,
            RecordCopy.with(
                OPTIONS,
                "limits",
                new BridgeLimitOptions(
                    8_192, 100, BridgeLimitOptions.share(100), 2, Duration.ofMillis(50), 0)));
    Peer first = new Peer(bridge);
    Peer second = new Peer(bridge);
    assertThatThrownBy(() -> new Peer(bridge))
        .rootCause()
        .isInstanceOfSatisfying(
            UpgradeRejectedException.class,
            rejected -> assertThat(rejected.getStatus()).isEqualTo(503));
    assertThat(bridge.get("/api/events").status()).isEqualTo(503);

    // These say nothing for two heartbeats, or hang up.
    first.socket.close();
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(second.socket::isClosed);
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> opens(bridge));
  }

  private static boolean opens(BridgeFixture bridge) {
    try {
      return !new Peer(bridge).socket.isClosed();
    } catch (AssertionError full) {
      return false;
    }
  }

  @Test
  void sockets_close_when_the_bridge_stops(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx, OPTIONS);
    Peer peer = new Peer(bridge);

    await(vertx.undeploy(bridge.deployment));

    Awaitility.await().atMost(Duration.ofSeconds(60)).until(peer.socket::isClosed);
  }

  @Test
  void with_policies_lists_require_the_admin_right_and_calls_their_own_operation() {
    assertThat(EventBusRules.sending(Addresses.SERVERS_LIST, null))
        .contains(Operation.whole(Action.LIST, ""));
    assertThat(EventBusRules.sending("mcp.alpha.tools.list", new JsonObject()))
        .contains(Operation.whole(Action.LIST, "alpha"));
    assertThat(
            EventBusRules.sending(
                Addresses.ALL_TOOLS_CALL, new JsonObject().put("name", "alpha.echo")))
        .contains(Operation.of(Action.CALL, "alpha", "echo"));
    assertThat(
            EventBusRules.sending("mcp.alpha.resources.read", new JsonObject().put("uri", "u:x")))
        .contains(Operation.of(Action.READ, "alpha", "u:x"));
    assertThat(EventBusRules.sending("mcp.alpha.restart", new JsonObject())).isEmpty();
    assertThat(EventBusRules.listening("mcp.alpha.events"))
        .contains(Operation.of(Action.LIST, "alpha", ""));
  }
}
