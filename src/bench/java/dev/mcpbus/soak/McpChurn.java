package dev.mcpbus.soak;

import dev.mcpbus.soak.LoadClient.Answer;
import dev.mcpbus.soak.LoadClient.Text;
import dev.mcpbus.soak.LoadClient.Unexpected;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What MCP clients do, of both eras: sessions, calls, streams, private connections, tasks. */
final class McpChurn {

  private static final String CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
  private static final String VERSION = "2025-11-25";

  private final LoadClient client;
  private final CallLedger ledger;

  McpChurn(LoadClient client, CallLedger ledger) {
    this.client = client;
    this.ledger = ledger;
  }

  List<ChurnKind> kinds() {
    return List.of(
        ChurnKind.of("session-initialize-delete", this::sessionWithDelete),
        ChurnKind.of("session-abandoned", this::sessionAbandoned),
        ChurnKind.of("modern-call", this::modernCall),
        ChurnKind.of("listen-stream", this::listenStream),
        ChurnKind.of("get-stream", this::getStream),
        ChurnKind.of("sse-client", this::sseClient),
        ChurnKind.of("lease", number -> lease(true)).withPause(500),
        ChurnKind.of("lease-abandoned", number -> lease(false)).withPause(500),
        ChurnKind.of("task", this::task).withKept(256),
        ChurnKind.of("question-left-open", this::questionLeftOpen).withPause(500),
        ChurnKind.of("question-abandoned", number -> ask(false))
            .withShare(0.004) // 48 private connections are one principal's share
            .withPause(30_000)
            .withLinger(310));
  }

  // ---- sessions

  private record Session(String path, String id) {
    String[] headers() {
      return new String[] {"Mcp-Session-Id", id, "MCP-Protocol-Version", VERSION};
    }
  }

  private static String request(String id, String method, JsonObject params) {
    return new JsonObject()
        .put("jsonrpc", "2.0")
        .put("id", id)
        .put("method", method)
        .put("params", params)
        .encode();
  }

  private static JsonObject initialize(JsonObject capabilities) {
    return new JsonObject()
        .put("protocolVersion", VERSION)
        .put("capabilities", capabilities)
        .put("clientInfo", new JsonObject().put("name", "soak").put("version", "1"));
  }

  private Future<Session> open(String path, JsonObject capabilities) {
    return client
        .post(path, request("0", "initialize", initialize(capabilities)))
        .compose(answer -> answer.expect(200))
        .map(answer -> new Session(path, answer.headers().get("Mcp-Session-Id")))
        .compose(
            session ->
                client
                    .post(
                        path,
                        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
                        session.headers())
                    .compose(answer -> answer.expect(202))
                    .map(session));
  }

  private Future<Answer> call(Session session, String tool, String text) {
    JsonObject params =
        new JsonObject().put("name", tool).put("arguments", new JsonObject().put("text", text));
    return client
        .post(session.path(), request("1", "tools/call", params), session.headers())
        .compose(answer -> answer.expect(200))
        .compose(answer -> said(answer, text));
  }

  private static Future<Answer> said(Answer answer, String text) {
    return answer.text().contains("\"text\":\"" + text + "\"")
        ? Future.succeededFuture(answer)
        : Future.failedFuture(new Unexpected("not the text " + text + ": " + answer.text()));
  }

  private Future<String> end(Session session) {
    return client
        .delete(session.path(), session.headers())
        .compose(answer -> answer.expect(200, 202, 204))
        .map("ended");
  }

  private Future<String> sessionWithDelete(long number) {
    return open("/mcp/echo", new JsonObject())
        .compose(session -> call(session, "echo", "s" + number).compose(said -> end(session)));
  }

  private Future<String> sessionAbandoned(long number) {
    return open("/mcp/echo", new JsonObject())
        .compose(session -> call(session, "echo", "s" + number))
        .map("left");
  }

  /** A session whose client has a connection of its own to the server. */
  private Future<String> lease(boolean polite) {
    return open("/mcp/stateful", new JsonObject())
        .compose(
            session ->
                call(session, "echo", "mine")
                    .compose(said -> polite ? end(session) : Future.succeededFuture("left")));
  }

  // ---- the modern era

  private String described(String method, JsonObject params, JsonObject capabilities) {
    JsonObject meta =
        new JsonObject()
            .put("io.modelcontextprotocol/protocolVersion", "2026-07-28")
            .put(
                "io.modelcontextprotocol/clientInfo",
                new JsonObject().put("name", "soak").put("version", "1"))
            .put(CAPABILITIES, capabilities);
    return request("1", method, params.copy().put("_meta", meta));
  }

  private static String[] headers(String method, String name) {
    return name.isEmpty()
        ? new String[] {"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method}
        : new String[] {
          "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method, "Mcp-Name", name
        };
  }

  private Future<Answer> modern(
      String path, String method, String name, JsonObject params, JsonObject capabilities) {
    return client.post(path, described(method, params, capabilities), headers(method, name));
  }

  /** One of the steady calls, whose time is taken. */
  Future<String> modernCall(long number) {
    String text = "m" + number;
    JsonObject params =
        new JsonObject().put("name", "echo").put("arguments", new JsonObject().put("text", text));
    boolean own = number % 2 == 0;
    if (own) {
      ledger.expect(text);
    }
    return modern(own ? "/mcp/own" : "/mcp/echo", "tools/call", "echo", params, new JsonObject())
        .compose(answer -> answer.expect(200))
        .compose(answer -> said(answer, text))
        .map("answered")
        .onComplete(
            ended -> {
              if (own) {
                ledger.settle(text, ended.succeeded());
              }
            });
  }

  private Future<String> listenStream(long number) {
    JsonObject params =
        new JsonObject().put("notifications", new JsonObject().put("toolsListChanged", true));
    return client.stream(
            HttpMethod.POST,
            "/mcp",
            described("subscriptions/listen", params, new JsonObject()),
            headers("subscriptions/listen", ""))
        .compose(text -> text.until("acknowledged").onComplete(heard -> text.cut()))
        .map("cut");
  }

  private Future<String> getStream(long number) {
    return open("/mcp/echo", new JsonObject())
        .compose(
            session ->
                client.stream(HttpMethod.GET, "/mcp/echo", "", session.headers())
                    .compose(
                        text -> {
                          text.cut();
                          return end(session);
                        }));
  }

  private Future<String> sseClient(long number) {
    return client.stream(HttpMethod.GET, "/sse/echo", "")
        .compose(
            text ->
                text.until("sessionId=")
                    .compose(
                        heard -> {
                          int from = heard.indexOf("data: ") + 6;
                          String path = heard.substring(from, heard.indexOf('\n', from)).trim();
                          return sseExchange(path, text);
                        })
                    .onComplete(ended -> text.cut()))
        .map("cut");
  }

  private Future<String> sseExchange(String path, Text text) {
    return client
        .post(path, request("0", "initialize", initialize(new JsonObject())))
        .compose(answer -> answer.expect(202))
        .compose(taken -> text.until("\"serverInfo\""));
  }

  // ---- tasks and questions

  private Future<String> task(long number) {
    JsonObject capabilities =
        new JsonObject()
            .put(
                "extensions",
                new JsonObject().put("io.modelcontextprotocol/tasks", new JsonObject()));
    JsonObject params = new JsonObject().put("name", "work").put("arguments", new JsonObject());
    return modern("/mcp/own", "tools/call", "work", params, capabilities)
        .compose(answer -> answer.expect(200))
        .compose(
            answer -> {
              JsonObject result = new JsonObject(answer.text()).getJsonObject("result");
              String id = result == null ? null : result.getString("taskId");
              return id == null
                  ? Future.<Answer>failedFuture(new Unexpected("no task: " + answer.text()))
                  : poll(id, capabilities, 20);
            })
        .map("completed");
  }

  private Future<Answer> poll(String id, JsonObject capabilities, int times) {
    return modern("/mcp/own", "tasks/get", id, new JsonObject().put("taskId", id), capabilities)
        .compose(answer -> answer.expect(200))
        .compose(
            answer ->
                answer.text().contains("\"completed\"")
                    ? Future.succeededFuture(answer)
                    : times == 0
                        ? Future.failedFuture(new Unexpected("never done: " + answer.text()))
                        : client
                            .vertx()
                            .timer(50, TimeUnit.MILLISECONDS)
                            .compose(later -> poll(id, capabilities, times - 1)));
  }

  /** Somebody calls, the server asks back, and nobody ever answers: in three ways. */
  private Future<String> questionLeftOpen(long number) {
    JsonObject able = new JsonObject().put("elicitation", new JsonObject());
    JsonObject params = new JsonObject().put("name", "ask").put("arguments", new JsonObject());
    return switch ((int) (number % 3)) {
      case 0 ->
          client
              .post("/api/servers/asking/tools/ask?timeout=300", "{}")
              .compose(answer -> answer.expect(504, 502, 503, 429))
              .map(answer -> "parked " + answer.status());
      case 1 ->
          modern("/mcp/own", "tools/call", "ask", params, able)
              .compose(answer -> answer.expect(200))
              .compose(
                  answer ->
                      answer.text().contains("input_required")
                          ? Future.succeededFuture("asked")
                          : Future.failedFuture(new Unexpected(answer.text())));
      default -> ask(true);
    };
  }

  /**
   * A server of the older era asks on the stream of the call. The client goes away: politely, with
   * a word that it gives up the call; or not, and then the service waits 300 s for a person.
   */
  private Future<String> ask(boolean polite) {
    JsonObject able = new JsonObject().put("elicitation", new JsonObject());
    JsonObject params = new JsonObject().put("name", "ask").put("arguments", new JsonObject());
    String cancel =
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
            + "\"params\":{\"requestId\":\"7\"}}";
    String path = polite ? "/mcp/stateful" : "/mcp/deserted";
    return open(path, able)
        .compose(
            session ->
                client.stream(
                        HttpMethod.POST,
                        path,
                        request("7", "tools/call", params),
                        session.headers())
                    .compose(
                        text -> text.until("elicitation/create").onComplete(heard -> text.cut()))
                    .compose(
                        heard ->
                            polite
                                ? client
                                    .post(path, cancel, session.headers())
                                    .compose(answer -> answer.expect(202))
                                    .compose(told -> end(session))
                                : Future.succeededFuture("asked and left")));
  }
}
