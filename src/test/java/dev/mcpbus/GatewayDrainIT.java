package dev.mcpbus;

import static dev.mcpbus.testing.Entries.scripted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ServiceProcess;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SIGTERM while all doors are busy. */
class GatewayDrainIT {

  private static final int SIGTERM_EXIT = 128 + 15;

  @TempDir Path folder;

  private static JsonObject sleep() {
    return new JsonObject()
        .put("name", "sleep")
        .put("arguments", new JsonObject().put("ms", 2_000));
  }

  @Test
  void sigterm_lets_accepted_calls_of_all_doors_finish_and_ends_streams() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("mcpbus.json"),
            new JsonObject()
                .put("mcpServers", new JsonObject().put("one", scripted("good")))
                .encode());
    ServiceProcess service = ServiceProcess.start(folder, "-c", file.toString(), "-p", "0");
    try (service) {
      service.awaitReady("one");
      int port = service.port();
      McpHttp mcp = new McpHttp(port, "/mcp/one");
      McpHttp.Session session = mcp.initialize();
      McpHttp.Stream standing = session.listen();
      // The calls of each client go over a connection of its own, which is there from now on.
      JsonObject echo = new JsonObject().put("name", "echo").put("arguments", new JsonObject());
      assertThat(session.call("tools/call", echo).status()).isEqualTo(200);
      assertThat(mcp.discover("tools/call", echo).status()).isEqualTo(200);
      JsonObject wish =
          new JsonObject().put("notifications", new JsonObject().put("toolsListChanged", true));
      JsonObject listen = mcp.described("subscriptions/listen", wish);
      McpHttp.Stream listening = mcp.streamed(listen, McpHttp.headers(listen));
      McpHttp.Stream events = new McpHttp(port, "/api/events").get();
      Socket stuck = new Socket(InetAddress.getLoopbackAddress(), port);
      stuck
          .getOutputStream()
          .write(
              ("GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\n\r\n")
                  .getBytes(StandardCharsets.US_ASCII));

      JsonObject call = mcp.described("tools/call", sleep());
      List<CompletableFuture<McpHttp.Answer>> mcpCalls = new ArrayList<>();
      mcpCalls.add(session.called(mcp.request("tools/call", sleep())));
      mcpCalls.add(mcp.posted(call.encode(), McpHttp.headers(call)));
      List<CompletableFuture<Http.Answer>> calls = new ArrayList<>();
      calls.add(Http.posted(port, "/api/servers/one/tools/sleep", "{\"ms\":2000}"));
      JsonObject rpc =
          new JsonObject()
              .put("jsonrpc", "2.0")
              .put("id", 1)
              .put("method", "tools/call")
              .put("serverId", "one")
              .put("params", sleep());
      calls.add(Http.posted(port, "/rpc", rpc.encode()));
      Awaitility.await()
          .until(
              () ->
                  service
                          .get("/api/servers/one")
                          .json()
                          .getJsonObject("transport")
                          .getInteger("pending", 0)
                      >= 2);

      long since = System.nanoTime();
      service.signal("TERM");

      Awaitility.await("new connections to be refused").until(() -> !accepts(port));
      assertThat(calls.get(0).isDone()).as("while calls are at work").isFalse();
      for (CompletableFuture<McpHttp.Answer> each : mcpCalls) {
        assertThat(each.join().result().encode()).contains("slept");
      }
      for (CompletableFuture<Http.Answer> each : calls) {
        assertThat(each.join().status()).isEqualTo(200);
        assertThat(each.join().body()).contains("slept");
      }
      Awaitility.await()
          .until(() -> standing.hasEnded() && listening.hasEnded() && events.hasEnded());
      assertThat(listening.messages().get(listening.messages().size() - 1).containsKey("result"))
          .as("told that it is over")
          .isTrue();
      assertThat(service.awaitExit(Duration.ofSeconds(10))).isEqualTo(SIGTERM_EXIT);
      assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(Duration.ofSeconds(10));
      stuck.close();
    }
  }

  private static boolean accepts(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException refused) {
      return false;
    }
  }
}
