package dev.mcpbus.bridge;

import static dev.mcpbus.bridge.BridgeFixture.ALPHA;
import static dev.mcpbus.bridge.BridgeFixture.readAll;
import static dev.mcpbus.bridge.BridgeFixture.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.internals.RecordCopy;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(VertxExtension.class)
class BridgeClientTest {

  private static final String CALL = Addresses.of(ALPHA, Addresses.TOOLS_CALL);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: 101\r\n\r\n",
        "Expect: 100-continue\r\nContent-Length: 1000000000\r\n\r\n"
      })
  void a_body_that_is_announced_too_long_is_not_read(String rest, Vertx vertx) throws IOException {
    BridgeFixture bridge =
        new BridgeFixture(
            vertx, RecordCopy.with(BridgeOptions.DEFAULT.withPort(0), "maxBodyBytes", 100));

    String answer =
        bridge.raw("POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:" + bridge.port + "\r\n" + rest);

    assertThat(answer).startsWith("HTTP/1.1 413 ").contains("LIMIT_EXCEEDED");
  }

  @Test
  void an_endless_body_is_cut_at_the_cap(Vertx vertx) throws IOException {
    BridgeFixture bridge =
        new BridgeFixture(
            vertx, RecordCopy.with(BridgeOptions.DEFAULT.withPort(0), "maxBodyBytes", 100));
    bridge.on(CALL, "{}");

    String head =
        "POST /api/servers/alpha/tools/t HTTP/1.1\r\nHost: localhost:"
            + bridge.port
            + "\r\nTransfer-Encoding: chunked\r\n\r\n";
    String answer = bridge.raw(head + ("40\r\n" + " ".repeat(64) + "\r\n").repeat(2));

    assertThat(answer).startsWith("HTTP/1.1 413 ").contains("LIMIT_EXCEEDED");
    assertThat(bridge.seen).isEmpty();
  }

  @Test
  void a_client_that_expects_it_gets_100_continue(Vertx vertx) throws IOException {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on(CALL, "{}");

    String answer =
        bridge.raw(
            "POST /api/servers/alpha/tools/t HTTP/1.1\r\nHost: localhost:"
                + bridge.port
                + "\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}");

    assertThat(answer).startsWith("HTTP/1.1 100 ").contains("HTTP/1.1 200 ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/servers/alpha/tools/slow|{}",
        "/rpc|{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"alpha:slow\"}}"
      })
  void a_client_that_goes_away_cancels_its_call(String request, Vertx vertx) throws IOException {
    BridgeFixture bridge = new BridgeFixture(vertx);
    List<String> cancelled = new CopyOnWriteArrayList<>();
    vertx.eventBus().<Buffer>consumer(CALL, bridge::note);
    vertx
        .eventBus()
        .<JsonObject>consumer(
            Addresses.of(ALPHA, Addresses.CANCEL),
            m -> cancelled.add(m.body().getString("callId")));
    String path = request.substring(0, request.indexOf('|'));
    String body = request.substring(path.length() + 1);

    try (Socket socket = bridge.connect()) {
      write(
          socket,
          "POST "
              + path
              + " HTTP/1.1\r\nHost: localhost:"
              + bridge.port
              + "\r\nContent-Length: "
              + body.length()
              + "\r\n\r\n"
              + body);
      await().until(() -> bridge.seen.size() == 1);
    }

    await().until(() -> cancelled.equals(List.of("local/call-1")));
    assertThat(bridge.seen.get(0).headers().get(Headers.CALL_ID)).isEqualTo("local/call-1");
  }

  @Test
  void a_call_that_was_answered_is_not_cancelled(Vertx vertx) throws IOException {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on(CALL, "{}");
    List<Object> cancelled = new CopyOnWriteArrayList<>();
    vertx.eventBus().consumer(Addresses.of(ALPHA, Addresses.CANCEL), m -> cancelled.add(m.body()));

    String answer =
        bridge.raw(
            "POST /api/servers/alpha/tools/t HTTP/1.1\r\nHost: localhost:"
                + bridge.port
                + "\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    assertThat(answer).startsWith("HTTP/1.1 200 ");

    // The bus keeps the order for one address: a cancel before this one would be seen first.
    vertx.eventBus().send(Addresses.of(ALPHA, Addresses.CANCEL), "end");
    await().until(() -> cancelled.contains("end"));
    assertThat(cancelled).containsExactly("end");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "GET /health/live HTTP/1.1\r\nHost:",
        "POST /rpc HTTP/1.1\r\nHost: localhost:PORT\r\nContent-Length: 9\r\n\r\n{"
      })
  void a_client_that_never_finishes_its_request_is_closed(String start, Vertx vertx)
      throws IOException {
    BridgeOptions options =
        RecordCopy.with(
            BridgeOptions.DEFAULT.withPort(0), "receiveTimeout", Duration.ofMillis(200));
    BridgeFixture bridge = new BridgeFixture(vertx, options);

    assertThat(bridge.raw(start.replace("PORT", "" + bridge.port))).isEmpty();
  }

  @Test
  void a_client_that_waits_for_its_answer_is_not_closed(Vertx vertx) throws IOException {
    BridgeOptions options =
        RecordCopy.with(
            BridgeOptions.DEFAULT.withPort(0), "receiveTimeout", Duration.ofMillis(200));
    BridgeFixture bridge = new BridgeFixture(vertx, options);
    vertx
        .eventBus()
        .consumer(CALL, m -> vertx.setTimer(600, fired -> m.reply(Buffer.buffer("{\"x\":1}"))));

    try (Socket socket = bridge.connect()) {
      write(
          socket,
          "POST /api/servers/alpha/tools/t HTTP/1.1\r\nHost: localhost:"
              + bridge.port
              + "\r\nContent-Length: 2\r\n\r\n{}");
      // Closed only afterwards, for being idle.
      assertThat(readAll(socket)).startsWith("HTTP/1.1 200 ").endsWith("{\"x\":1}");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_client_that_went_away_during_the_lookup_makes_no_call(boolean known, Vertx vertx)
      throws IOException {
    BridgeFixture bridge = new BridgeFixture(vertx);
    List<Message<JsonObject>> lookups = new CopyOnWriteArrayList<>();
    vertx.eventBus().<JsonObject>consumer(Addresses.SERVERS_GET, lookups::add);
    bridge.on(CALL, "{}");
    bridge.on("mcp.beta.tools.call", "{}");
    String body =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"serverId\":\"alpha\","
            + "\"params\":{\"name\":\"beta:t\"}}";

    try (Socket socket = bridge.connect()) {
      write(socket, bridge.post("/rpc", body.length()) + body);
      await().until(() -> lookups.size() == 1);
    }
    // The loop has seen the end of the connection once a later client was served and closed.
    assertThat(bridge.raw(bridge.post("/none", 0, "Connection: close\r\n"))).contains(" 404 ");
    lookups
        .get(0)
        .reply(
            known
                ? new JsonObject()
                : McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "no such server"));
    assertThat(bridge.post("/api/servers/alpha/tools/marker", "").status()).isEqualTo(200);

    assertThat(bridge.seen).hasSize(1).allMatch(seen -> seen.body().contains("marker"));
  }

  @Test
  void of_two_requests_in_one_packet_each_may_take_its_time(Vertx vertx) throws IOException {
    BridgeOptions options =
        RecordCopy.with(
            BridgeOptions.DEFAULT.withPort(0), "receiveTimeout", Duration.ofMillis(200));
    BridgeFixture bridge = new BridgeFixture(vertx, options);
    vertx
        .eventBus()
        .consumer(CALL, m -> vertx.setTimer(600, fired -> m.reply(Buffer.buffer("{\"x\":1}"))));
    String call = bridge.post("/api/servers/alpha/tools/t", 0);

    assertThat(bridge.raw(call + call).split("HTTP/1.1 200 ", -1)).hasSize(3);
  }

  @Test
  void at_its_end_the_bridge_answers_what_it_has_accepted(Vertx vertx) throws IOException {
    BridgeFixture bridge = new BridgeFixture(vertx);
    List<Message<Buffer>> calls = new CopyOnWriteArrayList<>();
    vertx.eventBus().<Buffer>consumer(CALL, calls::add);

    try (Socket socket = bridge.connect();
        Socket idle = bridge.connect()) {
      write(socket, bridge.post("/api/servers/alpha/tools/t", 0));
      await().until(() -> calls.size() == 1);
      Future<Void> stopped = vertx.undeploy(bridge.deployment);
      await().untilAsserted(() -> assertThatThrownBy(() -> bridge.connect().close()).isNotNull());
      assertThat(stopped.isComplete()).isFalse();
      calls.get(0).reply(Buffer.buffer("{\"x\":1}"));

      assertThat(readAll(socket)).startsWith("HTTP/1.1 200 ").endsWith("{\"x\":1}");
      assertThat(readAll(idle)).isEmpty();
      BridgeFixture.await(stopped);
    }
  }
}
