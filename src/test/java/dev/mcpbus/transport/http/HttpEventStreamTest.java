package dev.mcpbus.transport.http;

import static dev.mcpbus.testing.RawHttpServer.notification;
import static dev.mcpbus.testing.RawHttpServer.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.hosting.BuiltInTransports;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Quirk;
import dev.mcpbus.testing.ChannelProbe;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.RawHttpServer.Request;
import dev.mcpbus.transport.AuthenticatorFactory;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpEventStreamTest extends HttpFixture {

  @Test
  void messages_before_the_reply_are_delivered_in_order_and_the_connection_is_used_again()
      throws Exception {
    RawHttpServer server =
        answer(
            (request, peer) -> {
              peer.stream();
              peer.chunk("data: " + notification("notifications/progress") + "\n\n");
              peer.chunk("data: {\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"ping\"}\n\n");
              peer.chunk("data: " + resultOf(99) + "\n\n");
              peer.chunk("data: " + resultOf(request.id()) + "\n\n");
              peer.end();
            });
    ChannelProbe probe = open(server);
    probe.call(1, "tools/call");
    assertThat(probe.heard()).containsExactly("notifications/progress", "ping");
    await().until(() -> probe.channel().diagnostics().getInteger("openStreams") == 0);
    probe.call(2, "tools/call");
    assertThat(probe.messages()).hasSize(6);
    assertThat(probe.endings(99)).isZero();
    assertThat(probe.channel().diagnostics().getLong("junk")).isEqualTo(2);
    assertThat(probe.foreignCallbacks()).isZero();
  }

  @Test
  void a_stream_that_stays_open_after_the_reply_is_closed() throws Exception {
    RawHttpServer server =
        answer(
            (request, peer) -> {
              peer.stream();
              peer.chunk("data: " + resultOf(request.id()) + "\n\n");
              peer.silence();
            });
    ChannelProbe probe = open(server);
    probe.call(1, "tools/call");
    await().until(() -> server.open() == 0);
  }

  @Test
  void case_47_sse_cut_before_the_reply_resumes_by_last_event_id() throws Exception {
    RawHttpServer server =
        session(
            (request, peer) -> {
              peer.stream();
              if (request.method().equals("POST")) {
                peer.chunk("retry: 50\nid: e1\ndata:\n\n");
                peer.chunk("id: e2\ndata: " + notification("n/two") + "\n\n");
                peer.chunk("id: e3\ndata: " + notification("n/cut"));
                peer.close();
              }
              peer.chunk("id: e2\ndata: " + notification("n/two") + "\n\n");
              peer.chunk("id: e3\ndata: " + notification("n/three") + "\n\n");
              peer.chunk("id: e4\ndata: " + resultOf(1) + "\n\n");
              peer.end();
            });
    ChannelProbe probe = handshake(options(server));
    probe.call(1, "tools/call");
    assertThat(server.requests("GET"))
        .singleElement()
        .satisfies(
            request ->
                assertThat(request.headers())
                    .containsEntry("last-event-id", "e2")
                    .containsEntry("mcp-session-id", "s1")
                    .containsEntry("mcp-protocol-version", "2025-11-25")
                    .containsEntry("accept", "text/event-stream"));
    assertThat(probe.heard()).as("case 51: once").containsExactly("n/two", "n/three");
    assertThat(probe.endings(1)).isEqualTo(1);
  }

  @Test
  void case_47_sse_cut_without_an_event_id_has_an_unknown_outcome() throws Exception {
    RawHttpServer server =
        play(
            peer -> {
              peer.read();
              peer.stream();
              peer.chunk("data: " + notification("n/one") + "\n\n");
              peer.close();
            });
    ChannelProbe probe = open(server);
    expect(probe.fail(1, "tools/call"), Reason.OUTCOME_UNKNOWN, Reached.MAYBE);
    assertThat(server.requests("GET")).isEmpty();
  }

  @Test
  void case_47_resumption_ends_after_five_attempts_without_an_event() throws Exception {
    RawHttpServer server =
        answer(
            (request, peer) -> {
              if (request.method().equals("GET")) {
                peer.reply("503 Busy", "");
                return;
              }
              peer.stream();
              peer.chunk("retry: 1\nid: e1\ndata:\n\n");
              peer.close();
            });
    expect(open(server).fail(1, "tools/call"), Reason.OUTCOME_UNKNOWN, Reached.MAYBE);
    assertThat(server.requests("GET")).hasSize(5);
  }

  @Test
  void case_47_a_server_that_cannot_resume_gives_an_unknown_outcome_at_once() throws Exception {
    RawHttpServer server =
        answer(
            (request, peer) -> {
              if (request.method().equals("GET")) {
                peer.reply("405 Method Not Allowed", "");
                return;
              }
              peer.stream();
              peer.chunk("retry: 1\nid: e1\ndata:\n\n");
              peer.close();
            });
    expect(open(server).fail(1, "tools/call"), Reason.OUTCOME_UNKNOWN, Reached.MAYBE);
    assertThat(server.requests("GET")).hasSize(1);
  }

  @Test
  void a_server_may_close_and_be_polled_for_longer_than_the_bound_of_attempts() throws Exception {
    AtomicInteger polls = new AtomicInteger();
    RawHttpServer server =
        answer(
            (request, peer) -> {
              int poll = polls.getAndIncrement();
              peer.stream();
              peer.chunk("retry: 1\nid: e" + poll + "\ndata:\n\n");
              if (poll == 8) {
                peer.chunk("data: " + resultOf(1) + "\n\n");
              }
              peer.end();
            });
    open(server).call(1, "tools/call");
    assertThat(server.requests("GET")).hasSize(8);
  }

  @Test
  void forget_ends_a_resumption_that_waits() throws Exception {
    RawHttpServer server =
        answer(
            (request, peer) -> {
              peer.stream();
              peer.chunk("retry: 50\nid: e1\ndata:\n\n");
              if (request.method().equals("GET")) {
                peer.silence();
              }
              peer.end();
            });
    ChannelProbe probe = open(server);
    probe.request(1, "tools/call");
    await().until(() -> server.requests("GET").size() == 1);
    probe.run(() -> probe.channel().forget(1));
    await().until(() -> server.open() == 0);
    assertThat(probe.endings(1)).isZero();
  }

  @Test
  void case_48_a_reply_that_no_blank_line_ends_is_discarded() throws Exception {
    RawHttpServer server =
        answer(
            (request, peer) -> {
              peer.stream();
              peer.chunk("data: " + resultOf(1) + "\n");
              peer.end();
            });
    expect(open(server).fail(1, "tools/call"), Reason.OUTCOME_UNKNOWN, Reached.MAYBE);
  }

  @Test
  void case_49_an_event_stream_without_line_ends_stops_at_the_cap() throws Exception {
    RawHttpServer server =
        answer(
            (request, peer) -> {
              peer.stream();
              while (true) {
                peer.chunk("data: " + "x".repeat(1_000));
              }
            });
    ChannelProbe probe = open(RecordCopy.with(options(server), "limits", SMALL));
    expect(probe.fail(1, "tools/call"), Reason.LIMIT_EXCEEDED, Reached.MAYBE);
    await().until(() -> server.open() == 0);
  }

  @Test
  void case_50_comments_and_unknown_events_are_skipped() throws Exception {
    RawHttpServer server =
        answer(
            (request, peer) -> {
              peer.stream();
              peer.chunk(": ping\n\nevent: heartbeat\ndata: x\n\nfoo: bar\n");
              peer.chunk("data: " + resultOf(1) + "\r\n\r\n");
              peer.end();
            });
    open(server).call(1, "tools/call");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "data: {\"type\":\"heartbeat\",\"timestamp\":\"t\"}",
        "data: {}",
        "data: keep-alive",
        "data: [INFO] still here",
        "data: \"ping\"",
        "data: 1",
        "data: null",
        "data: ping - 2026-01-01 00:00:00",
        "data: [DONE]",
        "data: {\"type\":\"ping\",\"id\":\"evt-1\"}",
        "data: {\"id\":1}",
        "data: {\"method\":\"ping\"}",
        "data: {\"jsonrpc\":\"2.0\"}",
        "data: {\"jsonrpc\":\"2.0\",\"type\":\"ping\"}",
        "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":[]}",
        "event: message\ndata: {\"params\":{},\"event\":\"ping\"}"
      })
  void data_that_was_not_meant_as_a_message_is_skipped_and_counted(String event) throws Exception {
    AtomicInteger gets = new AtomicInteger();
    RawHttpServer server =
        session(
            (request, peer) -> {
              boolean get = request.method().equals("GET");
              gets.addAndGet(get ? 1 : 0);
              peer.stream();
              peer.chunk(event + "\n\n");
              peer.chunk("event: ping\ndata: x\n\nevent: heartbeat\ndata:\n\ndata:\n\n");
              if (get) {
                peer.chunk("data: " + notification("n/one") + "\n\n");
                peer.silence();
              }
              peer.chunk("data: " + resultOf(request.id()) + "\n\n");
              peer.end();
            });
    ChannelProbe probe = handshake(RecordCopy.with(options(server), "listen", true));
    probe.call(1, "tools/call");
    await().until(() -> probe.heard().contains("n/one"));
    assertThat(probe.tolerated(Quirk.STRAY_EVENTS)).isEqualTo(2);
    assertThat(gets).hasValue(1);

    ChannelProbe strict =
        own(
            ChannelProbe.strict(
                vertx,
                BuiltInTransports.create(vertx, options(server), AuthenticatorFactory.NONE)));
    expect(strict.fail(1, "tools/call"), Reason.PROTOCOL_ERROR, Reached.MAYBE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"jsonrpc\":\"1.0\",\"id\":1}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"ID\":1,\"result\":{}}",
        "{\"RESULT\":{},\"id\":1}",
        "{\"result\":{},\"id\":1}",
        "{\"id\":1,\"error\":{\"code\":1,\"message\":\"a\"}}",
        "{\"type\":\"ping\"",
        "[{\"type\":\"ping\"}]",
        "[]"
      })
  void data_that_was_meant_as_a_message_is_a_protocol_error(String data) throws Exception {
    RawHttpServer server =
        answer(
            (request, peer) -> {
              peer.stream();
              peer.chunk("data: " + data + "\n\n");
              peer.silence();
            });
    ChannelProbe probe = open(server);
    expect(probe.fail(1, "tools/call"), Reason.PROTOCOL_ERROR, Reached.MAYBE);
    assertThat(probe.tolerated(Quirk.STRAY_EVENTS)).isZero();
  }

  @Test
  void a_flood_of_such_data_ends_the_call() throws Exception {
    RawHttpServer server =
        answer(
            (request, peer) -> {
              peer.stream();
              while (true) {
                peer.chunk("data: keep-alive\n\n".repeat(100));
              }
            });
    ChannelProbe probe = open(server);
    TransportException flooded = probe.fail(1, "tools/call");
    expect(flooded, Reason.PROTOCOL_ERROR, Reached.MAYBE);
    assertThat(flooded).hasMessageContaining("more than 1000 events");
  }

  @Test
  void case_53_an_event_that_is_not_json_rpc_is_a_protocol_error() throws Exception {
    RawHttpServer server =
        answer(
            (request, peer) -> {
              peer.stream();
              peer.chunk("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":NaN}\n\n");
              peer.silence();
            });
    expect(open(server).fail(1, "tools/call"), Reason.PROTOCOL_ERROR, Reached.MAYBE);
    await().until(() -> server.open() == 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"405 Method Not Allowed", "404 Not Found"})
  void case_39_a_server_without_a_get_stream_is_asked_once(String status) throws Exception {
    RawHttpServer server =
        session(
            (request, peer) -> {
              if (request.method().equals("GET")) {
                peer.reply(status, "");
              } else {
                peer.result(request.id());
              }
            });
    ChannelProbe probe = handshake(RecordCopy.with(options(server), "listen", true));
    await().until(() -> server.requests("GET").size() == 1);
    probe.call(1, "ping");
    probe.call(2, "ping");
    assertThat(server.requests("GET")).hasSize(1);
    assertThat(probe.channel().diagnostics().getBoolean("listening")).isFalse();
    assertThat(probe.closings()).isEmpty();
    await("the connection of the calls is left").until(() -> server.open() == 1);
  }

  @Test
  void a_get_stream_that_the_server_ends_leaves_no_connection_behind() throws Exception {
    RawHttpServer server =
        session(
            (request, peer) -> {
              peer.stream();
              peer.chunk("retry: 60000\ndata: " + notification("n/one") + "\n\n");
              peer.end();
            });
    ChannelProbe probe = handshake(RecordCopy.with(options(server), "listen", true));
    await().until(() -> probe.heard().size() == 1);
    await("the connection of the calls is left").until(() -> server.open() == 1);
    assertThat(server.accepted()).isEqualTo(2);
    await().until(() -> probe.channel().diagnostics().getInteger("openStreams") == 0);
  }

  @Test
  void the_get_stream_delivers_reconnects_and_holds_no_call_up() throws Exception {
    CountDownLatch cut = new CountDownLatch(1);
    AtomicInteger gets = new AtomicInteger();
    RawHttpServer server =
        session(
            (request, peer) -> {
              if (request.method().equals("POST")) {
                peer.result(request.id());
                return;
              }
              peer.stream();
              if (gets.getAndIncrement() == 0) {
                peer.chunk("retry: 60\nid: g1\ndata: " + notification("n/one") + "\n\n");
                awaitLatch(cut);
                peer.close();
              }
              peer.chunk("id: g1\ndata: " + notification("n/one") + "\n\n");
              peer.chunk("id: g2\ndata: " + notification("n/two") + "\n\n");
              peer.chunk("data: " + resultOf(5) + "\n\n");
              peer.silence();
            });
    ChannelProbe probe =
        handshake(
            RecordCopy.with(
                HttpOptions.of(server.url()), Map.of("maxConnections", 1, "limits", SMALL)));
    await().until(() -> probe.heard().size() == 1);
    probe.call(1, "ping");
    cut.countDown();
    await().until(() -> probe.heard().size() == 2);
    assertThat(probe.heard()).containsExactly("n/one", "n/two");
    assertThat(server.requests("GET"))
        .extracting(Request::headers)
        .satisfiesExactly(
            first -> assertThat(first).doesNotContainKey("last-event-id"),
            second -> assertThat(second).containsEntry("last-event-id", "g1"));
    assertThat(probe.endings(5)).isZero();
    assertThat(probe.channel().diagnostics().getInteger("openStreams")).isEqualTo(1);
    probe.close();
    await().until(() -> server.open() == 0);
  }
}
