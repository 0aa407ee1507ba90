package dev.mcpbus.transport.http;

import static dev.mcpbus.testing.RawHttpServer.errorOf;
import static dev.mcpbus.testing.RawHttpServer.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.Quirk;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.testing.ChannelProbe;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.RawHttpServer.Request;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpChannelTest extends HttpFixture {

  @Test
  void a_call_carries_the_headers_of_the_protocol_and_of_the_configuration() throws Exception {
    RawHttpServer server = session((request, peer) -> peer.result(request.id()));
    ChannelProbe probe =
        handshake(
            RecordCopy.with(
                options(server),
                "headers",
                Sensitive.values(Map.of("X-Team", "blue", "Accept", "x", "MCP-Foo", "y"))));
    assertThat(probe.call(1, "tools/list").payload()).hasToString("{\"n\":1}");

    Request first = server.requests().get(0);
    assertThat(first.headers())
        .containsEntry("accept", "application/json, text/event-stream")
        .containsEntry("content-type", "application/json")
        .containsEntry("x-team", "blue")
        .doesNotContainKeys("mcp-session-id", "mcp-protocol-version", "mcp-foo", "accept-encoding");
    await().until(() -> server.requests().size() == 3);
    assertThat(server.requests().subList(1, 3))
        .allSatisfy(
            request ->
                assertThat(request.headers())
                    .containsEntry("mcp-session-id", "s1")
                    .containsEntry("mcp-protocol-version", "2025-11-25"));
    assertThat(probe.channel().diagnostics().getString("sessionId")).isEqualTo("s1");
    assertThat(probe.foreignCallbacks()).isZero();
  }

  @Test
  void close_deletes_the_session_and_leaves_no_connection() throws Exception {
    RawHttpServer server = session((request, peer) -> peer.silence());
    ChannelProbe probe = handshake(options(server));
    probe.request(1, "tools/call");
    await().until(() -> server.requests("POST").size() == 3);
    probe.close();
    assertThat(server.requests("DELETE"))
        .singleElement()
        .satisfies(request -> assertThat(request.headers()).containsEntry("mcp-session-id", "s1"));
    await().until(() -> server.open() == 0);
    assertThat(probe.endings(1)).isZero();
    assertThatThrownBy(() -> probe.request(2, "ping")).hasMessageContaining("closed");
  }

  @Test
  void forget_closes_the_connection_of_the_exchange() throws Exception {
    RawHttpServer server = session((request, peer) -> peer.silence());
    ChannelProbe probe = handshake(options(server));
    probe.request(1, "tools/call");
    await().until(() -> server.requests("POST").size() == 3);
    int before = server.open();
    probe.run(() -> probe.channel().forget(1));
    await().until(() -> server.open() == before - 1);
    assertThat(probe.endings(1)).isZero();
  }

  @Test
  void a_bounded_queue_refuses_at_once() throws Exception {
    RawHttpServer server = play(RawHttpServer.Peer::silence);
    ChannelProbe probe =
        open(
            RecordCopy.with(
                options(server), Map.of("listen", false, "maxConnections", 1, "limits", SMALL)));
    for (int id = 0; id < 1_025; id++) {
      probe.request(id, "ping");
      if (id == 0) {
        await().until(() -> server.accepted() == 1);
      }
    }
    assertThatThrownBy(() -> probe.request(9_999, "ping"))
        .isInstanceOfSatisfying(
            TransportException.class,
            e -> {
              assertThat(e.reason()).isEqualTo(Reason.OVERLOADED);
              assertThat(e.reached()).isEqualTo(Reached.NO);
            });
  }

  @Test
  void bad_options_are_refused_without_showing_values() {
    assertThatThrownBy(() -> open(URI.create("http://me:secret@127.0.0.1/mcp")))
        .hasMessageContaining("Authorization")
        .hasMessageNotContaining("secret");
    assertThatThrownBy(
            () ->
                open(
                    RecordCopy.with(
                        HttpOptions.of(URI.create("http://127.0.0.1/")),
                        "headers",
                        Sensitive.values(Map.of("X-Key", "secret\r\nEvil: 1")))))
        .hasMessageContaining("X-Key")
        .hasMessageNotContaining("secret");
  }

  @Test
  void a_notification_that_is_refused_is_silent_and_the_next_request_finds_a_lost_session()
      throws Exception {
    RawHttpServer server =
        answer(
            (request, peer) -> {
              if (request.calls(Methods.INITIALIZE)) {
                peer.json(resultOf(0), "Mcp-Session-Id: s1");
              } else if (request.calls("n/bad")) {
                peer.reply(
                    "400 Bad Request",
                    errorOf(null, -32600, "bad"),
                    "Content-Type: application/json");
              } else {
                peer.reply("404 Not Found", "");
              }
            });
    ChannelProbe probe = open(server);
    probe.call(0, Methods.INITIALIZE);
    probe.notify("n/bad");
    await().until(() -> server.requests().size() == 2);
    probe.notify("n/other");
    await().until(() -> probe.tolerated(Quirk.NOTIFICATION_REFUSED) == 2);
    assertThat(probe.closings()).isEmpty();
    expect(probe.fail(1, "tools/list"), Reason.SESSION_LOST, Reached.NO);
    await().until(() -> probe.closings().size() == 1);
    assertThat(probe.messages()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "400 Bad Request",
        "401 Unauthorized",
        "404 Not Found",
        "405 Method Not Allowed",
        "500 Internal Server Error",
        ""
      })
  void no_fate_of_a_notification_ends_the_session(String status) throws Exception {
    RawHttpServer server =
        answer(
            (request, peer) -> {
              if (request.calls(Methods.INITIALIZE)) {
                peer.json(resultOf(0), "Mcp-Session-Id: s1");
              } else if (request.id() >= 0) {
                peer.result(request.id());
              } else if (status.isEmpty()) {
                peer.reset();
              } else {
                peer.reply(
                    status,
                    errorOf(null, -32601, "Session: method not found"),
                    "Content-Type: application/json");
              }
            });
    ChannelProbe probe = handshake(options(server));
    probe.call(1, "tools/list");
    probe.notify("notifications/cancelled");
    probe.send(
        OutboundMessage.response(
            Envelope.Kind.RESULT, MessageWriter.result(RawJson.of("9"), RawJson.EMPTY_OBJECT)));
    await().until(() -> server.requests().size() >= 5);
    probe.call(2, "tools/call");
    assertThat(probe.closings()).isEmpty();
  }

  @Test
  void a_session_id_that_is_not_visible_ascii_is_refused() throws Exception {
    RawHttpServer server = answer((request, peer) -> peer.json(resultOf(0), "Mcp-Session-Id: a b"));
    expect(open(server).fail(0, Methods.INITIALIZE), Reason.PROTOCOL_ERROR, Reached.MAYBE);
  }
}
