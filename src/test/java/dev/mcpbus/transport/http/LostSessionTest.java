package dev.mcpbus.transport.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.hosting.BuiltInTransports;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.Quirk;
import dev.mcpbus.testing.ChannelProbe;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.RawHttpServer.Peer;
import dev.mcpbus.testing.RawHttpServer.Request;
import dev.mcpbus.transport.AuthenticatorFactory;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that say otherwise than with an empty 404 that they do not know the session. */
class LostSessionTest extends HttpFixture {

  private static final AtomicInteger SAID = new AtomicInteger();

  private volatile boolean lost;

  /** Answers with the id of the request in place of {@code $ID}. */
  private static void say(Request request, Peer peer, String status, String type, String body)
      throws IOException {
    String id = request.body().contains("mcpbus-probe") ? "\"mcpbus-probe\"" : "" + request.id();
    String now = "2026-11-29T12:00:0" + SAID.incrementAndGet() + "Z";
    peer.reply(
        status,
        body.replace("$ID", id)
            .replace("$NOW", now)
            .replace("$TRACE", "{\"methodName\":\"handle\"},".repeat(300) + "{}")
            .replace("\\n", "\n"),
        "Content-Type: " + type);
  }

  private static boolean isQuestion(Request request) {
    return request.body().contains("mcpbus-probe");
  }

  private static void works(Request request, Peer peer) throws IOException {
    if (isQuestion(request)) {
      peer.json("{\"jsonrpc\":\"2.0\",\"id\":\"mcpbus-probe\",\"result\":{\"tools\":[]}}");
    } else {
      peer.result(request.id());
    }
  }

  private long questions(RawHttpServer server) {
    return server.requests("POST").stream().filter(LostSessionTest::isQuestion).count();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "401 Unauthorized|text/plain|Unauthorized: Session not found",
        "403 Forbidden|application/json|{`error`:`session expired`}",
        "400 Bad Request|text/plain|Invalid session ID",
        "400 Bad Request|text/plain|No transport found for sessionId",
        "400 Bad Request|application/json|{`error`:`Session ID missing or invalid`}",
        "400 Bad Request|application/json|{`jsonrpc`:`2.0`,`id`:null,`error`:{`code`:-32000,"
            + "`message`:`Bad Request: Server not initialized`}}",
        "400 Bad Request|application/json|{`jsonrpc`:`2.0`,`id`:`server-error`,`error`:"
            + "{`code`:-32600,`message`:`Bad Request: No valid session ID provided`}}",
        "400 Bad Request|application/json|{`jsonrpc`:`2.0`,`id`:$ID,`error`:{`code`:-32000,"
            + "`message`:`Bad Request: Unknown Mcp-Session-Id header`}}",
        "400 Bad Request|application/json|{`jsonrpc`:`2.0`,`id`:$ID,`error`:{`code`:-32000,"
            + "`message`:`No valid session ID or not an initialize request`}}",
        "400 Bad Request|text/plain|No transport found",
        "400 Bad Request|application/json|{`timestamp`:`$NOW`,`status`:400,`error`:`Bad Request`,"
            + "`requestId`:`6f1c$NOW`,`message`:`Unknown session`,`path`:`/mcp`}",
        "400 Bad Request|application/json|{`cause`:null,`stackTrace`:[$TRACE],"
            + "`message`:`Session ID missing`}",
        "404 Not Found|text/html|<h1>no such session</h1>",
        "404 Not Found|application/json|{`jsonrpc`:`2.0`,`id`:$ID,`error`:{`code`:-32001,"
            + "`message`:`Session not found`}}",
        "409 Conflict|application/json|{`message`:`session_expired`}",
        "410 Gone|text/plain|session terminated",
        "422 Unprocessable|text/plain|Unexpected message, expect initialize request",
        "500 Error|application/json|{`error`:`Error POSTing to endpoint (HTTP 400): Bad Request:"
            + " No valid session ID provided`}",
        "500 Error|text/plain|SSE connection not established",
        "503 Unavailable|application/json|{`jsonrpc`:`2.0`,`id`:null,`error`:{`code`:-32000,"
            + "`message`:`Unknown or expired session`}}",
        "200 OK|application/json|{`jsonrpc`:`2.0`,`id`:$ID,`error`:{`code`:-32002,"
            + "`message`:`Server not initialized`}}",
        "200 OK|application/json|{`jsonrpc`:`2.0`,`id`:$ID,`error`:{`code`:-32602,"
            + "`message`:`Invalid request parameters`,`data`:``}}",
        "200 OK|application/json|{`jsonrpc`:`2.0`,`id`:$ID,`error`:{`code`:-32602,"
            + "`message`:`Invalid or expired session`}}",
        "200 OK|application/json|{`jsonrpc`:`2.0`,`id`:$ID,`error`:{`code`:-32603,"
            + "`message`:`Not connected`}}",
        "200 OK|application/json|{`jsonrpc`:`2.0`,`id`:$ID,`error`:{`code`:-32600,"
            + "`message`:`Session 41$NOW has been closed`}}",
        "200 OK|application/json|{`jsonrpc`:`2.0`,`id`:null,`error`:{`code`:-32001,"
            + "`message`:`Session not found`}}",
        "200 OK|application/json|{`jsonrpc`:`2.0`,`id`:`server-error`,`error`:{`code`:-32600,"
            + "`message`:`Session not found`}}",
        "200 OK|application/json|{`jsonrpc`:`2.0`,`id`:$ID,`error`:{`code`:0,"
            + "`message`:`method is invalid during session initialization`}}",
        "200 OK|application/json|{`error`:`Session not found`}",
        "200 OK|text/plain|Session not found",
        "200 OK|text/event-stream|event: message\\ndata: {`error`:`Session not found`}\\n\\n",
        "200 OK|text/event-stream|event: error\\ndata: Session not found\\n\\n",
        "200 OK|text/event-stream|data: Session has expired\\n\\n",
        "200 OK|text/event-stream|data: {`jsonrpc`:`2.0`,`id`:$ID,`error`:{`code`:-32002,"
            + "`message`:`Client session not initialized`}}\\n\\n",
      })
  void case_37_each_call_goes_again_after_one_question(String status, String type, String text)
      throws Exception {
    String body = text.replace('`', '"');
    CountDownLatch all = new CountDownLatch(3);
    RawHttpServer server =
        session(
            (request, peer) -> {
              if (!lost) {
                works(request, peer);
                return;
              }
              if (!isQuestion(request)) {
                all.countDown();
                awaitLatch(all);
              }
              say(request, peer, status, type, body);
            });
    ChannelProbe probe = handshake(options(server));
    probe.call(1, "tools/list");
    lost = true;
    for (int id = 2; id < 5; id++) {
      probe.request(id, "tools/call");
    }
    // What failed with 5xx may have been executed before.
    Reached reached = status.startsWith("5") ? Reached.MAYBE : Reached.NO;
    for (int id = 2; id < 5; id++) {
      expect(probe.failure(id), Reason.SESSION_LOST, reached);
    }
    await().until(() -> probe.closings().size() == 1);
    expect(probe.closings().get(0), Reason.SESSION_LOST, Reached.NO);
    assertThat(questions(server)).isLessThanOrEqualTo(3);
    assertThat(probe.endings(2)).isEqualTo(1);
    probe.close();
    assertThat(server.requests("DELETE")).isEmpty();
  }

  @Test
  void words_within_other_words_cast_no_doubt() {
    assertThat(SessionDoubts.areIn("<script>sessionStorage</script> recommended")).isFalse();
    assertThat(SessionDoubts.areIn("the session was extended")).isFalse();
    assertThat(SessionDoubts.areIn("SessionNotFound")).isTrue();
    assertThat(SessionDoubts.areIn("session_expired")).isTrue();
    assertThat(SessionDoubts.areIn("This session doesn't exist")).isTrue();
    assertThat(SessionDoubts.areIn("Server uninitialized")).isTrue();
  }

  /** A browser tool speaks of its own sessions. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "200 OK|{`jsonrpc`:`2.0`,`id`:$ID,`error`:{`code`:-32603,`message`:`session not found`}}",
        "200 OK|{`jsonrpc`:`2.0`,`id`:$ID,`error`:{`code`:-32602,"
            + "`message`:`Invalid request parameters: no session`}}",
        "400 Bad Request|{`jsonrpc`:`2.0`,`id`:$ID,`error`:{`code`:-32602,"
            + "`message`:`Browser session 7 is closed`}}",
        "404 Not Found|{`jsonrpc`:`2.0`,`id`:$ID,`error`:{`code`:-32002,"
            + "`message`:`Resource session.txt not found`}}",
        "404 Not Found|{`jsonrpc`:`2.0`,`id`:$ID,`error`:{`code`:-32602,"
            + "`message`:`No tool of this session`}}",
        "200 OK|{`jsonrpc`:`2.0`,`id`:$ID,`result`:{`isError`:true,`content`:[{`type`:`text`,"
            + "`text`:`Session not found`}]}}",
      })
  void an_error_of_a_tool_is_its_answer_where_the_session_is_known(String status, String text)
      throws Exception {
    RawHttpServer server =
        session(
            (request, peer) -> {
              if (request.calls(Methods.TOOLS_CALL)) {
                say(request, peer, status, "application/json", text.replace('`', '"'));
              } else {
                works(request, peer);
              }
            });
    ChannelProbe probe = handshake(options(server));
    probe.call(1, "tools/list");
    for (int id = 2; id < 5; id++) {
      assertThat(probe.call(id, Methods.TOOLS_CALL).text().toString())
          .containsIgnoringCase("session");
    }
    assertThat(probe.closings()).isEmpty();
    assertThat(probe.tolerated(Quirk.SESSION_LOST_IN_WORDS)).isZero();
    assertThat(questions(server)).isEqualTo(text.contains("isError") ? 0 : 3);
  }

  /** The call may have been executed: its own error differs from what the server says now. */
  @Test
  void a_call_whose_error_is_another_one_fails_with_it_and_the_session_ends() throws Exception {
    RawHttpServer server =
        session(
            (request, peer) -> {
              if (!lost) {
                works(request, peer);
              } else if (isQuestion(request)) {
                say(request, peer, "401 Unauthorized", "text/plain", "Session not found");
              } else {
                say(
                    request,
                    peer,
                    "200 OK",
                    "application/json",
                    "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"error\":{\"code\":1,\"message\":\"the session"
                        + " expired\"}}");
              }
            });
    ChannelProbe probe = handshake(options(server));
    probe.call(1, "tools/list");
    lost = true;
    assertThat(probe.call(2, "tools/call").payload().toString()).contains("the session expired");
    await().until(() -> probe.closings().size() == 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"WWW-Authenticate: Bearer error=\"invalid_token\"", "X-None: 1"})
  void a_401_about_credentials_stays_one(String header) throws Exception {
    RawHttpServer server =
        session(
            (request, peer) -> {
              if (request.calls("tools/call")) {
                peer.reply("401 Unauthorized", "Your login session has expired", header);
              } else {
                works(request, peer);
              }
            });
    ChannelProbe probe = handshake(options(server));
    probe.call(1, "tools/list");
    expect(probe.fail(2, "tools/call"), Reason.AUTH_REQUIRED, Reached.NO);
    assertThat(questions(server)).isEqualTo(header.startsWith("X") ? 1 : 0);
    assertThat(probe.closings()).isEmpty();
  }

  @Test
  void before_the_session_has_worked_the_same_words_are_a_failure() throws Exception {
    RawHttpServer server =
        session((request, peer) -> peer.reply("401 Unauthorized", "Session not found"));
    ChannelProbe probe = handshake(options(server));
    expect(probe.fail(1, "tools/list"), Reason.AUTH_REQUIRED, Reached.NO);
    assertThat(questions(server)).isZero();
  }

  @Test
  void a_strict_entry_wants_a_404() throws Exception {
    RawHttpServer server =
        session(
            (request, peer) -> {
              if (lost) {
                peer.reply("401 Unauthorized", "Session not found");
              } else {
                works(request, peer);
              }
            });
    ChannelProbe probe =
        own(
            ChannelProbe.strict(
                vertx,
                BuiltInTransports.create(vertx, options(server), AuthenticatorFactory.NONE)));
    probe.call(0, Methods.INITIALIZE);
    probe.call(1, "tools/list");
    lost = true;
    expect(probe.fail(2, "tools/call"), Reason.AUTH_REQUIRED, Reached.NO);
    assertThat(probe.closings()).isEmpty();
  }

  /** Where the server closes on the question, nobody can tell. */
  @Test
  void without_an_answer_to_the_question_the_session_goes_on() throws Exception {
    RawHttpServer server =
        session(
            (request, peer) -> {
              if (isQuestion(request)) {
                peer.reset();
              } else if (request.calls("tools/call")) {
                peer.reply("400 Bad Request", "session not found");
              } else {
                works(request, peer);
              }
            });
    ChannelProbe probe = handshake(options(server));
    probe.call(1, "tools/list");
    TransportException failure = probe.fail(2, "tools/call");
    expect(failure, Reason.PROTOCOL_ERROR, Reached.MAYBE);
    probe.call(3, "tools/list");
    assertThat(probe.closings()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Tool not found",
        "Unknown tool: session_list",
        "Method not found",
        "database is closed",
        "Too Many Requests",
        ""
      })
  void other_words_are_not_about_it(String text) {
    assertThat(SessionDoubts.areIn(text)).isEqualTo(text.contains("session"));
  }
}
