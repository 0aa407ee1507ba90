package dev.mcpbus;

import static dev.mcpbus.testing.TestBus.address;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.NpmServers.Running;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Everything that a server of other people offers, over every wire that other people made. */
class InteropIT {

  private static final String EVERYTHING = RealServersIT.EVERYTHING;
  private static final String PROXY = "mcp-proxy/dist/bin/mcp-proxy.mjs";

  @TempDir Path folder;

  private static JsonObject http(Running server, String path) {
    return new JsonObject().put("url", server.url(path));
  }

  private static TestBus bus(JsonObject entry) {
    return TestBus.start(TestBus.server(EverythingTour.ID, entry));
  }

  private static JsonObject asked(JsonObject entry) {
    return entry.put("capabilities", EverythingTour.ASKABLE.copy());
  }

  private static void whole(JsonObject entry, String wire) {
    try (TestBus bus = bus(asked(entry))) {
      JsonObject status = bus.awaitState(EverythingTour.ID, "READY");
      assertThat(status.getString("era")).isEqualTo("INITIALIZE");
      assertThat(status.getJsonObject("transport").encode()).contains(wire);
      EverythingTour tour = new EverythingTour(bus);
      tour.askAndAnswer();
      tour.completes();
      tour.refuses();
      tour.logs();
      tour.subscribes();
      tour.reportsProgress();
      tour.answersWhatItAsks();
      // Last: supergateway sends all else into the stream of a request that was never answered.
      tour.cancels();
      assertThat(bus.status(EverythingTour.ID).getLong("epoch")).isEqualTo(1);
    }
  }

  @Test
  void everything_over_stdio() {
    whole(NpmServers.stdio(EVERYTHING), "stdio");
  }

  @Test
  void everything_over_streamable_http() {
    try (Running server =
        NpmServers.listening(
            NpmServers.freePort(), Map.of("PORT", "PORT"), EVERYTHING, "streamableHttp")) {
      whole(http(server, "/mcp"), "http");
    }
  }

  @Test
  void everything_over_http_sse() {
    try (Running server =
        NpmServers.listening(NpmServers.freePort(), Map.of("PORT", "PORT"), EVERYTHING, "sse")) {
      whole(http(server, "/sse"), "HTTP+SSE");
    }
  }

  /** It answers the probe for the {@code discover} era with an error of its own. */
  @Test
  void everything_behind_supergateway() {
    String child = NpmServers.node() + " " + NpmServers.script(EVERYTHING);
    try (Running server =
        NpmServers.listening(
            NpmServers.freePort(),
            Map.of(),
            "supergateway/dist/index.js",
            "--stdio",
            child,
            "--outputTransport",
            "streamableHttp",
            "--stateful",
            "--port",
            "PORT")) {
      whole(http(server, "/mcp"), "http");
    }
  }

  private static Running proxied() {
    return NpmServers.listening(
        NpmServers.freePort(),
        Map.of(),
        PROXY,
        "--port",
        "PORT",
        "--",
        NpmServers.node(),
        NpmServers.script(EVERYTHING));
  }

  /**
   * The proxy passes on what is asked of the server, not what the server asks, and now and then the
   * last progress after the answer, where it is nobody's any more.
   */
  @Tag("long")
  @ParameterizedTest
  @CsvSource({"'', /mcp, DISCOVER", "2025-11-25, /mcp, INITIALIZE", "'', /sse, INITIALIZE"})
  void everything_behind_mcp_proxy(String version, String path, String era) {
    try (Running server = proxied()) {
      JsonObject entry = http(server, path);
      if (!version.isEmpty()) {
        entry.put("protocolVersion", version);
      }
      try (TestBus bus = bus(entry)) {
        assertThat(bus.awaitState(EverythingTour.ID, "READY").getString("era")).isEqualTo(era);
        EverythingTour tour = new EverythingTour(bus);
        tour.askAndAnswer();
        tour.completes();
        tour.refuses();
        tour.cancels();
        tour.reportsProgressButForTheLast();
        assertThat(bus.status(EverythingTour.ID).getLong("epoch")).isEqualTo(1);
      }
    }
  }

  /** A note is written, read, searched and deleted. */
  @Tag("long")
  @ParameterizedTest
  @CsvSource({"'', DISCOVER", "2025-11-25, INITIALIZE", "2026-07-28, DISCOVER"})
  void mcpvault_keeps_notes(String version, String era) throws IOException {
    Files.writeString(folder.resolve("first.md"), "# The first");
    JsonObject entry =
        NpmServers.stdio("@bitbonsai/mcpvault/dist/server.js", folder.toRealPath().toString());
    if (!version.isEmpty()) {
      entry.put("protocolVersion", version);
    }
    try (TestBus bus = TestBus.start(TestBus.server("vault", entry))) {
      assertThat(bus.awaitState("vault", "READY").getString("era")).isEqualTo(era);
      JsonObject tools = bus.request(address("vault", Addresses.TOOLS_LIST), new JsonObject());
      assertThat(tools.getJsonArray("tools").size()).isGreaterThan(8);
      assertThat(bus.status("vault").getValue("leftOutTools")).isNull();
      bus.callTool(
          "vault",
          "write_note",
          new JsonObject().put("path", "second.md").put("content", "needle in a note"));
      assertThat(Files.readString(folder.resolve("second.md"))).contains("needle in a note");
      assertThat(
              bus.callTool("vault", "read_note", new JsonObject().put("path", "second.md"))
                  .encode())
          .contains("needle in a note");
      assertThat(
              bus.callTool("vault", "search_notes", new JsonObject().put("query", "needle"))
                  .encode())
          .contains("second.md");
      for (String list : List.of(Addresses.RESOURCES_LIST, Addresses.PROMPTS_LIST)) {
        JsonObject found = bus.request(address("vault", list), new JsonObject());
        assertThat(found).isNotNull();
      }
    }
  }

  /** Its tools need the network; what it says of them, and of a wrong call, does not. */
  @ParameterizedTest
  @CsvSource({"'', DISCOVER", "2025-11-25, INITIALIZE", "2026-07-28, DISCOVER"})
  void context7_over_http(String version, String era) {
    try (Running server =
        NpmServers.listening(
            NpmServers.freePort(),
            Map.of(),
            "@upstash/context7-mcp/dist/index.js",
            "--transport",
            "http",
            "--port",
            "PORT")) {
      JsonObject entry = http(server, "/mcp");
      if (!version.isEmpty()) {
        entry.put("protocolVersion", version);
      }
      try (TestBus bus = TestBus.start(TestBus.server("docs", entry))) {
        assertThat(bus.awaitState("docs", "READY").getString("era")).isEqualTo(era);
        JsonObject tools = bus.request(address("docs", Addresses.TOOLS_LIST), new JsonObject());
        assertThat(tools.getJsonArray("tools")).hasSize(2);
        assertThat(bus.status("docs").getValue("leftOutTools")).isNull();
        String name = tools.getJsonArray("tools").getJsonObject(0).getString("name");
        assertThat(
                bus.failure(
                        address("docs", Addresses.TOOLS_CALL),
                        TestBus.toolCall(name, new JsonObject()))
                    .code()
                    .name())
            .isEqualTo("INVALID_ARGUMENTS");
        assertThat(bus.<JsonObject>request(address("docs", Addresses.PING), new JsonObject()))
            .isEmpty();
      }
    }
  }

  /** It answers the probe for the {@code discover} era with 500. */
  @Test
  void the_git_server_over_http_works_on_a_repository() throws Exception {
    String repository = folder.toRealPath().toString();
    git("init", "-q");
    Files.writeString(folder.resolve("note.txt"), "one\n");
    try (Running server =
        NpmServers.listening(
            NpmServers.freePort(),
            Map.of(
                "MCP_TRANSPORT_TYPE",
                "http",
                "MCP_HTTP_PORT",
                "PORT",
                "MCP_LOG_LEVEL",
                "error",
                "GIT_BASE_DIR",
                repository),
            "@cyanheads/git-mcp-server/dist/index.js")) {
      try (TestBus bus = TestBus.start(TestBus.server("git", http(server, "/mcp")))) {
        JsonObject status = bus.awaitState("git", "READY");
        assertThat(status.getString("era")).isEqualTo("INITIALIZE");
        assertThat(status.getString("sessionId")).isNotBlank();
        JsonObject tools = bus.request(address("git", Addresses.TOOLS_LIST), new JsonObject());
        assertThat(tools.getJsonArray("tools").size()).isGreaterThan(20);
        assertThat(bus.status("git").getValue("leftOutTools")).isNull();
        assertThat(
                bus.callTool("git", "git_status", new JsonObject().put("path", repository))
                    .encode())
            .contains("note.txt");
        JsonObject prompts = bus.request(address("git", Addresses.PROMPTS_LIST), new JsonObject());
        assertThat(names(prompts.getJsonArray("prompts"))).contains("git_wrapup");
        JsonObject resources =
            bus.request(address("git", Addresses.RESOURCES_LIST), new JsonObject());
        assertThat(resources.getJsonArray("resources")).isNotNull();
        assertThat(bus.<JsonObject>request(address("git", Addresses.PING), new JsonObject()))
            .isEmpty();
      }
    }
  }

  private static List<String> names(JsonArray entries) {
    return entries.stream().map(entry -> ((JsonObject) entry).getString("name")).toList();
  }

  private void git(String... args) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(args));
    Process git = new ProcessBuilder(command).directory(folder.toFile()).inheritIO().start();
    assertThat(git.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(git.exitValue()).isZero();
  }
}
