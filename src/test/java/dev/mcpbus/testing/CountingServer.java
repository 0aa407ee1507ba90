package dev.mcpbus.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An MCP server over HTTP in the test's own process, which knows how many calls each of its
 * sessions has had. Tools: {@code echo} answers the session's id, {@code slow} does so after 50 ms,
 * {@code hang} when {@link #release} is called.
 */
public final class CountingServer implements AutoCloseable {

  private static final String SESSION = "Mcp-Session-Id";

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();
  private final CountDownLatch released = new CountDownLatch(1);

  public CountingServer() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(threads);
    server.createContext("/mcp", this::serve);
    server.start();
  }

  /** An entry for it. */
  public JsonObject entry() {
    return new JsonObject()
        .put("url", "http://127.0.0.1:" + server.getAddress().getPort() + "/mcp")
        .put("listen", false);
  }

  /** Tool calls so far of a session. */
  public int calls(String session) {
    AtomicInteger count = calls.get(session);
    return count == null ? 0 : count.get();
  }

  public boolean knows(String session) {
    return calls.containsKey(session);
  }

  /** Lets all that hangs go on. */
  public void release() {
    released.countDown();
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!exchange.getRequestMethod().equals("POST")) {
        exchange.sendResponseHeaders(exchange.getRequestMethod().equals("DELETE") ? 200 : 405, -1);
        return;
      }
      JsonObject message =
          new JsonObject(
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
      String session = exchange.getRequestHeaders().getFirst(SESSION);
      JsonObject result =
          switch (message.getString("method", "")) {
            case "initialize" -> initialized(exchange);
            case "tools/list" -> tools();
            case "tools/call" -> call(String.valueOf(session), message.getJsonObject("params"));
            case "ping" -> new JsonObject();
            default -> null;
          };
      if (result == null) {
        boolean unknown = message.containsKey("id");
        exchange.sendResponseHeaders(unknown ? 400 : 202, -1);
        return;
      }
      byte[] body =
          new JsonObject()
              .put("jsonrpc", "2.0")
              .put("id", message.getValue("id"))
              .put("result", result)
              .toBuffer()
              .getBytes();
      exchange.getResponseHeaders().add("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private JsonObject initialized(HttpExchange exchange) {
    String session = UUID.randomUUID().toString();
    calls.put(session, new AtomicInteger());
    exchange.getResponseHeaders().add(SESSION, session);
    return new JsonObject()
        .put("protocolVersion", "2025-06-18")
        .put("capabilities", new JsonObject().put("tools", new JsonObject()))
        .put("serverInfo", new JsonObject().put("name", "counting").put("version", "1"));
  }

  private static JsonObject tools() {
    JsonArray tools = new JsonArray();
    for (String name : new String[] {"echo", "slow", "hang"}) {
      tools.add(
          new JsonObject()
              .put("name", name)
              .put("inputSchema", new JsonObject().put("type", "object")));
    }
    return new JsonObject().put("tools", tools);
  }

  private JsonObject call(String session, JsonObject params) {
    calls.computeIfAbsent(session, id -> new AtomicInteger()).incrementAndGet();
    long millis =
        switch (params.getString("name", "")) {
          case "slow" -> 50;
          case "hang" -> 60_000;
          default -> 0;
        };
    boolean early = false;
    try {
      early = millis > 0 && released.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    String text = session + (early ? " early" : "");
    return new JsonObject()
        .put(
            "content", new JsonArray().add(new JsonObject().put("type", "text").put("text", text)));
  }

  @Override
  public void close() {
    release();
    server.stop(0);
    threads.shutdownNow();
  }
}
