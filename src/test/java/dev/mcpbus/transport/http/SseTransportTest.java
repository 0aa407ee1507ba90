package dev.mcpbus.transport.http;

import static dev.mcpbus.testing.RawHttpServer.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.hosting.BuiltInTransports;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.Quirk;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.testing.ChannelProbe;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.transport.AuthenticatorFactory;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.SseOptions;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP+SSE of 2024-11-05 against a server that says exactly what the test wants. */
class SseTransportTest extends HttpFixture {

  private static final String LISTED =
      "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}";

  /** The id by which a channel asks whether the server knows the session. */
  private static final String PROBE = "\"mcpbus-probe\"";

  private HttpSseServer httpSse(HttpSseServer.Posts posts) {
    HttpSseServer server = new HttpSseServer(posts);
    serve(server.http());
    return server;
  }

  /** Answers each request over the stream, before its POST is answered. */
  private HttpSseServer answering() {
    return httpSse(
        (request, peer, stream) -> {
          if (request.id() >= 0) {
            stream.event("message", resultOf(request.id()));
          }
          peer.reply("202 Accepted", "Accepted");
        });
  }

  private ChannelProbe connect(HttpSseServer server) throws Exception {
    return connect(HttpOptions.of(server.url()));
  }

  private ChannelProbe connect(HttpOptions options) throws Exception {
    return own(
        ChannelProbe.open(
            vertx,
            BuiltInTransports.create(vertx, new SseOptions(options), AuthenticatorFactory.NONE)));
  }

  private TransportException refusal(HttpOptions options) throws Exception {
    try {
      connect(options);
    } catch (TransportException e) {
      return e;
    }
    throw new AssertionError("it was opened");
  }

  @Test
  void messages_are_posted_and_answers_come_over_the_stream() throws Exception {
    HttpSseServer server = answering();
    ChannelProbe probe =
        connect(
            RecordCopy.with(
                HttpOptions.of(server.url()),
                "headers",
                Sensitive.values(Map.of("X-Team", "blue"))));
    probe.call(0, Methods.INITIALIZE);
    probe.notify(Methods.INITIALIZED);
    assertThat(probe.call(1, "tools/list").payload()).hasToString("{\"n\":1}");
    server.stream().event("message", LISTED);
    await().until(() -> probe.heard().contains(Methods.TOOLS_CHANGED));

    assertThat(server.http().requests("GET"))
        .singleElement()
        .satisfies(
            get ->
                assertThat(get.headers())
                    .containsEntry("accept", "text/event-stream")
                    .containsEntry("x-team", "blue"));
    assertThat(server.http().requests("POST"))
        .hasSize(3)
        .allSatisfy(
            post -> {
              assertThat(post.path()).isEqualTo("/messages?sessionId=7");
              assertThat(post.headers())
                  .containsEntry("content-type", "application/json")
                  .containsEntry("x-team", "blue");
            });
    assertThat(probe.foreignCallbacks()).isZero();
    assertThat(probe.channel().diagnostics().getInteger("inFlight")).isZero();
  }

  @Test
  void data_that_was_not_meant_as_a_message_is_skipped_and_counted() throws Exception {
    HttpSseServer server = answering();
    server.greeting("data: keep-alive\n\nevent: ping\ndata: x\n\ndata: {\"type\":\"ping\"}\n\n");
    ChannelProbe probe = connect(server);
    probe.call(1, "tools/list");
    server.stream().event("message", "ping - 2026-01-01");
    server.stream().event("message", LISTED);
    await().until(() -> probe.heard().contains(Methods.TOOLS_CHANGED));
    assertThat(probe.tolerated(Quirk.STRAY_EVENTS)).isEqualTo(3);
    assertThat(probe.closings()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"404 Not Found", "400 Bad Request", "500 Error"})
  void a_refused_notification_does_not_end_the_session(String status) throws Exception {
    HttpSseServer server =
        httpSse(
            (request, peer, stream) -> {
              if (request.id() < 0) {
                peer.reply(status, "Invalid session ID");
              } else {
                stream.event("message", resultOf(request.id()));
                peer.reply("202 Accepted", "");
              }
            });
    ChannelProbe probe = connect(server);
    probe.call(0, Methods.INITIALIZE);
    probe.notify(Methods.INITIALIZED);
    probe.call(1, "tools/list");
    probe.notify("notifications/cancelled");
    await().until(() -> server.http().requests("POST").size() == 4);
    probe.call(2, "tools/list");
    assertThat(probe.closings()).isEmpty();
  }

  /** Refuses tools/call, keeps resources/read for ever, and answers the other requests. */
  private HttpSseServer refusing(Predicate<RawHttpServer.Request> refuses, String... reply) {
    return httpSse(
        (request, peer, stream) -> {
          if (request.calls("tools/call") || refuses.test(request)) {
            peer.reply(reply[0], reply[1].replace("BODY", request.body()));
            return;
          }
          if (request.body().contains(PROBE)) {
            stream.event("message", "{\"jsonrpc\":\"2.0\",\"id\":" + PROBE + ",\"result\":{}}");
          } else if (request.id() >= 0 && !request.calls("resources/read")) {
            stream.event("message", resultOf(request.id()));
          }
          peer.reply("202 Accepted", "Accepted");
        });
  }

  /** A session that has worked, with request 2 accepted and not answered. */
  private ChannelProbe busy(HttpSseServer server) throws Exception {
    ChannelProbe probe = connect(server);
    probe.call(0, Methods.INITIALIZE);
    probe.notify(Methods.INITIALIZED);
    probe.call(1, "tools/list");
    probe.request(2, "resources/read");
    await().until(() -> server.http().requests("POST").size() == 4);
    probe.call(3, "ping");
    return probe;
  }

  @ParameterizedTest
  @CsvSource({
    "400 Bad Request, No transport found for sessionId",
    "400 Bad Request, '{\"jsonrpc\":\"2.0\",\"id\":4,\"error\":{\"code\":1,\"message\":\"no session\"}}'",
    "401 Unauthorized, Session not found",
    "404 Not Found, what",
    "410 Gone, session expired",
    "500 Error, SSE connection not established",
    "503 Unavailable, No active transport"
  })
  void a_lost_session_repeats_what_was_refused_and_nothing_that_was_accepted(
      String status, String words) throws Exception {
    HttpSseServer server = refusing(request -> request.body().contains(PROBE), status, words);
    ChannelProbe probe = busy(server);
    expect(probe.fail(4, "tools/call"), Reason.SESSION_LOST, Reached.NO);
    await().until(() -> probe.closings().size() == 1);
    expect(probe.closings().get(0), Reason.UPSTREAM_RESET, Reached.MAYBE);
    assertThat(probe.tolerated(Quirk.SESSION_LOST_IN_WORDS))
        .isEqualTo(status.startsWith("404") ? 0 : 1);
  }

  /** The Java SDK writes the exception itself, in pieces, and Spring the time. */
  @Test
  void a_session_that_is_lost_behind_a_trace_and_a_time_is_lost() throws Exception {
    AtomicInteger said = new AtomicInteger();
    HttpSseServer server =
        httpSse(
            (request, peer, stream) -> {
              if (request.calls("tools/call") || request.body().contains(PROBE)) {
                peer.head(
                    "400 Bad Request",
                    "Content-Type: application/json",
                    "Transfer-Encoding: chunked");
                peer.chunk(
                    "{\"timestamp\":\"12:00:0" + said.incrementAndGet() + "\",\"stackTrace\":[");
                peer.chunk("{\"methodName\":\"handle\"},".repeat(300));
                peer.chunk("{}],\"message\":\"Session not found: 7\"}");
                peer.end();
                return;
              }
              if (request.id() >= 0 && !request.calls("resources/read")) {
                stream.event("message", resultOf(request.id()));
              }
              peer.reply("202 Accepted", "Accepted");
            });
    ChannelProbe probe = busy(server);
    expect(probe.fail(4, "tools/call"), Reason.SESSION_LOST, Reached.NO);
    await().until(() -> probe.closings().size() == 1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"session_id is required", "unknown session: BODY", "no such tool: session"})
  void a_tool_that_is_refused_in_words_about_a_session_ends_its_call_alone(String words)
      throws Exception {
    HttpSseServer server = refusing(request -> false, "400 Bad Request", words);
    ChannelProbe probe = busy(server);
    assertThat(probe.fail(4, "tools/call").reason()).isEqualTo(Reason.PROTOCOL_ERROR);
    server.stream().event("message", resultOf(2));
    probe.reply(2);
    probe.call(5, "ping");
    assertThat(probe.closings()).isEmpty();
    assertThat(probe.messages()).hasSize(5);
  }

  @Test
  void a_session_lost_in_other_words_for_each_request_repeats_nothing() throws Exception {
    HttpSseServer server =
        refusing(
            request -> request.body().contains(PROBE), "400 Bad Request", "unknown session: BODY");
    ChannelProbe probe = busy(server);
    assertThat(probe.fail(4, "tools/call").reason()).isEqualTo(Reason.PROTOCOL_ERROR);
    await().until(() -> probe.closings().size() == 1);
    expect(probe.closings().get(0), Reason.UPSTREAM_RESET, Reached.MAYBE);
  }

  @ParameterizedTest
  @CsvSource({
    "/messages?sessionId=7, /messages?sessionId=7",
    "messages?s=1, /messages?s=1",
    "?s=2, /?s=2",
    "ORIGIN/abs/path, /abs/path"
  })
  void the_post_url_is_resolved_against_that_of_the_stream(String data, String path)
      throws Exception {
    HttpSseServer server = answering();
    server.endpoint(data.replace("ORIGIN", "http://127.0.0.1:" + server.http().port()));
    connect(server).call(1, "ping");
    assertThat(server.http().requests("POST").get(0).path()).isEqualTo(path);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://evil.invalid/messages",
        "//evil.invalid/messages",
        "https://127.0.0.1:PORT/messages",
        "http://127.0.0.1:1/messages",
        "http://localhost:PORT/messages",
        "http://me:pw@127.0.0.1:PORT/messages",
        "file:///etc/passwd",
        "http://["
      })
  void case_52_an_endpoint_of_another_origin_is_refused_and_nothing_is_posted(String data)
      throws Exception {
    HttpSseServer server = answering();
    server.endpoint(data.replace("PORT", String.valueOf(server.http().port())));
    TransportException why = refusal(HttpOptions.of(server.url()));
    expect(why, Reason.PROTOCOL_ERROR, Reached.NO);
    assertThat(why).hasMessageContaining("origin").hasMessageNotContaining("pw");
    assertThat(server.http().requests("POST")).isEmpty();
    await().until(() -> server.http().open() == 0);
  }

  @Test
  void a_later_endpoint_event_changes_nothing() throws Exception {
    HttpSseServer server = answering();
    ChannelProbe probe = connect(server);
    server.stream().event("endpoint", "http://evil.invalid/messages");
    probe.call(1, "ping");
    assertThat(server.http().requests("POST").get(0).path()).isEqualTo("/messages?sessionId=7");
    assertThat(probe.channel().diagnostics().getInteger("junk")).isEqualTo(1);
  }

  @Test
  void what_comes_with_the_endpoint_is_heard_after_open_and_in_order() throws Exception {
    HttpSseServer server = answering();
    server.greeting(": hello\n\nevent: message\ndata: " + LISTED + "\n\ndata: " + LISTED + "\n\n");
    ChannelProbe probe = connect(server);
    await().until(() -> probe.heard().size() == 2);
    probe.call(1, "ping");
    assertThat(probe.messages()).hasSize(3);
  }

  @Test
  void the_end_of_the_stream_is_the_end_of_the_session() throws Exception {
    HttpSseServer server = httpSse((request, peer, stream) -> peer.reply("202 Accepted", ""));
    ChannelProbe probe = connect(server);
    probe.request(1, "tools/call");
    await().until(() -> server.http().requests("POST").size() == 1);
    server.stream().close();
    await().until(() -> probe.closings().size() == 1);
    expect(probe.closings().get(0), Reason.UPSTREAM_RESET, Reached.MAYBE);
    assertThatThrownBy(() -> probe.request(2, "ping")).hasMessageContaining("closed");
    await().until(() -> server.http().open() == 0);
  }

  @Test
  void a_stream_that_ends_with_the_endpoint_opens_and_closes() throws Exception {
    RawHttpServer server =
        answer(
            (request, peer) -> {
              peer.stream();
              peer.chunk("event: endpoint\ndata: /m\n\n");
              peer.end();
            });
    ChannelProbe probe = connect(HttpOptions.of(server.url()));
    await().until(() -> probe.closings().size() == 1);
    expect(probe.closings().get(0), Reason.UPSTREAM_RESET, Reached.MAYBE);
  }

  @Test
  void a_message_that_is_no_json_rpc_ends_the_channel() throws Exception {
    HttpSseServer server = answering();
    ChannelProbe probe = connect(server);
    server.stream().event("message", "{\"jsonrpc\":\"2.0\",");
    await().until(() -> probe.closings().size() == 1);
    assertThat(probe.closings().get(0).reason()).isEqualTo(Reason.PROTOCOL_ERROR);
  }

  @Test
  void a_refused_post_fails_its_request_alone() throws Exception {
    HttpSseServer server =
        httpSse(
            (request, peer, stream) -> {
              if (request.id() == 1) {
                peer.reply("413 Content Too Large", "");
              } else if (request.id() == 2) {
                peer.reply("503 Service Unavailable", "");
              } else {
                peer.reply("200 OK", "fine");
                stream.event("message", resultOf(request.id()));
              }
            });
    ChannelProbe probe = connect(server);
    expect(probe.fail(1, "tools/call"), Reason.LIMIT_EXCEEDED, Reached.NO);
    expect(probe.fail(2, "tools/call"), Reason.UPSTREAM_RESET, Reached.MAYBE);
    probe.call(3, "ping");
    assertThat(probe.closings()).isEmpty();
  }

  @Test
  void an_answer_before_its_post_fails_is_the_only_ending() throws Exception {
    HttpSseServer server =
        httpSse(
            (request, peer, stream) -> {
              stream.event("message", resultOf(request.id()));
              peer.silenceFor(30);
              peer.reset();
            });
    ChannelProbe probe = connect(server);
    probe.call(1, "ping");
    await().until(() -> server.http().open() == 1);
    probe.call(2, "ping");
    assertThat(probe.endings(1)).isEqualTo(1);
  }

  @Test
  void an_unknown_session_ends_the_channel_and_a_first_404_names_the_proxy() throws Exception {
    HttpSseServer server =
        httpSse(
            (request, peer, stream) -> {
              peer.reply(request.id() == 1 ? "202 Accepted" : "404 Not Found", "");
            });
    ChannelProbe probe = connect(server);
    probe.request(1, "ping");
    await().until(() -> server.http().requests("POST").size() == 1);
    probe.request(2, "ping");
    expect(probe.failure(2), Reason.SESSION_LOST, Reached.NO);
    await().until(() -> probe.closings().size() == 1);
    expect(probe.closings().get(0), Reason.UPSTREAM_RESET, Reached.MAYBE);

    HttpSseServer hidden = httpSse((request, peer, stream) -> peer.reply("404 Not Found", ""));
    TransportException why = connect(hidden).fail(1, "ping");
    expect(why, Reason.CONNECT_FAILED, Reached.NO);
    assertThat(why).hasMessageContaining("/messages").hasMessageContaining("proxy");
  }

  @Test
  void nothing_overtakes_the_initialized_notification() throws Exception {
    List<String> read = new CopyOnWriteArrayList<>();
    List<String> readBefore = new CopyOnWriteArrayList<>();
    HttpSseServer server =
        httpSse(
            (request, peer, stream) -> {
              read.add(request.body());
              if (request.calls(Methods.INITIALIZED)) {
                peer.silenceFor(100);
                readBefore.addAll(read);
              }
              peer.reply("202 Accepted", "");
              if (request.id() >= 0) {
                stream.event("message", resultOf(request.id()));
              }
            });
    ChannelProbe probe = connect(server);
    probe.call(0, Methods.INITIALIZE);
    probe.notify(Methods.INITIALIZED);
    probe.request(1, "tools/list");
    probe.request(2, "prompts/list");
    probe.reply(1);
    probe.reply(2);
    assertThat(readBefore).hasSize(2);
    assertThat(readBefore.get(1)).contains(Methods.INITIALIZED);
  }

  @Test
  void posts_that_are_never_answered_hold_the_conversation_up_for_a_second_only() throws Exception {
    HttpSseServer server =
        httpSse(
            (request, peer, stream) -> {
              if (request.id() >= 0) {
                stream.event("message", resultOf(request.id()));
              }
              peer.silence();
            });
    ChannelProbe probe = connect(server);
    probe.call(0, Methods.INITIALIZE);
    probe.notify(Methods.INITIALIZED);
    probe.request(1, "tools/list");
    probe.request(2, "prompts/list");
    assertThat(probe.reply(1).integerId()).isEqualTo(1);
    assertThat(probe.reply(2).integerId()).isEqualTo(2);
  }

  @Test
  void a_redirect_within_the_origin_is_followed_for_stream_and_posts() throws Exception {
    HttpSseServer server = answering();
    server.redirect("/old", "/sse");
    server.redirect("/moved", "/messages?sessionId=7");
    server.endpoint("/moved");
    ChannelProbe probe = connect(HttpOptions.of(server.url().resolve("/old")));
    probe.call(1, "ping");
    probe.call(2, "ping");
    assertThat(server.http().requests("POST").stream().map(RawHttpServer.Request::path))
        .containsExactly("/moved", "/messages?sessionId=7", "/messages?sessionId=7");
  }

  @Test
  void a_silent_stream_and_a_stranger_are_refused_in_bounded_time() throws Exception {
    RawHttpServer silent =
        play(
            peer -> {
              peer.read();
              peer.stream();
              peer.silence();
            });
    Duration soon = Duration.ofMillis(100);
    expect(
        refusal(RecordCopy.with(HttpOptions.of(silent.url()), "connectTimeout", soon)),
        Reason.CONNECT_FAILED,
        Reached.NO);
    await().until(() -> silent.open() == 0);
    RawHttpServer page = answer((request, peer) -> peer.reply("200 OK", "<html>"));
    TransportException why = refusal(HttpOptions.of(page.url()));
    expect(why, Reason.PROTOCOL_ERROR, Reached.NO);
    assertThat(why).hasMessageContaining("not a server with HTTP+SSE");
    RawHttpServer chatty =
        answer(
            (request, peer) -> {
              peer.stream();
              peer.chunk("data: " + LISTED + "\n\n");
              peer.silence();
            });
    expect(refusal(HttpOptions.of(chatty.url())), Reason.PROTOCOL_ERROR, Reached.NO);
    RawHttpServer locked =
        answer((request, peer) -> peer.reply("401 Unauthorized", "", "WWW-Authenticate: Bearer"));
    expect(refusal(HttpOptions.of(locked.url())), Reason.AUTH_REQUIRED, Reached.NO);
  }

  @Test
  void forget_frees_the_connection_of_a_post_that_is_not_answered() throws Exception {
    HttpSseServer server = httpSse((request, peer, stream) -> peer.silence());
    ChannelProbe probe = connect(server);
    probe.request(1, "tools/call");
    await().until(() -> server.http().open() == 2);
    probe.run(() -> probe.channel().forget(1));
    await().until(() -> server.http().open() == 1);
    assertThat(probe.endings(1)).isZero();
    probe.close();
    await().until(() -> server.http().open() == 0);
    assertThat(probe.closings()).isEmpty();
  }
}
