package dev.mcpbus;

import static dev.mcpbus.testing.TestBus.address;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.ScriptedServer;
import dev.mcpbus.testing.StreamBridge;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole path over HTTP+SSE, TCP and Unix sockets. */
class OlderTransportsIT {

  @TempDir Path folder;

  @Test
  void everything_over_http_sse_by_its_url_does_all_that_the_era_offers() throws IOException {
    int port = NpmServers.freePort();
    Process server = everything("sse", port);
    try {
      exerciseEverything(new JsonObject().put("url", "http://127.0.0.1:" + port + "/sse"));
    } finally {
      server.destroyForcibly();
    }
  }

  @Test
  void everything_over_http_sse_by_falling_back_does_the_same() throws IOException {
    int port = NpmServers.freePort();
    Process server = everything("sse", port);
    try {
      exerciseEverything(
          new JsonObject().put("type", "http").put("url", "http://127.0.0.1:" + port + "/sse"));
    } finally {
      server.destroyForcibly();
    }
  }

  private static void exerciseEverything(JsonObject entry) {
    try (TestBus bus = TestBus.start(TestBus.server("everything", entry))) {
      RealServersIT.exerciseEverything(bus);
      assertThat(bus.status("everything").getJsonObject("transport").getString("wire"))
          .isEqualTo("HTTP+SSE");
    }
  }

  @Test
  void everything_over_streamable_http_on_a_unix_socket() throws IOException {
    int port = NpmServers.freePort();
    Process server = everything("streamableHttp", port);
    Path socket = folder.resolve("http.sock");
    try (StreamBridge bridge = StreamBridge.onUnix(socket, StreamBridge.tcp(port))) {
      JsonObject entry = new JsonObject().put("url", bridge.url() + "#/mcp");
      try (TestBus bus = TestBus.start(TestBus.server("everything", entry))) {
        RealServersIT.exerciseEverything(bus);
      }
    } finally {
      server.destroyForcibly();
    }
  }

  @Test
  void a_server_behind_a_tcp_port_answers_and_comes_back_after_a_crash() {
    try (StreamBridge bridge =
        StreamBridge.onTcp(StreamBridge.process(ScriptedServer.command("good")))) {
      survivesACrash(new JsonObject().put("url", bridge.url()));
    }
  }

  @Test
  void a_server_behind_a_unix_socket_answers_and_comes_back_after_a_crash() {
    Path socket = folder.resolve("lines.sock");
    try (StreamBridge bridge =
        StreamBridge.onUnix(socket, StreamBridge.process(ScriptedServer.command("good")))) {
      survivesACrash(new JsonObject().put("url", bridge.url()));
    }
  }

  private static void survivesACrash(JsonObject entry) {
    try (TestBus bus = TestBus.start(TestBus.server("lines", entry))) {
      bus.awaitState("lines", "READY");
      JsonObject echo = bus.callTool("lines", "echo", new JsonObject().put("text", "hello"));
      assertThat(echo.encode()).contains("hello");
      McpFailure crash =
          bus.failure(
              address("lines", Addresses.TOOLS_CALL), TestBus.toolCall("crash", new JsonObject()));
      assertThat(crash.code()).isEqualTo(FailureCode.UPSTREAM_RESET);
      assertThat(crash.sent()).isEqualTo(McpFailure.Sent.MAYBE);
      bus.awaitState("lines", "READY");
      assertThat(bus.callTool("lines", "echo", new JsonObject().put("text", "again")).encode())
          .contains("again");
    }
  }

  private static Process everything(String mode, int port) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(NpmServers.node(), NpmServers.script(RealServersIT.EVERYTHING), mode);
    builder.environment().put("PORT", String.valueOf(port));
    builder.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
    Process server = builder.start();
    Awaitility.await("server-everything to listen")
        .atMost(Duration.ofSeconds(60))
        .until(() -> answers(port));
    return server;
  }

  private static boolean answers(int port) {
    try {
      HttpURLConnection connection =
          (HttpURLConnection) URI.create("http://127.0.0.1:" + port + "/").toURL().openConnection();
      return connection.getResponseCode() > 0;
    } catch (IOException e) {
      return false;
    }
  }
}
