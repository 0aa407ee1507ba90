package dev.mcpbus.soak;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The MCP servers of this process: {@code /modern} without sessions, {@code /legacy} with, and
 * {@code /hostile/...} that break the rules.
 */
final class FixtureServers {

  private static final String SESSION = "Mcp-Session-Id";
  private static final int TASK_MILLIS = 120;

  private final Vertx vertx;
  private final CallLedger ledger;
  private final Map<String, Long> sessions = new ConcurrentHashMap<>();
  private final Map<String, Long> tasks = new ConcurrentHashMap<>();
  private final AtomicLong sequence = new AtomicLong();
  private final String big = "x".repeat(1_000_000);

  FixtureServers(Vertx vertx, CallLedger ledger) {
    this.vertx = vertx;
    this.ledger = ledger;
  }

  /** Listens on a free port. */
  Future<Integer> listen() {
    HttpServerOptions options = new HttpServerOptions().setHost("127.0.0.1").setPort(0);
    return vertx
        .createHttpServer(options)
        .requestHandler(request -> request.body().onSuccess(body -> take(request, body)))
        .listen()
        .map(HttpServer::actualPort);
  }

  /** Sessions that were opened and not ended. */
  long sessions() {
    return sessions.size();
  }

  private void take(HttpServerRequest request, Buffer body) {
    String path = request.path();
    if (path.startsWith("/hostile/")) {
      hostile(path.substring(9), request, body);
      return;
    }
    boolean legacy = path.equals("/legacy");
    if (!request.method().name().equals("POST")) {
      boolean ends = legacy && request.method().name().equals("DELETE");
      if (ends) {
        sessions.remove(String.valueOf(request.getHeader(SESSION)));
      }
      request.response().setStatusCode(ends ? 200 : 405).end();
      return;
    }
    JsonObject message = new JsonObject(body);
    Object id = message.getValue("id");
    String method = message.getString("method", "");
    JsonObject params = message.getJsonObject("params", new JsonObject());
    if (id == null || method.isEmpty()) {
      request.response().setStatusCode(202).end();
      return;
    }
    String session = request.getHeader(SESSION);
    if (legacy && session != null && !sessions.containsKey(session)) {
      request.response().setStatusCode(404).end();
      return;
    }
    switch (method) {
      case "initialize" -> initialize(request.response(), id, params, legacy);
      case "server/discover" -> {
        if (legacy) {
          request.response().setStatusCode(400).end();
        } else {
          answer(request.response(), id, discovered());
        }
      }
      case "tools/list" -> answer(request.response(), id, tools());
      case "tools/call" -> call(request.response(), id, params, legacy);
      case "tasks/get" -> answer(request.response(), id, task(params.getString("taskId", "")));
      case "ping" -> answer(request.response(), id, new JsonObject());
      default -> refuse(request.response(), id);
    }
  }

  private static void write(HttpServerResponse response, JsonObject message) {
    response
        .putHeader("Content-Type", "application/json")
        .end(message.put("jsonrpc", "2.0").toBuffer());
  }

  private static void answer(HttpServerResponse response, Object id, JsonObject result) {
    write(response, new JsonObject().put("id", id).put("result", result));
  }

  private static void refuse(HttpServerResponse response, Object id) {
    JsonObject error = new JsonObject().put("code", -32601).put("message", "no such method");
    write(response, new JsonObject().put("id", id).put("error", error));
  }

  private void initialize(
      HttpServerResponse response, Object id, JsonObject params, boolean legacy) {
    if (!legacy) {
      refuse(response, id);
      return;
    }
    String session = UUID.randomUUID().toString();
    sessions.put(session, 0L);
    response.putHeader(SESSION, session);
    JsonObject result =
        new JsonObject()
            .put("protocolVersion", params.getString("protocolVersion"))
            .put("capabilities", new JsonObject().put("tools", new JsonObject()))
            .put("serverInfo", info());
    answer(response, id, result);
  }

  private static JsonObject info() {
    return new JsonObject().put("name", "fixture").put("version", "1");
  }

  private static JsonObject discovered() {
    JsonObject capabilities =
        new JsonObject()
            .put("tools", new JsonObject())
            .put(
                "extensions",
                new JsonObject().put("io.modelcontextprotocol/tasks", new JsonObject()));
    return new JsonObject()
        .put("resultType", "complete")
        .put("supportedVersions", new JsonArray().add("2026-07-28"))
        .put("capabilities", capabilities)
        .put("ttlMs", 3_600_000)
        .put("cacheScope", "public")
        .put("_meta", new JsonObject().put("io.modelcontextprotocol/serverInfo", info()));
  }

  private static JsonObject tools() {
    JsonArray tools = new JsonArray();
    for (String name : new String[] {"echo", "slow", "big", "work", "ask"}) {
      tools.add(
          new JsonObject()
              .put("name", name)
              .put("inputSchema", new JsonObject().put("type", "object")));
    }
    return new JsonObject()
        .put("resultType", "complete")
        .put("tools", tools)
        .put("ttlMs", 3_600_000)
        .put("cacheScope", "public");
  }

  private void call(HttpServerResponse response, Object id, JsonObject params, boolean legacy) {
    JsonObject arguments = params.getJsonObject("arguments", new JsonObject());
    switch (params.getString("name", "")) {
      case "slow" -> vertx.setTimer(200, late -> answer(response, id, text("slow")));
      case "big" -> answer(response, id, text(big));
      case "ask" -> ask(response, id, params, legacy);
      case "work" -> {
        String task = "task-" + sequence.incrementAndGet();
        tasks.put(task, System.nanoTime());
        vertx.setTimer(5_000, late -> tasks.remove(task));
        answer(response, id, state(task, "working").put("resultType", "task"));
      }
      default -> {
        String text = arguments.getString("text", "");
        ledger.executed(text);
        answer(response, id, text(text));
      }
    }
  }

  private static JsonObject text(String text) {
    JsonObject content = new JsonObject().put("type", "text").put("text", text);
    return new JsonObject()
        .put("resultType", "complete")
        .put("content", new JsonArray().add(content))
        .put("isError", false);
  }

  private static JsonObject state(String task, String status) {
    return new JsonObject()
        .put("taskId", task)
        .put("status", status)
        .put("createdAt", "2026-01-01T00:00:00Z")
        .put("lastUpdatedAt", "2026-01-01T00:00:00Z")
        .put("ttlMs", 5_000)
        .put("pollIntervalMs", 50);
  }

  private JsonObject task(String task) {
    Long begun = tasks.get(task);
    boolean done = begun == null || System.nanoTime() - begun > TASK_MILLIS * 1_000_000L;
    JsonObject state = state(task, done ? "completed" : "working").put("resultType", "complete");
    return done ? state.put("result", text("worked")) : state;
  }

  /** The older era asks on the stream of the call, and waits for as long as that is open. */
  private void ask(HttpServerResponse response, Object id, JsonObject params, boolean legacy) {
    JsonObject form =
        new JsonObject()
            .put("message", "Your name?")
            .put(
                "requestedSchema",
                new JsonObject()
                    .put("type", "object")
                    .put(
                        "properties",
                        new JsonObject().put("name", new JsonObject().put("type", "string"))));
    if (!legacy && params.containsKey("inputResponses")) {
      answer(response, id, text("hello"));
    } else if (!legacy) {
      JsonObject question =
          new JsonObject().put("method", "elicitation/create").put("params", form);
      answer(
          response,
          id,
          new JsonObject()
              .put("resultType", "input_required")
              .put("inputRequests", new JsonObject().put("who", question))
              .put("requestState", "kept"));
    } else {
      JsonObject question =
          new JsonObject()
              .put("jsonrpc", "2.0")
              .put("id", "q" + sequence.incrementAndGet())
              .put("method", "elicitation/create")
              .put("params", form);
      response.setChunked(true).putHeader("Content-Type", "text/event-stream");
      response.write("data: " + question.encode() + "\n\n");
    }
  }

  // ---- hostile

  private void hostile(String how, HttpServerRequest request, Buffer body) {
    HttpServerResponse response = request.response();
    if (!request.method().name().equals("POST")) {
      response.setStatusCode(405).end();
      return;
    }
    JsonObject message = new JsonObject(body);
    Object id = message.getValue("id");
    String method = message.getString("method", "");
    boolean called = method.equals("tools/call");
    if (id == null) {
      response.setStatusCode(202).end();
    } else if (!called && method.equals("server/discover")) {
      answer(response, id, discovered());
    } else if (!called && method.equals("tools/list")) {
      answer(response, id, tools());
    } else if (how.equals("flood")) {
      flood(response, id, 2_000);
    } else if (how.equals("junk")) {
      response.putHeader("Content-Type", "application/json").end("{\"jsonrpc\":\"2.0\",,,");
    } else if (how.equals("cut")) {
      request.connection().close();
    } else {
      vertx.setTimer(20_000, late -> request.connection().close());
    }
  }

  /** Notifications that nobody asked for, then the answer, twice. */
  private static void flood(HttpServerResponse response, Object id, int times) {
    response.setChunked(true).putHeader("Content-Type", "text/event-stream");
    String note =
        "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":"
            + "{\"level\":\"error\",\"data\":\"flood\"}}\n\n";
    response.write(note.repeat(times));
    JsonObject answer =
        new JsonObject().put("jsonrpc", "2.0").put("id", id).put("result", text("flooded"));
    response.write("data: " + answer.encode() + "\n\n");
    response.end("data: " + answer.encode() + "\n\n");
  }
}
