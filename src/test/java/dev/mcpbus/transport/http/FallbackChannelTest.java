package dev.mcpbus.transport.http;

import static dev.mcpbus.testing.RawHttpServer.errorOf;
import static dev.mcpbus.testing.RawHttpServer.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.testing.ChannelProbe;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** From Streamable HTTP to HTTP+SSE, without the owner doing anything. */
class FallbackChannelTest extends HttpFixture {

  private HttpSseServer httpSse() {
    HttpSseServer server =
        new HttpSseServer(
            (request, peer, stream) -> {
              peer.reply("202 Accepted", "");
              if (request.id() >= 0) {
                stream.event("message", resultOf(request.id()));
              }
            });
    serve(server.http());
    return server;
  }

  @ParameterizedTest
  @ValueSource(strings = {"400 Bad Request", "404 Not Found", "405 Method Not Allowed"})
  void a_first_message_that_is_refused_goes_over_http_sse(String status) throws Exception {
    HttpSseServer server = httpSse();
    server.refusal(status);
    ChannelProbe probe = handshake(HttpOptions.of(server.url()));
    probe.call(1, "tools/list");
    assertThat(probe.endings(0)).isEqualTo(1);
    assertThat(server.http().requests("POST").stream().map(RawHttpServer.Request::path))
        .containsExactly(
            "/sse", "/messages?sessionId=7", "/messages?sessionId=7", "/messages?sessionId=7");
    assertThat(probe.channel().diagnostics().getString("wire")).isEqualTo("HTTP+SSE");
    assertThat(probe.foreignCallbacks()).isZero();
    probe.close();
    await().until(() -> server.http().open() == 0);
  }

  /** As {@code /sse/<id>} of mcpbus itself: it answers 405 with a JSON-RPC body. */
  @ParameterizedTest
  @ValueSource(strings = {"400 Bad Request", "404 Not Found", "405 Method Not Allowed"})
  void a_json_rpc_body_does_not_change_that(String status) throws Exception {
    HttpSseServer server = httpSse();
    server.refusal(status, errorOf(0L, -32000, "Method not allowed."));
    ChannelProbe probe = handshake(HttpOptions.of(server.url()));
    probe.call(1, "tools/list");
    assertThat(probe.channel().diagnostics().getString("wire")).isEqualTo("HTTP+SSE");
  }

  @Test
  void headers_for_streams_are_sent_with_the_get_alone() throws Exception {
    HttpSseServer server = httpSse();
    HttpOptions options =
        RecordCopy.with(
            HttpOptions.of(server.url()), "streamHeaders", Map.of("X-Stream", Sensitive.of("yes")));
    ChannelProbe probe = handshake(options);
    probe.call(1, "tools/list");
    assertThat(server.http().requests("GET"))
        .isNotEmpty()
        .allMatch(get -> "yes".equals(get.headers().get("x-stream")));
    assertThat(server.http().requests("POST"))
        .isNotEmpty()
        .noneMatch(post -> post.headers().containsKey("x-stream"));
  }

  /** mcp-go: the probe gets 400 and plain text, and any GET opens a stream that stays silent. */
  @Test
  void a_probe_that_is_refused_looks_for_no_stream_and_leads_to_initialize() throws Exception {
    RawHttpServer server =
        answer(
            (request, peer) -> {
              if (request.method().equals("GET")) {
                peer.stream();
                peer.silence();
              } else if (request.calls(Methods.INITIALIZE)) {
                peer.result(request.id());
              } else {
                peer.reply("400 Bad Request", "Invalid session ID");
              }
            });
    ChannelProbe probe = open(server);
    expect(probe.fail(0, Methods.DISCOVER), Reason.PROTOCOL_ERROR, Reached.MAYBE);
    probe.call(1, Methods.INITIALIZE);
    assertThat(server.requests("GET")).isEmpty();
  }

  @Test
  void of_a_server_of_http_sse_that_refuses_both_openings_initialize_goes_there() throws Exception {
    HttpSseServer server = httpSse();
    ChannelProbe probe = open(server.url());
    expect(probe.fail(0, Methods.DISCOVER), Reason.CONNECT_FAILED, Reached.NO);
    probe.call(1, Methods.INITIALIZE);
    assertThat(server.http().requests("GET")).hasSize(1);
  }

  @Test
  void without_such_a_stream_the_failure_names_both_reasons() throws Exception {
    RawHttpServer server = answer((request, peer) -> peer.reply("404 Not Found", ""));
    ChannelProbe probe = open(server);
    TransportException why = probe.fail(0, Methods.INITIALIZE);
    expect(why, Reason.CONNECT_FAILED, Reached.NO);
    assertThat(why)
        .hasMessage(
            "HTTP 404 from %1$s, also over HTTP+SSE (2024-11-05): is this the URL of the MCP"
                + " endpoint? Its path is often /mcp or /sse",
            server.url());
    assertThat(probe.endings(0)).isEqualTo(1);
    assertThat(probe.closings()).isEmpty();
  }

  @Test
  void a_json_rpc_error_is_the_answer_where_http_sse_fails_and_other_refusals_do_not_fall_back()
      throws Exception {
    RawHttpServer server =
        answer(
            (request, peer) -> {
              if (request.id() == 0) {
                peer.reply(
                    "400 Bad Request", errorOf(0L, -32600, "no"), "Content-Type: application/json");
              } else if (request.id() == 1) {
                peer.reply("404 Not Found", "");
              } else {
                peer.reply("403 Forbidden", "");
              }
            });
    ChannelProbe probe = open(server);
    assertThat(probe.call(0, Methods.INITIALIZE).payload().toString()).contains("-32600");
    assertThat(server.requests("GET")).hasSize(1);
    probe.fail(1, "ping");
    expect(probe.fail(2, Methods.INITIALIZE), Reason.FORBIDDEN, Reached.NO);
    assertThat(server.requests("GET")).hasSize(1);
  }

  @Test
  void once_a_message_was_accepted_there_is_no_falling_back() throws Exception {
    RawHttpServer server =
        answer(
            (request, peer) -> {
              if (request.id() == 0) {
                peer.result(0);
              } else {
                peer.reply("405 Method Not Allowed", "");
              }
            });
    ChannelProbe probe = open(server);
    probe.call(0, Methods.INITIALIZE);
    expect(probe.fail(1, Methods.INITIALIZE), Reason.PROTOCOL_ERROR, Reached.NO);
    assertThat(server.requests("GET")).isEmpty();
  }

  @Test
  void close_and_forget_while_the_stream_opens_leave_nothing() throws Exception {
    RawHttpServer server =
        answer(
            (request, peer) -> {
              if (request.method().equals("GET")) {
                peer.stream();
                peer.silence();
              }
              peer.reply("405 Method Not Allowed", "");
            });
    ChannelProbe probe =
        open(
            RecordCopy.with(
                HttpOptions.of(server.url()), "connectTimeout", Duration.ofSeconds(30)));
    probe.request(0, Methods.INITIALIZE);
    await().until(() -> server.requests("GET").size() == 1);
    probe.run(() -> probe.channel().forget(0));
    probe.notify("n/held");
    probe.close();
    await().until(() -> server.open() == 0);
    assertThat(probe.endings(0)).isZero();
    assertThat(probe.closings()).isEmpty();
  }
}
