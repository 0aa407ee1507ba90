package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The handshake of real servers, asked directly and at {@code /mcp/<id>}. */
class ServerIdentityIT {

  private static final String DISCOVER = "2026-07-28";

  @TempDir static Path folder;

  private static final Map<String, JsonObject> ENTRIES = new LinkedHashMap<>();
  private static TestBus gateway;

  /** A server, and the version in which a client opens. */
  record Opening(String server, String version) {}

  static Stream<Opening> openings() {
    List<Opening> all = new ArrayList<>();
    for (String server :
        List.of("everything", "filesystem", "mcpvault", "context7", "desktop-commander")) {
      for (String version : List.of("2024-11-05", "2025-06-18", "2025-11-25")) {
        all.add(new Opening(server, version));
      }
    }
    all.add(new Opening("mcpvault", DISCOVER));
    all.add(new Opening("context7", DISCOVER));
    return all.stream();
  }

  @BeforeAll
  static void start() {
    String dir = folder.toString();
    ENTRIES.put(
        "everything",
        NpmServers.stdio("@modelcontextprotocol/server-everything/dist/index.js", "stdio"));
    ENTRIES.put(
        "filesystem",
        NpmServers.stdio("@modelcontextprotocol/server-filesystem/dist/index.js", dir));
    ENTRIES.put("mcpvault", NpmServers.stdio("@bitbonsai/mcpvault/dist/server.js", dir));
    ENTRIES.put("context7", NpmServers.stdio("@upstash/context7-mcp/dist/index.js"));
    ENTRIES.put(
        "desktop-commander", NpmServers.stdio("@wonderwhy-er/desktop-commander/dist/index.js"));
    ENTRIES.values().forEach(entry -> entry.put("env", new JsonObject().put("HOME", dir)));
    JsonObject servers = new JsonObject();
    ENTRIES.forEach(servers::put);
    gateway = TestBus.startWithBridge(servers);
    ENTRIES.keySet().forEach(id -> gateway.awaitState(id, "READY"));
  }

  @AfterAll
  static void close() {
    gateway.close();
  }

  @Tag("release")
  @ParameterizedTest
  @MethodSource("openings")
  void the_endpoint_of_a_server_says_what_the_server_says(Opening opening) {
    McpHttp client = new McpHttp(gateway.port(), "/mcp/" + opening.server());
    JsonObject request = request(client, opening.version());

    JsonObject direct =
        new JsonObject(answer(Objects.requireNonNull(ENTRIES.get(opening.server())), request));
    JsonObject through =
        client
            .post(
                request,
                opening.version().equals(DISCOVER) ? McpHttp.headers(request) : new String[0])
            .json();

    JsonObject meta = through.getJsonObject("result").getJsonObject("_meta");
    assertThat(meta.remove("dev.mcpbus/via")).isNotNull();
    assertThat(meta.remove("dev.mcpbus/gateway")).isNotNull();
    JsonObject own = direct.getJsonObject("result");
    if (meta.isEmpty() && !own.containsKey("_meta")) {
      through.getJsonObject("result").remove("_meta");
    }
    assertThat(through).isEqualTo(direct);
    for (String member : List.of("capabilities", "serverInfo", "instructions")) {
      assertThat(text(through, member)).isEqualTo(text(direct, member));
    }
  }

  /** With the order of the members. */
  private static String text(JsonObject answer, String member) {
    return String.valueOf(answer.getJsonObject("result").getValue(member));
  }

  private static JsonObject request(McpHttp client, String version) {
    return version.equals(DISCOVER)
        ? client.described("server/discover", new JsonObject())
        : client.request(
            "initialize",
            new JsonObject()
                .put("protocolVersion", version)
                .put("capabilities", new JsonObject())
                .put("clientInfo", new JsonObject().put("name", "test").put("version", "1")));
  }

  /** What a process of its own answers on stdout. */
  private static String answer(JsonObject entry, JsonObject request) {
    List<String> command = new ArrayList<>(List.of(entry.getString("command")));
    entry.getJsonArray("args").forEach(arg -> command.add((String) arg));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().put("HOME", folder.toString());
    try {
      Process process = builder.start();
      try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
        process.getOutputStream().write((request.encode() + "\n").getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
        @Nullable String line = lines.readLine();
        while (line != null && !line.contains("\"result\"")) {
          line = lines.readLine();
        }
        assertThat(line).describedAs("an answer on stdout").isNotNull();
        return String.valueOf(line);
      } finally {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
