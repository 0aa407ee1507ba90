package dev.mcpbus.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.TestOptions;
import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.security.AccessControl;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.ApiKey;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.http.WebSocketFrame;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.Socket;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What callers send and do not read is paid for before it is held, and given back at each end. */
@ExtendWith(VertxExtension.class)
class BytesInFlightTest {

  private static final int KIB = 1024;
  private static final ApiKeys.Fresh ANN = ApiKeys.generate(new SecureRandom());
  private static final ApiKeys.Fresh BOB = ApiKeys.generate(new SecureRandom());
  private static final String PATH = "/api/servers/alpha/tools/t";

  private BridgeFixture bridge;
  private ByteBudget budget;
  private WebSocketClient client;
  private final List<Socket> sockets = new ArrayList<>();
  private final BlockingQueue<Message<Buffer>> calls = new LinkedBlockingQueue<>();

  private static ApiKey key(String name, ApiKeys.Fresh key) {
    return new ApiKey(name, key.hash(), Set.of(), false, null, null);
  }

  /** 4 MiB in all: 2 of requests, so that one caller may hold less than one. */
  @BeforeEach
  void open(Vertx vertx) {
    budget = ByteBudget.of(vertx);
    budget.limit(4 * KIB * KIB);
    client = vertx.createWebSocketClient(new WebSocketClientOptions().setMaxConnections(100));
    AuthOptions auth = TestOptions.ofKeys(List.of(key("ann", ANN), key("bob", BOB)));
    bridge =
        new BridgeFixture(
            vertx,
            new AccessControl(auth, Instant::now, System::nanoTime, new SecureRandom(), () -> 0));
    vertx.eventBus().<Buffer>consumer("mcp.alpha.tools.call", calls::add);
  }

  @AfterEach
  void all_is_given_back() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    Awaitility.await().until(() -> budget.used() == 0);
  }

  private Socket send(ApiKeys.Fresh key, String head, int bytes) throws IOException {
    Socket socket = bridge.connect();
    sockets.add(socket);
    BridgeFixture.write(
        socket,
        "POST "
            + PATH
            + " HTTP/1.1\r\nHost: localhost:"
            + bridge.port
            + "\r\nX-Api-Key: "
            + key.key()
            + "\r\n"
            + head
            + "\r\n\r\n");
    BridgeFixture.write(socket, " ".repeat(bytes));
    return socket;
  }

  private BridgeFixture.Answer post(ApiKeys.Fresh key, int bytes) {
    return bridge.send(
        HttpMethod.POST,
        PATH,
        "{\"a\":\"" + "a".repeat(bytes) + "\"}",
        MultiMap.caseInsensitiveMultiMap().add("X-Api-Key", key.key()));
  }

  private void answers(String json) {
    bridge.vertx.setPeriodic(
        1,
        tick -> {
          for (Message<Buffer> call = calls.poll(); call != null; call = calls.poll()) {
            call.reply(Buffer.buffer(json));
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"Content-Length: 524288", "Transfer-Encoding: chunked"})
  void unfinished_bodies_of_one_caller_take_its_share_and_others_pass(String head)
      throws Exception {
    for (int i = 0; i < 30; i++) {
      String chunk = head.startsWith("T") ? "\r\n\r\n80000" : "";
      send(ANN, head + chunk, 300 * KIB);
    }
    Awaitility.await().until(() -> budget.used() >= 300 * KIB);
    answers("{}");
    assertThat(post(BOB, 400 * KIB).status()).isEqualTo(200);
    BridgeFixture.Answer refused = post(ANN, 900 * KIB);
    assertThat(refused.status()).isEqualTo(503);
    assertThat(refused.headers().get("Retry-After")).isEqualTo("1");
    assertThat(refused.json().getString("detail")).contains("'ann'", "maxBytesInFlight");
    assertThat(budget.used()).isLessThan(1_100 * KIB);
  }

  @Test
  void a_body_is_paid_until_its_call_is_answered() throws Exception {
    Socket socket = send(ANN, "Content-Length: 307200", 0);
    BridgeFixture.write(socket, "{" + " ".repeat(300 * KIB - 2) + "}");
    Message<Buffer> call = calls.poll(60, TimeUnit.SECONDS);
    assertThat(budget.used()).isEqualTo(300 * KIB);
    call.reply(Buffer.buffer("{}"));
    Awaitility.await().until(() -> budget.used() == 0);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void whatever_ends_a_request_nothing_is_left(long seed) throws Exception {
    Random random = new Random(seed);
    for (int i = 0; i < 40; i++) {
      int length = 1 + random.nextInt(200 * KIB);
      Socket socket = send(random.nextBoolean() ? ANN : BOB, "Content-Length: " + length, 0);
      int sent = random.nextInt(3) == 0 ? length : random.nextInt(length);
      BridgeFixture.write(socket, " ".repeat(sent));
      Message<Buffer> call = random.nextBoolean() ? calls.poll() : null;
      if (call != null && random.nextBoolean()) {
        call.fail(1, "broken");
      }
      if (random.nextBoolean()) {
        socket.setSoLinger(true, 0);
        socket.close();
      }
    }
    all_is_given_back();
  }

  @Test
  void answers_that_a_caller_does_not_read_take_its_share_and_others_get_theirs() throws Exception {
    answers("{\"content\":\"" + "a".repeat(600 * KIB) + "\"}");
    for (int i = 0; i < 20; i++) {
      Socket socket = send(ANN, "Content-Length: 2", 0);
      socket.setReceiveBufferSize(4 * KIB);
      BridgeFixture.write(socket, "{}");
    }
    for (int i = 0; i < 5; i++) {
      assertThat(post(BOB, 2).status()).isEqualTo(200);
    }
    assertThat(budget.used()).isLessThan(2 * KIB * KIB);
    assertThat(new JsonObject(post(BOB, 2).body()).getString("content")).hasSize(600 * KIB);
  }

  private WebSocket socket(ApiKeys.Fresh key) {
    return BridgeFixture.await(
        client.connect(
            new WebSocketConnectOptions()
                .setHost("127.0.0.1")
                .setPort(bridge.port)
                .setURI("/eventbus/websocket")
                .addHeader("Authorization", "Bearer " + key.key())));
  }

  private static String call(String text) {
    return new JsonObject()
        .put("type", "send")
        .put("address", "mcp.alpha.tools.call")
        .put("body", new JsonObject().put("name", "t").put("arguments", text))
        .put("replyAddress", "r")
        .encode();
  }

  /** Whether the frames were sent, or the socket was closed with "try again later" meanwhile. */
  private static boolean sends(WebSocket socket, int frames) {
    socket.writeFrame(WebSocketFrame.textFrame("a".repeat(60 * KIB), false));
    for (int i = 1; i < frames; i++) {
      socket.writeFrame(
          WebSocketFrame.continuationFrame(Buffer.buffer("a".repeat(60 * KIB)), false));
    }
    Awaitility.await().until(() -> socket.isClosed() || !socket.writeQueueFull());
    return !socket.isClosed();
  }

  @Test
  void unfinished_messages_of_sockets_take_their_callers_share_and_others_pass() throws Exception {
    List<WebSocket> open = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      WebSocket socket = socket(ANN);
      open.add(socket);
      sends(socket, 2);
    }
    Awaitility.await().until(() -> open.stream().filter(WebSocket::isClosed).count() > 20);
    assertThat(open.stream().filter(WebSocket::isClosed).map(WebSocket::closeStatusCode))
        .containsOnly((short) 1013);
    assertThat(budget.used()).isBetween(200L * KIB, 1_100L * KIB);

    BlockingQueue<String> frames = new LinkedBlockingQueue<>();
    WebSocket other = socket(BOB);
    other.handler(frame -> frames.add(frame.toString()));
    other.writeTextMessage(call("a".repeat(100 * KIB)));
    answers("{}");
    assertThat(frames.poll(60, TimeUnit.SECONDS)).contains("\"rec\"");
    open.forEach(WebSocket::close);
    Awaitility.await().until(() -> budget.used() == 0);
    other.close();
  }

  @Test
  void a_short_message_that_becomes_many_objects_is_paid_as_such() throws Exception {
    WebSocket socket = socket(ANN);
    socket.writeTextMessage("[" + "{},".repeat(20 * KIB) + "{}]");
    Awaitility.await().until(socket::isClosed);
    assertThat(socket.closeStatusCode()).isEqualTo((short) 1013);
  }

  @Test
  void a_message_of_a_socket_is_paid_until_its_call_is_answered() throws Exception {
    WebSocket socket = socket(ANN);
    socket.writeTextMessage(call("a".repeat(100 * KIB)));
    Message<Buffer> call = calls.poll(60, TimeUnit.SECONDS);
    assertThat(budget.used()).isBetween(400L * KIB, 420L * KIB);
    call.reply(Buffer.buffer("{}"));
    Awaitility.await().until(() -> budget.used() == 0);
    socket.close();
  }
}
