package dev.mcpbus.transport.http;

import static dev.mcpbus.testing.RawHttpServer.errorOf;
import static dev.mcpbus.testing.RawHttpServer.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.testing.ChannelProbe;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.RawHttpServer.Request;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import java.net.URI;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the transport makes of faults in single answers; numbers as in the list of faults. */
class StreamableHttpTransportTest extends HttpFixture {

  @Test
  void case_27_a_refused_connection_and_an_unknown_host_fail_unsent() throws Exception {
    ChannelProbe refused = open(URI.create("http://127.0.0.1:" + RawHttpServer.refusingPort()));
    expect(refused.fail(1, "ping"), Reason.CONNECT_FAILED, Reached.NO);
    ChannelProbe unknown = open(URI.create("http://no-such-host.invalid/mcp"));
    expect(unknown.fail(1, "ping"), Reason.CONNECT_FAILED, Reached.NO);
  }

  @Test
  void case_28_a_silent_server_holds_one_call_only_and_forget_frees_it() throws Exception {
    RawHttpServer server =
        answer(
            (request, peer) -> {
              if (request.id() == 1) {
                peer.silence();
              } else {
                peer.result(request.id());
              }
            });
    ChannelProbe probe = open(server);
    probe.request(1, "tools/call");
    await().until(() -> server.requests().size() == 1);
    probe.call(2, "ping");
    assertThat(probe.endings(1)).isZero();
    probe.run(() -> probe.channel().forget(1));
    await().until(() -> server.open() == 1);
  }

  @Test
  void case_29_a_reset_before_the_request_is_written_fails_unsent() throws Exception {
    RawHttpServer server = play(RawHttpServer.Peer::reset);
    ChannelProbe probe = open(URI.create("https://127.0.0.1:" + server.port() + "/mcp"));
    assertThat(probe.fail(1, "ping").reached()).isEqualTo(Reached.NO);
  }

  @Test
  void case_29_a_connection_that_the_server_closed_while_idle_harms_no_later_call()
      throws Exception {
    CountDownLatch close = new CountDownLatch(1);
    RawHttpServer server =
        play(
            peer -> {
              Request request = peer.read();
              peer.result(request.id());
              if (request.id() == 1) {
                awaitLatch(close);
                peer.close();
              }
              peer.silence();
            });
    ChannelProbe probe = open(server);
    probe.call(1, "ping");
    close.countDown();
    await().until(() -> server.open() == 0);
    probe.call(2, "ping");
    assertThat(server.accepted()).isEqualTo(2);
  }

  @Test
  void a_server_that_closes_after_each_answer_without_a_word_is_known_after_two() throws Exception {
    RawHttpServer server =
        play(
            peer -> {
              peer.result(peer.read().id());
              peer.close();
            });
    ChannelProbe probe = open(server);
    AtomicLong id = new AtomicLong();
    await()
        .ignoreExceptions() // a close may cross one of the first requests
        .until(
            () -> {
              for (int call = 0; call < 50; call++) {
                probe.call(id.incrementAndGet(), "ping");
              }
              return true;
            });
  }

  @Test
  void case_30_a_reset_after_the_request_fails_as_maybe_sent() throws Exception {
    RawHttpServer server =
        play(
            peer -> {
              Request request = peer.read();
              if (request.id() == 2) {
                peer.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n");
                peer.send("Content-Length: 100\r\n\r\n{\"jsonrpc\"");
                peer.silenceFor(50);
              }
              peer.reset();
            });
    ChannelProbe probe = open(server);
    expect(probe.fail(1, "ping"), Reason.UPSTREAM_RESET, Reached.MAYBE);
    expect(probe.fail(2, "ping"), Reason.UPSTREAM_RESET, Reached.MAYBE);
    assertThat(probe.endings(2)).isEqualTo(1);
  }

  @Test
  void case_32_a_slow_drip_is_read_to_its_end() throws Exception {
    RawHttpServer server =
        answer(
            (request, peer) ->
                peer.drip(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                        + resultOf(1).length()
                        + "\r\n\r\n"
                        + resultOf(1),
                    200));
    assertThat(open(server).call(1, "ping").payload()).hasToString("{\"n\":1}");
  }

  @Test
  void case_33_a_redirect_to_another_origin_is_refused_and_gets_no_credentials() throws Exception {
    RawHttpServer other = answer((request, peer) -> peer.result(request.id()));
    RawHttpServer server =
        answer((request, peer) -> peer.reply("307 Moved", "", "Location: " + other.url()));
    ChannelProbe probe =
        open(
            RecordCopy.with(
                options(server),
                "headers",
                Sensitive.values(Map.of("Authorization", "Bearer secret"))));
    TransportException failure = probe.fail(1, "ping");
    expect(failure, Reason.PROTOCOL_ERROR, Reached.NO);
    assertThat(failure).hasMessageContaining("http://127.0.0.1:" + other.port());
    assertThat(other.accepted()).isZero();
  }

  @Test
  void case_33_a_redirect_within_the_origin_is_followed_three_times_at_most() throws Exception {
    AtomicInteger hops = new AtomicInteger();
    RawHttpServer server =
        answer(
            (request, peer) -> {
              if (request.path().equals("/mcp/")) {
                peer.result(request.id());
              } else if (request.path().equals("/mcp")) {
                peer.reply("307 Temporary Redirect", "", "Location: /mcp/");
              } else {
                hops.incrementAndGet();
                peer.reply("308 Permanent Redirect", "", "Location: /loop");
              }
            });
    ChannelProbe probe = open(server);
    probe.call(1, "ping");
    probe.call(2, "ping");
    assertThat(server.requests())
        .extracting(Request::path)
        .containsExactly("/mcp", "/mcp/", "/mcp/");
    ChannelProbe looping = open(server.url().resolve("/loop"));
    expect(looping.fail(1, "ping"), Reason.PROTOCOL_ERROR, Reached.NO);
    assertThat(hops).hasValue(4);
  }

  @Test
  void a_redirect_whose_body_never_ends_keeps_no_connection() throws Exception {
    Set<Long> redirected = ConcurrentHashMap.newKeySet();
    RawHttpServer server =
        answer(
            (request, peer) -> {
              if (!redirected.add(request.id())) {
                peer.result(request.id());
                return;
              }
              peer.head(
                  "307 Temporary Redirect",
                  "Location: " + (request.path().endsWith("/") ? "/mcp" : "/mcp/"),
                  "Content-Type: text/event-stream",
                  "Transfer-Encoding: chunked");
              peer.silence();
            });
    ChannelProbe probe = open(server);
    for (int id = 1; id <= options(server).maxConnections() + 2; id++) {
      probe.call(id, "ping");
    }
  }

  @Test
  void case_34_a_400_with_an_error_is_the_answer_and_an_empty_one_is_a_failure() throws Exception {
    RawHttpServer server =
        answer(
            (request, peer) -> {
              if (request.id() == 3) {
                peer.reply("400 Bad Request", "");
              } else {
                peer.reply(
                    "400 Bad Request",
                    errorOf(request.id() == 1 ? 1 : null, -32022, "unsupported"),
                    "Content-Type: application/json");
              }
            });
    ChannelProbe probe = open(server);
    assertThat(probe.call(1, "initialize").payload().toString()).contains("-32022");
    assertThat(probe.call(2, "initialize").payload().toString()).contains("-32022");
    expect(probe.fail(3, "initialize"), Reason.PROTOCOL_ERROR, Reached.MAYBE);
  }

  @Test
  void case_35_a_401_asks_for_credentials_and_shows_where_from() throws Exception {
    RawHttpServer server =
        answer(
            (request, peer) ->
                peer.reply(
                    "401 Unauthorized",
                    "",
                    "WWW-Authenticate: Bearer realm=\"r1\", resource_metadata=\"http://a/m\","
                        + " token=\"secret\""));
    TransportException failure = open(server).fail(1, "ping");
    expect(failure, Reason.AUTH_REQUIRED, Reached.NO);
    assertThat(failure)
        .hasMessageContaining("realm=\"r1\"")
        .hasMessageContaining("resource_metadata=\"http://a/m\"")
        .hasMessageNotContaining("secret");
  }

  @Test
  void case_36_a_403_is_forbidden_and_not_tried_again() throws Exception {
    RawHttpServer server =
        answer(
            (request, peer) ->
                peer.reply(
                    "403 Forbidden", "", "WWW-Authenticate: Bearer error=\"insufficient_scope\""));
    TransportException failure = open(server).fail(1, "ping");
    expect(failure, Reason.FORBIDDEN, Reached.NO);
    assertThat(failure).hasMessageContaining("insufficient_scope");
    assertThat(server.requests()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"404 Not Found", "400 Bad Request"})
  void case_37_a_lost_session_is_told_once_and_other_calls_go_on(String status) throws Exception {
    CountDownLatch finish = new CountDownLatch(1);
    CountDownLatch both = new CountDownLatch(2);
    RawHttpServer server =
        session(
            (request, peer) -> {
              if (request.id() == 1) {
                awaitLatch(finish);
                peer.result(1);
              } else {
                both.countDown();
                awaitLatch(both);
                peer.reply(
                    status,
                    errorOf(null, -32000, "No valid session ID"),
                    "Content-Type: application/json");
              }
            });
    ChannelProbe probe = handshake(options(server));
    probe.request(1, "tools/call");
    probe.request(2, "tools/call");
    probe.request(3, "tools/call");
    expect(probe.failure(2), Reason.SESSION_LOST, Reached.NO);
    expect(probe.failure(3), Reason.SESSION_LOST, Reached.NO);
    assertThatThrownBy(() -> probe.request(4, "tools/call"))
        .isInstanceOfSatisfying(
            TransportException.class, e -> expect(e, Reason.SESSION_LOST, Reached.NO));
    assertThat(probe.closings()).isEmpty();
    finish.countDown();
    probe.reply(1);
    await().until(() -> probe.closings().size() == 1);
    expect(probe.closings().get(0), Reason.SESSION_LOST, Reached.NO);
    probe.close();
    assertThat(server.requests("DELETE")).isEmpty();
  }

  @Test
  void case_38_a_404_with_method_not_found_is_the_answer_and_no_lost_session() throws Exception {
    RawHttpServer server =
        session(
            (request, peer) ->
                peer.reply(
                    "404 Not Found",
                    errorOf(request.id(), -32601, "no such method"),
                    "Content-Type: application/json"));
    ChannelProbe probe = handshake(options(server));
    assertThat(probe.call(1, "x/y").payload().toString()).contains("-32601");
    assertThat(probe.call(2, "x/y").payload().toString()).contains("-32601");
    assertThat(probe.closings()).isEmpty();
  }

  private enum Advice {
    NOTHING(""),
    LOG(": see the log of that server"),
    URL(": is this the URL of the MCP endpoint? Its path is often /mcp or /sse");

    final String text;

    Advice(String text) {
      this.text = text;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "404 Not Found,CONNECT_FAILED,NO,URL",
    "405 Method Not Allowed,PROTOCOL_ERROR,NO,URL",
    "406 Not Acceptable,PROTOCOL_ERROR,MAYBE,URL",
    "413 Too Large,LIMIT_EXCEEDED,NO,NOTHING",
    "414 URI Too Long,LIMIT_EXCEEDED,NO,NOTHING",
    "431 Headers Too Large,LIMIT_EXCEEDED,NO,NOTHING",
    "500 Oops,UPSTREAM_RESET,MAYBE,LOG",
    "501 Not Implemented,UPSTREAM_RESET,MAYBE,URL",
    "503 Busy,UPSTREAM_RESET,MAYBE,LOG",
    "418 Teapot,PROTOCOL_ERROR,MAYBE,NOTHING"
  })
  void case_40_and_42_a_status_is_told_by_its_code(
      String status, Reason reason, Reached sent, Advice advice) throws Exception {
    RawHttpServer server = answer((request, peer) -> peer.reply(status, "<html>no</html>"));
    ChannelProbe probe = open(server);
    TransportException failure = probe.fail(1, "ping");
    expect(failure, reason, sent);
    assertThat(failure)
        .hasMessage("HTTP " + status.substring(0, 3) + " from " + server.url() + advice.text);
  }

  @ParameterizedTest
  @CsvSource({"7,7000", "999999999999999999999,3600000", "soon,-1", "-5,-1"})
  void case_41_a_429_tells_when_to_retry_within_an_hour(String value, long millis)
      throws Exception {
    RawHttpServer server =
        answer((request, peer) -> peer.reply("429 Slow", "", "Retry-After: " + value));
    TransportException failure = open(server).fail(1, "ping");
    expect(failure, Reason.RATE_LIMITED, Reached.NO);
    assertThat(failure.retryAfterMillis()).isEqualTo(millis);
  }
}
