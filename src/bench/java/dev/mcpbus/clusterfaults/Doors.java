package dev.mcpbus.clusterfaults;

import io.vertx.core.json.JsonObject;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Calls of the ledger's tool by the doors of a node, in both eras. Any thread may call. */
final class Doors {

  private static final Duration OPENING = Duration.ofSeconds(4);

  /** What a caller waits beyond the time of its call. */
  private static final Duration GRACE = Duration.ofSeconds(2);

  /** The door of a call, and what its request looks like. */
  enum Door {
    REST,
    REST_WITH_TIME,
    DISCOVER,
    INITIALIZE
  }

  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();
  private final ConcurrentMap<String, CompletableFuture<String>> sessions =
      new ConcurrentHashMap<>();

  /**
   * The session for a call: empty for a door that needs none, null where the node does not answer.
   */
  CompletableFuture<String> session(Door door, Node via, String server) {
    if (door != Door.INITIALIZE) {
      return CompletableFuture.completedFuture("");
    }
    String key = key(via, server);
    CompletableFuture<String> session = sessions.computeIfAbsent(key, none -> open(via, server));
    return session.thenApply(
        opened -> {
          if (opened == null) {
            sessions.remove(key, session);
          }
          return opened;
        });
  }

  /** The next call opens another session where the node does not know this one any more. */
  void answered(Node via, String server, String session, HttpResponse<String> response) {
    if (response != null && response.statusCode() == 404 && !session.isEmpty()) {
      sessions.remove(key(via, server));
    }
  }

  private static String key(Node via, String server) {
    return via.name() + " " + server;
  }

  /**
   * Sends a call; to cancel the answer hangs up.
   *
   * @param time of the call, which {@link Door#REST_WITH_TIME} says
   */
  CompletableFuture<HttpResponse<String>> send(
      Door door, Node via, String server, String session, String id, Duration time) {
    HttpRequest request =
        request(door, via, server, session, id, time).timeout(time.plus(GRACE)).build();
    return client.sendAsync(request, HttpResponse.BodyHandlers.ofString());
  }

  private static HttpRequest.Builder request(
      Door door, Node via, String server, String session, String id, Duration time) {
    JsonObject arguments = new JsonObject().put("call", id).put("delay", 5);
    String tool = "/api/servers/" + server + "/tools/record";
    return switch (door) {
      case REST -> post(via, tool, id, arguments);
      case REST_WITH_TIME -> post(via, tool + "?timeout=" + time.toMillis(), id, arguments);
      case DISCOVER ->
          post(via, "/mcp/" + server, id, message(id, arguments, true))
              .header("MCP-Protocol-Version", "2026-07-28")
              .header("Mcp-Method", "tools/call")
              .header("Mcp-Name", "record");
      case INITIALIZE ->
          post(via, "/mcp/" + server, id, message(id, arguments, false))
              .header("MCP-Protocol-Version", "2025-11-25")
              .header("Mcp-Session-Id", session);
    };
  }

  private static HttpRequest.Builder post(Node via, String path, String id, JsonObject body) {
    return Caller.to(via, path)
        .header("Content-Type", "application/json")
        .header("Accept", "application/json, text/event-stream")
        .header("Journal", id)
        .POST(HttpRequest.BodyPublishers.ofString(body.encode()));
  }

  private static JsonObject message(String id, JsonObject arguments, boolean describes) {
    JsonObject params = new JsonObject().put("name", "record").put("arguments", arguments);
    if (describes) {
      params.put(
          "_meta",
          new JsonObject()
              .put("io.modelcontextprotocol/protocolVersion", "2026-07-28")
              .put("io.modelcontextprotocol/clientInfo", clientInfo())
              .put("io.modelcontextprotocol/clientCapabilities", new JsonObject()));
    }
    return rpc(id, "tools/call", params);
  }

  private static JsonObject clientInfo() {
    return new JsonObject().put("name", "faults").put("version", "1");
  }

  private static JsonObject rpc(String id, String method, JsonObject params) {
    return new JsonObject()
        .put("jsonrpc", "2.0")
        .put("id", id)
        .put("method", method)
        .put("params", params);
  }

  private CompletableFuture<String> open(Node via, String server) {
    JsonObject initialize =
        new JsonObject()
            .put("protocolVersion", "2025-11-25")
            .put("capabilities", new JsonObject())
            .put("clientInfo", clientInfo());
    HttpRequest request =
        post(via, "/mcp/" + server, "open", rpc("1", "initialize", initialize))
            .timeout(OPENING)
            .build();
    return client
        .sendAsync(request, HttpResponse.BodyHandlers.ofString())
        .handle(
            (answer, failure) ->
                answer == null ? null : answer.headers().firstValue("Mcp-Session-Id").orElse(null));
  }
}
