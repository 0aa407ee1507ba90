package dev.mcpbus.cli.stdio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.protocol.Methods;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.RawHttpServer.Answer;
import dev.mcpbus.testing.RawHttpServer.Peer;
import dev.mcpbus.testing.RawHttpServer.Request;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The bridge in front of scripted HTTP servers: every byte, and every odd answer. */
class StdioBridgeTest {

  private static final String META =
      "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
          + "\"io.modelcontextprotocol/clientCapabilities\":{}}";

  private final List<AutoCloseable> open = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  private <T extends AutoCloseable> T own(T one) {
    open.add(one);
    return one;
  }

  private BridgeRig bridge(RawHttpServer server) throws Exception {
    return own(BridgeRig.to(server.url()));
  }

  /** A server with one session after the other; {@code calls} answers the other requests. */
  private RawHttpServer sessions(Answer calls) {
    AtomicInteger count = new AtomicInteger();
    return own(
        RawHttpServer.answering(
            (request, peer) -> {
              if (request.calls(Methods.INITIALIZE)) {
                peer.json(
                    initialized(idOf(request)), "Mcp-Session-Id: s" + count.incrementAndGet());
              } else if (request.method().equals("POST") && !request.body().contains("\"id\":")) {
                peer.reply("202 Accepted", "");
              } else if (request.method().equals("POST")) {
                calls.to(request, peer);
              } else {
                peer.reply("405 Method Not Allowed", "");
              }
            }));
  }

  private static String idOf(Request request) {
    return request.body().replaceAll("^.*\"id\":(\"[^\"]*\"|\\d+).*$", "$1");
  }

  private static String initialized(String id) {
    return "{\"jsonrpc\":\"2.0\",\"id\":"
        + id
        + ",\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":"
        + "{\"listChanged\":true},\"prompts\":{}},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}";
  }

  private static String request(String id, String method, String params) {
    return "{\"jsonrpc\":\"2.0\",\"id\":"
        + id
        + ",\"method\":\""
        + method
        + "\",\"params\":{"
        + params
        + "}}";
  }

  private static List<String> bodies(RawHttpServer server) {
    return server.requests("POST").stream().map(Request::body).toList();
  }

  @Test
  void bytes_pass_both_ways_as_they_are() throws Exception {
    String answer =
        "{\"result\" : {\"b\":1.50,\"a\":\"\\u00e9 \u00e9\"},\"id\":\"x\\u0041\",\"jsonrpc\":\"2.0\"}";
    RawHttpServer server = sessions((request, peer) -> peer.json(answer));
    BridgeRig rig = bridge(server);
    rig.begin();
    String odd =
        "{ \"params\":{\"n\":1e2},\"method\":\"x/y\", \"id\":\"x\\u0041\" , \"jsonrpc\":\"2.0\"}";
    rig.send(odd);
    assertThat(rig.line()).isEqualTo(answer);
    assertThat(bodies(server)).contains(odd);
  }

  @Test
  void an_answer_on_several_lines_becomes_one_line() throws Exception {
    RawHttpServer server =
        sessions(
            (request, peer) ->
                peer.json("{\"jsonrpc\":\"2.0\",\r\n \"id\":1,\n\"result\":{}\n}\n"));
    BridgeRig rig = bridge(server);
    rig.begin();
    rig.send(request("1", "ping", ""));
    assertThat(rig.line()).isEqualTo("{\"jsonrpc\":\"2.0\",   \"id\":1, \"result\":{} }");
  }

  @Test
  void a_session_has_its_headers_its_stream_and_its_end() throws Exception {
    CountDownLatch streaming = new CountDownLatch(1);
    RawHttpServer server =
        own(
            RawHttpServer.answering(
                (request, peer) -> {
                  if (request.calls(Methods.INITIALIZE)) {
                    peer.json(initialized("\"i-0\""), "Mcp-Session-Id: s1");
                  } else if (request.method().equals("GET")) {
                    peer.stream();
                    peer.chunk("id: e1\ndata: " + RawHttpServer.notification("n/one") + "\n\n");
                    streaming.countDown();
                    peer.silence();
                  } else {
                    peer.reply("202 Accepted", "");
                  }
                }));
    BridgeRig rig = bridge(server);
    rig.begin();
    assertThat(rig.line()).isEqualTo(RawHttpServer.notification("n/one"));
    rig.endOfStdin();
    assertThat(rig.isOver()).isTrue();
    assertThat(server.requests())
        .filteredOn(request -> !request.calls(Methods.INITIALIZE))
        .hasSize(3)
        .allSatisfy(
            request ->
                assertThat(request.headers())
                    .containsEntry("mcp-session-id", "s1")
                    .containsEntry("mcp-protocol-version", "2025-11-25"));
    assertThat(server.requests("DELETE")).hasSize(1);
  }

  @Test
  void a_stream_that_is_cut_goes_on_after_its_last_event() throws Exception {
    RawHttpServer server =
        own(
            RawHttpServer.answering(
                (request, peer) -> {
                  if (request.calls(Methods.INITIALIZE)) {
                    peer.json(initialized("\"i-0\""), "Mcp-Session-Id: s1");
                  } else if (!request.method().equals("GET")) {
                    peer.reply("202 Accepted", "");
                  } else if (request.headers().containsKey("last-event-id")) {
                    peer.stream();
                    peer.chunk("id: e2\ndata: " + RawHttpServer.notification("n/two") + "\n\n");
                    peer.silence();
                  } else {
                    peer.stream();
                    peer.chunk(
                        "retry: 50\nid: e1\ndata: " + RawHttpServer.notification("n/one") + "\n\n");
                    peer.close();
                  }
                }));
    BridgeRig rig = bridge(server);
    rig.begin();
    assertThat(rig.line()).isEqualTo(RawHttpServer.notification("n/one"));
    assertThat(rig.line()).isEqualTo(RawHttpServer.notification("n/two"));
    assertThat(server.requests("GET").get(1).headers()).containsEntry("last-event-id", "e1");
  }

  @Test
  void lines_that_are_no_messages_are_answered_and_the_next_line_counts() throws Exception {
    RawHttpServer server = sessions((request, peer) -> peer.result(request.id()));
    BridgeRig rig = bridge(server);
    rig.begin();
    rig.send("[" + request("1", "ping", "") + "]");
    assertThat(rig.line()).contains("\"id\":null").contains("-32600").contains("batches");
    rig.send("hello");
    assertThat(rig.line()).contains("\"id\":null").contains("-32700");
    rig.send("{\"jsonrpc\":\"2.0\",\"id\":1");
    assertThat(rig.line()).contains("-32700");
    rig.sendBytes(new byte[] {'{', '"', (byte) 0xC3, '"', '}', '\n'});
    assertThat(rig.line()).contains("-32700");
    byte[] huge = new byte[17 * 1024 * 1024];
    Arrays.fill(huge, (byte) ' ');
    huge[0] = '{';
    huge[huge.length - 1] = '\n';
    rig.sendBytes(huge);
    assertThat(rig.line()).contains("-32700").contains("longer than 16777216 bytes");
    rig.send(request("2", "ping", ""));
    assertThat(rig.line()).isEqualTo(RawHttpServer.resultOf(2));
  }

  @Test
  void a_session_that_the_service_lost_is_opened_again_with_what_the_client_set() throws Exception {
    RawHttpServer server =
        sessions(
            (request, peer) -> {
              boolean old = "s1".equals(request.headers().get("mcp-session-id"));
              if (old && request.calls("tools/call")) {
                peer.reply("404 Not Found", "");
              } else {
                peer.json("{\"jsonrpc\":\"2.0\",\"id\":" + idOf(request) + ",\"result\":{}}");
              }
            });
    BridgeRig rig = bridge(server);
    rig.begin();
    rig.send(request("1", Methods.SET_LEVEL, "\"level\":\"debug\""));
    rig.line();
    rig.send(request("2", Methods.RESOURCES_SUBSCRIBE, "\"uri\":\"a:b\""));
    rig.line();
    rig.send(request("\"c\"", "tools/call", "\"name\":\"t\""));
    assertThat(List.of(rig.line(), rig.line()))
        .containsExactlyInAnyOrder(
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}",
            "{\"jsonrpc\":\"2.0\",\"id\":\"c\",\"result\":{}}");
    List<Request> second =
        server.requests("POST").stream()
            .filter(request -> "s2".equals(request.headers().get("mcp-session-id")))
            .toList();
    assertThat(
            second.stream()
                .map(request -> request.body().replaceAll("^.*\"method\":\"([^\"]*)\".*$", "$1")))
        .startsWith(Methods.INITIALIZED)
        .containsExactlyInAnyOrder(
            Methods.INITIALIZED, Methods.SET_LEVEL, Methods.RESOURCES_SUBSCRIBE, "tools/call");
    assertThat(rig.waiting()).isZero();
  }

  @Test
  void a_call_that_may_have_been_carried_out_is_never_sent_again() throws Exception {
    RawHttpServer server = sessions((request, peer) -> peer.close());
    BridgeRig rig = bridge(server);
    rig.begin();
    rig.send(request("1", "tools/call", "\"name\":\"t\""));
    assertThat(rig.line()).contains("\"id\":1", "\"sent\":\"maybe\"", "may have been carried out");
    assertThat(bodies(server)).filteredOn(body -> body.contains("tools/call")).hasSize(1);
  }

  @Test
  void without_a_service_each_request_fails_with_the_remedy_and_later_ones_reach_it()
      throws Exception {
    int port = RawHttpServer.refusingPort();
    BridgeRig rig = own(BridgeRig.to(URI.create("http://127.0.0.1:" + port + "/mcp")));
    AtomicLong now = rig.clock;
    rig.send(BridgeRig.INITIALIZE);
    now.addAndGet(TimeUnit.SECONDS.toNanos(1));
    await().until(() -> now.addAndGet(TimeUnit.SECONDS.toNanos(2)) > 0 && rig.waiting() > 0);
    assertThat(rig.line())
        .contains("\"id\":\"i-0\"")
        .contains("cannot be reached at http://127.0.0.1:" + port)
        .contains("mcpbus run")
        .contains("\"sent\":\"no\"");
    own(
        RawHttpServer.answering(
            "127.0.0.1",
            port,
            (request, peer) -> {
              if (request.method().equals("POST")) {
                peer.json(initialized("\"i-0\""), "Mcp-Session-Id: s1");
              } else {
                peer.reply("405 No", "");
              }
            }));
    rig.send(BridgeRig.INITIALIZE);
    assertThat(rig.line()).contains("2025-11-25");
  }

  @Test
  void a_request_that_did_not_reach_the_service_waits_for_its_start() throws Exception {
    int port = RawHttpServer.refusingPort();
    BridgeRig rig = own(BridgeRig.to(URI.create("http://127.0.0.1:" + port + "/mcp")));
    rig.send(BridgeRig.INITIALIZE);
    own(
        RawHttpServer.answering(
            "127.0.0.1", port, (request, peer) -> peer.json(initialized("\"i-0\""))));
    assertThat(rig.line()).contains("2025-11-25");
  }

  @Test
  void a_discover_request_repeats_its_body_in_headers() throws Exception {
    RawHttpServer server =
        own(RawHttpServer.answering((request, peer) -> peer.json(discoverAnswer(request))));
    BridgeRig rig = bridge(server);
    rig.send(request("1", "tools/list", META));
    assertThat(rig.line()).contains("x-mcp-header");
    rig.send(
        request("2", "tools/call", META + ",\"name\":\"s\u00fcd\",\"arguments\":{\"r\":\"eu 1\"}"));
    rig.line();
    assertThat(server.requests().get(1).headers())
        .containsEntry("mcp-protocol-version", "2026-07-28")
        .containsEntry("mcp-method", "tools/call")
        .containsEntry("mcp-name", "=?base64?c8O8ZA==?=")
        .containsEntry("mcp-param-region", "eu 1")
        .doesNotContainKey("mcp-session-id");
  }

  @Test
  void two_processes_of_one_client_name_themselves_apart_and_a_name_of_the_client_stays()
      throws Exception {
    RawHttpServer server =
        own(
            RawHttpServer.answering(
                (request, peer) ->
                    peer.json("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[]}}")));
    BridgeRig one = bridge(server);
    BridgeRig two = bridge(server);
    String plain =
        "{ \"id\":1,\"jsonrpc\":\"2.0\", \"method\":\"tools/list\",\"params\": {\"a\":1e2,";
    String named = plain + META.replace("_meta\":{", "_meta\":{%s,") + " } }";
    String own = String.format(named, "\"dev.mcpbus/client\":\"window 2\"");
    for (BridgeRig rig : List.of(one, one, two)) {
      rig.send(plain + META + " } }");
      rig.line();
    }
    one.send(own);
    one.line();
    List<String> sent = bodies(server);
    String first = sent.get(0).replaceAll("^.*dev.mcpbus/client\":\"([^\"]+)\".*$", "$1");
    assertThat(first).matches("stdio-[0-9a-f-]{36}");
    assertThat(sent.get(0))
        .isEqualTo(String.format(named, "\"dev.mcpbus/client\":\"" + first + "\""));
    assertThat(sent.get(1)).isEqualTo(sent.get(0));
    assertThat(sent.get(2)).contains("\"dev.mcpbus/client\":\"stdio-").doesNotContain(first);
    assertThat(sent.get(3)).isEqualTo(own);
  }

  @Test
  void a_call_that_lacks_a_header_lists_the_tools_once_and_is_sent_again() throws Exception {
    RawHttpServer server =
        own(
            RawHttpServer.answering(
                (request, peer) -> {
                  boolean call = request.calls("tools/call");
                  if (call && !request.headers().containsKey("mcp-param-region")) {
                    peer.reply(
                        "400 Bad Request",
                        RawHttpServer.errorOf(idOf(request), -32020, "Header mismatch"),
                        "Content-Type: application/json");
                  } else {
                    peer.json(discoverAnswer(request));
                  }
                }));
    BridgeRig rig = bridge(server);
    rig.send(
        request(
            "\"k\"", "tools/call", META + ",\"name\":\"s\u00fcd\",\"arguments\":{\"r\":\"eu\"}"));
    assertThat(rig.line()).isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":\"k\",\"result\":{}}");
    rig.send(request("\"o\"", "tools/call", META + ",\"name\":\"other\",\"arguments\":{}"));
    assertThat(rig.line()).contains("\"id\":\"o\"").contains("-32020");
    assertThat(bodies(server)).hasSize(6);
  }

  private static String discoverAnswer(Request request) {
    return "{\"jsonrpc\":\"2.0\",\"id\":"
        + idOf(request)
        + ",\"result\":"
        + (request.calls("tools/list")
            ? "{\"tools\":[{\"name\":\"s\u00fcd\",\"inputSchema\":{\"type\":\"object\",\"properties\":"
                + "{\"r\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"}}}}]}"
            : "{}")
        + "}";
  }

  @Test
  void a_discover_client_cancels_by_the_end_of_the_stream() throws Exception {
    CountDownLatch closed = new CountDownLatch(1);
    RawHttpServer server =
        own(RawHttpServer.answering((request, peer) -> untilClosed(peer, closed)));
    BridgeRig rig = bridge(server);
    rig.send(request("\"w\"", "tools/call", META + ",\"name\":\"t\""));
    await().until(() -> server.requests().size() == 1);
    rig.send(
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"w\"}}");
    assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(server.requests()).hasSize(1);
    assertThat(rig.waiting()).isZero();
  }

  private static void untilClosed(Peer peer, CountDownLatch closed) throws IOException {
    try {
      peer.silence();
    } finally {
      closed.countDown();
    }
  }

  @Test
  void an_initialize_client_cancels_by_its_notification_and_gets_no_error() throws Exception {
    RawHttpServer server =
        sessions(
            (request, peer) -> {
              if (request.calls("tools/call")) {
                peer.stream();
                peer.silenceFor(200);
                peer.end();
              } else {
                peer.result(request.id());
              }
            });
    BridgeRig rig = bridge(server);
    rig.begin();
    rig.send(request("5", "tools/call", "\"name\":\"t\""));
    await().until(() -> bodies(server).stream().anyMatch(body -> body.contains("tools/call")));
    String cancelled =
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":5}}";
    rig.send(cancelled);
    await().until(() -> bodies(server).contains(cancelled));
    rig.endOfStdin();
    assertThat(rig.isOver()).isTrue();
    assertThat(rig.waiting()).isZero();
  }

  @Test
  void a_question_of_the_server_passes_and_its_answer_is_posted() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    String question =
        "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"elicitation/create\",\"params\":{}}";
    String reply = "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"result\":{\"action\":\"decline\"}}";
    RawHttpServer server =
        sessions(
            (request, peer) -> {
              if (request.body().equals(reply)) {
                asked.countDown();
                peer.reply("202 Accepted", "");
                return;
              }
              peer.stream();
              peer.chunk("data: " + question + "\n\n");
              try {
                asked.await(60, TimeUnit.SECONDS);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              peer.chunk("data: " + RawHttpServer.resultOf(1) + "\n\n");
              peer.end();
            });
    BridgeRig rig = bridge(server);
    rig.begin();
    rig.send(request("1", "tools/call", "\"name\":\"t\""));
    assertThat(rig.line()).isEqualTo(question);
    rig.send(reply);
    assertThat(rig.line()).isEqualTo(RawHttpServer.resultOf(1));
  }

  @Test
  void a_second_initialize_begins_another_session_and_ends_the_first() throws Exception {
    RawHttpServer server = sessions((request, peer) -> peer.silence());
    BridgeRig rig = bridge(server);
    rig.begin();
    rig.send(request("1", "tools/call", "\"name\":\"t\""));
    await().until(() -> bodies(server).stream().anyMatch(body -> body.contains("tools/call")));
    rig.send(BridgeRig.INITIALIZE);
    assertThat(rig.line()).contains("\"id\":1", "may have been carried out");
    assertThat(rig.line()).contains("2025-11-25");
    await().until(() -> server.requests("DELETE").size() == 1);
    assertThat(server.requests("DELETE").get(0).headers()).containsEntry("mcp-session-id", "s1");
  }

  @Test
  void an_id_in_use_is_refused() throws Exception {
    RawHttpServer server = sessions((request, peer) -> peer.silence());
    BridgeRig rig = bridge(server);
    rig.begin();
    rig.send(request("1", "ping", ""));
    rig.send(request("1", "ping", ""));
    assertThat(rig.line()).contains("\"id\":1").contains("-32600").contains("id of its own");
  }

  @Test
  void a_refused_key_is_read_anew_and_the_request_sent_again() throws Exception {
    RawHttpServer server =
        own(
            RawHttpServer.answering(
                (request, peer) -> {
                  if ("Bearer new".equals(request.headers().get("authorization"))) {
                    peer.json(discoverAnswer(request));
                  } else {
                    peer.reply("401 Unauthorized", "");
                  }
                }));
    BridgeRig rig = own(BridgeRig.to(server.url(), "old", () -> "new"));
    rig.send(request("1", "prompts/list", META));
    assertThat(rig.line()).contains("\"result\"");
    BridgeRig stale = own(BridgeRig.to(server.url(), "old", () -> "old"));
    stale.send(request("1", "prompts/list", META));
    assertThat(stale.line())
        .contains("wants a valid key")
        .contains("MCPBUS_KEY")
        .doesNotContain("old");
  }

  @Test
  void a_client_that_does_not_read_stops_the_service_from_writing() throws Exception {
    AtomicInteger written = new AtomicInteger();
    String data = "x".repeat(1024 * 1024);
    int events = 64;
    RawHttpServer server =
        sessions(
            (request, peer) -> {
              peer.stream();
              for (int i = 0; i < events; i++) {
                peer.chunk(
                    "data: {\"jsonrpc\":\"2.0\",\"method\":\"n/x\",\"params\":{\"d\":\""
                        + data
                        + "\"}}\n\n");
                written.incrementAndGet();
              }
              peer.chunk("data: " + RawHttpServer.resultOf(1) + "\n\n");
              peer.end();
            });
    BridgeRig rig = bridge(server);
    rig.begin();
    CountDownLatch gate = rig.stopReading();
    rig.send(request("1", "tools/call", "\"name\":\"t\""));
    await().until(() -> written.get() > 4);
    await().during(Duration.ofMillis(300)).until(() -> written.get() < 40);
    gate.countDown();
    for (int i = 0; i < events; i++) {
      assertThat(rig.line()).startsWith("{\"jsonrpc\":\"2.0\",\"method\":\"n/x\"");
    }
    assertThat(rig.line()).isEqualTo(RawHttpServer.resultOf(1));
  }

  @Test
  void with_many_messages_in_flight_no_further_line_is_read() {
    InFlight inFlight = new InFlight();
    for (int i = 0; i < InFlight.MAX_MESSAGES; i++) {
      assertThat(inFlight.hasRoom()).isTrue();
      inFlight.sent(10);
    }
    assertThat(inFlight.hasRoom()).isFalse();
    inFlight.delivered(10);
    assertThat(inFlight.hasRoom()).isTrue();
    inFlight.sent(64 * 1024 * 1024);
    inFlight.delivered(10);
    assertThat(inFlight.hasRoom()).as("64 MiB").isFalse();
  }

  @Test
  void a_broken_stdout_ends_the_bridge_and_the_session() throws Exception {
    RawHttpServer server = sessions((request, peer) -> peer.result(request.id()));
    BridgeRig rig = bridge(server);
    rig.begin();
    rig.breakStdout();
    rig.send(request("1", "ping", ""));
    assertThat(rig.isOver()).isTrue();
    assertThat(server.requests("DELETE")).hasSize(1);
  }

  @Test
  void at_the_end_of_stdin_answers_in_flight_still_arrive() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    RawHttpServer server =
        sessions(
            (request, peer) -> {
              try {
                go.await(60, TimeUnit.SECONDS);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              peer.result(request.id());
            });
    BridgeRig rig = bridge(server);
    rig.begin();
    rig.send(request("1", "ping", ""));
    rig.endOfStdin();
    go.countDown();
    assertThat(rig.line()).isEqualTo(RawHttpServer.resultOf(1));
    assertThat(rig.isOver()).isTrue();
  }
}
