package dev.mcpbus;

import static dev.mcpbus.testing.TestBus.address;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * A server on the JDK's own HTTP server, which runs its handlers one after the other in one thread
 * unless it is given more: its GET stream, a comment every 50 ms, leaves no place for a POST.
 */
class SerialServerIT {

  private final List<String> received = new CopyOnWriteArrayList<>();
  private final CountDownLatch over = new CountDownLatch(1);

  private void serve(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    switch (exchange.getRequestMethod()) {
      case "GET" -> stream(exchange);
      case "POST" -> answer(exchange, new JsonObject(body));
      default -> exchange.sendResponseHeaders(200, -1);
    }
    exchange.close();
  }

  private void stream(HttpExchange exchange) throws IOException {
    received.add("GET");
    exchange.getResponseHeaders().add("Content-Type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    try (OutputStream out = exchange.getResponseBody()) {
      while (!over.await(50, TimeUnit.MILLISECONDS)) {
        out.write(": here\n\n".getBytes(StandardCharsets.UTF_8));
        out.flush();
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private void answer(HttpExchange exchange, JsonObject request) throws IOException {
    String method = request.getString("method");
    received.add(method);
    if (!request.containsKey("id")) {
      exchange.sendResponseHeaders(202, -1);
      return;
    }
    byte[] answer =
        new JsonObject()
            .put("jsonrpc", "2.0")
            .put("id", request.getValue("id"))
            .mergeIn(result(method))
            .encode()
            .getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    if (method.equals("initialize")) {
      exchange.getResponseHeaders().add("Mcp-Session-Id", "one");
    }
    exchange.sendResponseHeaders(200, answer.length);
    exchange.getResponseBody().write(answer);
  }

  private static JsonObject result(String method) {
    JsonObject result =
        switch (method) {
          case "initialize" ->
              new JsonObject()
                  .put("protocolVersion", "2025-11-25")
                  .put("capabilities", new JsonObject().put("tools", new JsonObject()))
                  .put("serverInfo", new JsonObject().put("name", "serial").put("version", "1"));
          case "tools/list" ->
              new JsonObject()
                  .put(
                      "tools",
                      new JsonArray()
                          .add(
                              new JsonObject()
                                  .put("name", "count")
                                  .put("inputSchema", new JsonObject().put("type", "object"))));
          case "tools/call" -> new JsonObject().put("content", new JsonArray());
          case "ping" -> new JsonObject();
          default -> null;
        };
    return result == null
        ? new JsonObject()
            .put("error", new JsonObject().put("code", -32601).put("message", "Method not found"))
        : new JsonObject().put("result", result);
  }

  private long received(String method) {
    return received.stream().filter(method::equals).count();
  }

  @Test
  void a_server_with_one_thread_serves_calls_and_its_status_says_that_the_stream_is_off()
      throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/mcp", this::serve);
    server.start();
    JsonObject entry =
        new JsonObject().put("url", "http://127.0.0.1:" + server.getAddress().getPort() + "/mcp");
    try (TestBus bus = TestBus.start(TestBus.server("serial", entry))) {
      bus.awaitState("serial", "READY");
      // A call that is answered before the server has begun with the stream shows nothing.
      await().until(() -> received("GET") > 0);
      bus.callTool("serial", "count", new JsonObject());
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> "off: serial".equals(getStream(bus.status("serial"))));
      bus.callTool("serial", "count", new JsonObject());
      assertThat(received("tools/call")).isEqualTo(2);
      long gets = received("GET");

      bus.request(address("serial", Addresses.RESTART), new JsonObject());
      await().until(() -> received("initialize") >= 2);
      bus.awaitState("serial", "READY");
      bus.callTool("serial", "count", new JsonObject());
      assertThat(getStream(bus.status("serial"))).isEqualTo("off: serial");
      assertThat(received("GET")).isEqualTo(gets);
      assertThat(received("tools/call")).isEqualTo(3);
    } finally {
      over.countDown();
      server.stop(0);
    }
  }

  private static String getStream(JsonObject status) {
    return status.getJsonObject("transport", new JsonObject()).getString("getStream");
  }
}
