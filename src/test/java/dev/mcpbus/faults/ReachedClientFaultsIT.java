package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A server on a TCP socket, whose tools are all read-only, and which closes the connection at the
 * first call of each: at once, or after a message that goes to the client.
 */
@Timeout(60)
class ReachedClientFaultsIT {

  private static final List<String> TOOLS = List.of("quiet", "progress", "log", "asks");
  private static final String PROGRESS = "a-name-of-32-letters-and-hyphens";

  private final Map<String, AtomicInteger> executed = new ConcurrentHashMap<>();

  @SuppressWarnings("NullAway.Init") // by start()
  private ServerSocket server;

  @SuppressWarnings("NullAway.Init")
  private TestBus bus;

  @BeforeEach
  void start() throws IOException {
    server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    Thread thread = new Thread(this::accept, "closing-server");
    thread.setDaemon(true);
    thread.start();
    bus =
        TestBus.startWithBridge(
            new JsonObject()
                .put(
                    "s",
                    new JsonObject()
                        .put("url", "tcp://127.0.0.1:" + server.getLocalPort())
                        .put("protocolVersion", "2025-11-25")
                        .put("capabilities", new JsonArray().add("elicitation"))));
    bus.awaitState("s", "READY");
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> Http.get(bus.port(), "/api/tools").body().contains("s.asks"));
  }

  @AfterEach
  void end() throws IOException {
    bus.close();
    server.close();
  }

  private void accept() {
    while (!server.isClosed()) {
      try (Socket socket = server.accept()) {
        serve(socket);
      } catch (IOException closed) {
        // The next connection, or the end of the test.
      }
    }
  }

  private void serve(Socket socket) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    OutputStream out = socket.getOutputStream();
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      JsonObject message = new JsonObject(line);
      JsonObject params = message.getJsonObject("params", new JsonObject());
      switch (message.getString("method", "")) {
        case "initialize" ->
            result(
                out,
                message,
                new JsonObject()
                    .put("protocolVersion", "2025-11-25")
                    .put(
                        "capabilities",
                        new JsonObject()
                            .put("tools", new JsonObject())
                            .put("logging", new JsonObject()))
                    .put("serverInfo", new JsonObject().put("name", "c").put("version", "1")));
        case "tools/list" -> result(out, message, tools());
        case "tools/call" -> {
          String tool = params.getString("name");
          if (executed.computeIfAbsent(tool, first -> new AtomicInteger()).getAndIncrement() == 0) {
            before(out, tool, params);
            return;
          }
          result(
              out,
              message,
              new JsonObject()
                  .put(
                      "content",
                      new JsonArray().add(new JsonObject().put("type", "text").put("text", tool))));
        }
        default -> {
          if (message.containsKey("id") && message.containsKey("method")) {
            result(out, message, new JsonObject());
          }
        }
      }
    }
  }

  private static JsonObject tools() {
    JsonArray tools = new JsonArray();
    for (String name : TOOLS) {
      tools.add(
          new JsonObject()
              .put("name", name)
              .put("inputSchema", new JsonObject().put("type", "object"))
              .put("annotations", new JsonObject().put("readOnlyHint", true)));
    }
    return new JsonObject().put("tools", tools);
  }

  /** What leaves for the client before the connection ends. */
  private static void before(OutputStream out, String tool, JsonObject params) throws IOException {
    JsonObject message = new JsonObject().put("jsonrpc", "2.0");
    switch (tool) {
      case "progress" ->
          send(
              out,
              message
                  .put("method", "notifications/progress")
                  .put(
                      "params",
                      new JsonObject()
                          .put(
                              "progressToken",
                              params.getJsonObject("_meta").getValue("progressToken"))
                          .put("progress", 1)));
      case "log" ->
          send(
              out,
              message
                  .put("method", "notifications/message")
                  .put("params", new JsonObject().put("level", "info").put("data", "so far")));
      case "asks" ->
          send(
              out,
              message
                  .put("id", 900)
                  .put("method", "elicitation/create")
                  .put(
                      "params",
                      new JsonObject()
                          .put("message", "Really?")
                          .put(
                              "requestedSchema",
                              new JsonObject()
                                  .put("type", "object")
                                  .put("properties", new JsonObject()))));
      default -> {}
    }
  }

  private static void result(OutputStream out, JsonObject request, JsonObject result)
      throws IOException {
    send(
        out,
        new JsonObject()
            .put("jsonrpc", "2.0")
            .put("id", request.getValue("id"))
            .put("result", result));
  }

  private static void send(OutputStream out, JsonObject message) throws IOException {
    out.write((message.encode() + "\n").getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  private int executed(String tool) {
    AtomicInteger count = executed.get(tool);
    return count == null ? 0 : count.get();
  }

  private Http.Answer call(String tool) {
    return Http.post(bus.port(), "/api/servers/s/tools/" + tool, "{}", "Progress", PROGRESS);
  }

  private void isMadeOnce(String tool) {
    Http.Answer answer = call(tool);
    assertThat(answer.status()).as(answer.body()).isEqualTo(502);
    assertThat(answer.json().getString("code")).isEqualTo(FailureCode.UPSTREAM_RESET.name());
    assertThat(executed(tool)).isEqualTo(1);
  }

  @Test
  void a_call_of_which_nothing_or_a_log_message_reached_the_client_is_made_again() {
    for (String tool : List.of("quiet", "log")) {
      Http.Answer answer = call(tool);
      assertThat(answer.status()).as(answer.body()).isEqualTo(200);
      assertThat(executed(tool)).isEqualTo(2);
    }
  }

  @Test
  void a_call_that_has_reported_progress_is_made_once() {
    isMadeOnce("progress");
  }

  @Test
  void a_call_that_has_asked_a_question_is_made_once() {
    isMadeOnce("asks");
  }
}
