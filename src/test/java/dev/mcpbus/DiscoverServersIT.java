package dev.mcpbus;

import static dev.mcpbus.testing.TestBus.address;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Real servers that speak both eras. */
class DiscoverServersIT {

  private static final String EVERYTHING = "@modelcontextprotocol/server-everything/dist/index.js";

  @TempDir Path folder;

  private static Process start(int port, String script, String... args) throws IOException {
    List<String> command = new ArrayList<>(List.of(NpmServers.node(), NpmServers.script(script)));
    command.addAll(List.of(args));
    Process server =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    Awaitility.await(script + " to listen")
        .atMost(Duration.ofSeconds(60))
        .until(() -> listens(port));
    return server;
  }

  private static boolean listens(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static void stop(Process server) {
    server.descendants().forEach(ProcessHandle::destroyForcibly);
    server.destroyForcibly();
  }

  private static JsonObject pinned(JsonObject entry, String version) {
    return version.isEmpty() ? entry : entry.put("protocolVersion", version);
  }

  @ParameterizedTest
  @CsvSource({"'', DISCOVER", "2025-11-25, INITIALIZE", "2026-07-28, DISCOVER"})
  void mcpvault_over_stdio(String version, String era) throws IOException {
    Files.writeString(folder.resolve("note.md"), "# written here");
    JsonObject entry =
        NpmServers.stdio("@bitbonsai/mcpvault/dist/server.js", folder.toRealPath().toString());
    try (TestBus bus = TestBus.start(TestBus.server("vault", pinned(entry, version)))) {
      assertThat(bus.awaitState("vault", "READY").getString("era")).isEqualTo(era);
      JsonObject note = bus.callTool("vault", "read_note", new JsonObject().put("path", "note.md"));
      assertThat(note.encode()).contains("written here");
      assertThat(bus.<JsonObject>request(address("vault", Addresses.PING), new JsonObject()))
          .isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({"'', DISCOVER", "2025-11-25, INITIALIZE"})
  void context7_over_http(String version, String era) throws IOException {
    int port = NpmServers.freePort();
    Process server =
        start(
            port,
            "@upstash/context7-mcp/dist/index.js",
            "--transport",
            "http",
            "--port",
            String.valueOf(port));
    try {
      JsonObject entry = new JsonObject().put("url", "http://127.0.0.1:" + port + "/mcp");
      try (TestBus bus = TestBus.start(TestBus.server("docs", pinned(entry, version)))) {
        assertThat(bus.awaitState("docs", "READY").getString("era")).isEqualTo(era);
        JsonObject tools = bus.request(address("docs", Addresses.TOOLS_LIST), new JsonObject());
        assertThat(tools.getJsonArray("tools")).isNotEmpty();
      }
    } finally {
      stop(server);
    }
  }

  @ParameterizedTest
  @CsvSource({"'', DISCOVER", "2025-11-25, INITIALIZE"})
  void mcp_proxy_gives_a_stdio_server_both_eras(String version, String era) throws IOException {
    int port = NpmServers.freePort();
    Process server =
        start(
            port,
            "mcp-proxy/dist/bin/mcp-proxy.mjs",
            "--port",
            String.valueOf(port),
            "--",
            NpmServers.node(),
            NpmServers.script(EVERYTHING));
    try {
      JsonObject entry = new JsonObject().put("url", "http://127.0.0.1:" + port + "/mcp");
      try (TestBus bus = TestBus.start(TestBus.server("proxied", pinned(entry, version)))) {
        assertThat(bus.awaitState("proxied", "READY").getString("era")).isEqualTo(era);
        JsonObject echo =
            bus.callTool("proxied", "echo", new JsonObject().put("message", "through"));
        assertThat(echo.encode()).contains("through");
      }
    } finally {
      stop(server);
    }
  }
}
