package dev.mcpbus;

import static dev.mcpbus.testing.TestBus.address;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.File;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole path against servers that other people wrote. */
class RealServersIT {

  static final String EVERYTHING = "@modelcontextprotocol/server-everything/dist/index.js";

  @TempDir Path folder;

  @Test
  void everything_over_stdio_does_all_that_the_initialize_era_offers() {
    try (TestBus bus = TestBus.start(TestBus.server("everything", NpmServers.stdio(EVERYTHING)))) {
      exerciseEverything(bus);
    }
  }

  @Test
  void everything_over_streamable_http_does_the_same() throws IOException {
    int port = NpmServers.freePort();
    Process server = everythingOverHttp(port);
    try {
      JsonObject entry = new JsonObject().put("url", "http://127.0.0.1:" + port + "/mcp");
      try (TestBus bus = TestBus.start(TestBus.server("everything", entry))) {
        exerciseEverything(bus);
        assertThat(bus.status("everything").getString("sessionId")).isNotBlank();
      }
    } finally {
      server.destroyForcibly();
    }
  }

  private static Process everythingOverHttp(int port) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(NpmServers.node(), NpmServers.script(EVERYTHING), "streamableHttp");
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
          (HttpURLConnection)
              URI.create("http://127.0.0.1:" + port + "/mcp").toURL().openConnection();
      return connection.getResponseCode() > 0;
    } catch (IOException e) {
      return false;
    }
  }

  static void exerciseEverything(TestBus bus) {
    JsonObject status = bus.awaitState("everything", "READY");
    assertThat(status.getString("era")).isEqualTo("INITIALIZE");
    assertThat(status.getJsonObject("server").getString("name")).contains("everything");
    exerciseTheServer(bus);
  }

  /** Whatever is between us and it, and in whichever era. */
  static void exerciseTheServer(TestBus bus) {
    JsonObject tools = bus.request(address("everything", Addresses.TOOLS_LIST), new JsonObject());
    assertThat(tools.getJsonArray("tools")).hasSize(13);

    JsonObject echo = bus.callTool("everything", "echo", new JsonObject().put("message", "hello"));
    assertThat(echo.getJsonArray("content").getJsonObject(0).getString("text")).contains("hello");

    McpFailure invalid =
        bus.failure(
            address("everything", Addresses.TOOLS_CALL),
            TestBus.toolCall("echo", new JsonObject().put("message", 5)));
    assertThat(invalid.code()).isEqualTo(FailureCode.INVALID_ARGUMENTS);
    assertThat(invalid.sent()).isEqualTo(McpFailure.Sent.NO);
    assertThat(invalid.data().getString("path")).isEqualTo("/message");

    JsonObject resources =
        bus.request(address("everything", Addresses.RESOURCES_LIST), new JsonObject());
    JsonArray list = resources.getJsonArray("resources");
    assertThat(list).isNotEmpty();
    String uri = list.getJsonObject(0).getString("uri");
    JsonObject read =
        bus.request(
            address("everything", Addresses.RESOURCES_READ), new JsonObject().put("uri", uri));
    assertThat(read.getJsonArray("contents")).isNotEmpty();
    JsonObject templates =
        bus.request(address("everything", Addresses.RESOURCES_TEMPLATES), new JsonObject());
    assertThat(templates.getJsonArray("resourceTemplates")).isNotEmpty();
    JsonObject subscribed =
        bus.request(
            address("everything", Addresses.RESOURCES_SUBSCRIBE), new JsonObject().put("uri", uri));
    assertThat(subscribed).isNotNull();
    JsonObject unsubscribed =
        bus.request(
            address("everything", Addresses.RESOURCES_UNSUBSCRIBE),
            new JsonObject().put("uri", uri));
    assertThat(unsubscribed).isNotNull();

    JsonObject prompts =
        bus.request(address("everything", Addresses.PROMPTS_LIST), new JsonObject());
    assertThat(prompts.getJsonArray("prompts")).isNotEmpty();
    JsonObject prompt =
        bus.request(
            address("everything", Addresses.PROMPTS_GET),
            new JsonObject().put("name", "simple-prompt"));
    assertThat(prompt.getJsonArray("messages")).isNotEmpty();

    JsonObject pong = bus.request(address("everything", Addresses.PING), new JsonObject());
    assertThat(pong).isEmpty();
    JsonObject level =
        bus.request(
            address("everything", Addresses.LOGLEVEL), new JsonObject().put("level", "warning"));
    assertThat(level).isNotNull();
    Buffer raw =
        bus.request(
            address("everything", Addresses.REQUEST),
            Buffer.buffer("{\"method\":\"tools/list\",\"params\":{}}"));
    assertThat(new JsonObject(raw).getJsonArray("tools")).hasSize(13);

    progressReachesTheCaller(bus);
    aggregateWorks(bus);
  }

  private static void progressReachesTheCaller(TestBus bus) {
    List<JsonObject> progress = new CopyOnWriteArrayList<>();
    bus.vertx().eventBus().<JsonObject>consumer("test.progress", p -> progress.add(p.body()));
    JsonObject done =
        bus.request(
            address("everything", Addresses.TOOLS_CALL),
            TestBus.toolCall(
                "trigger-long-running-operation",
                new JsonObject().put("duration", 1).put("steps", 4)),
            new DeliveryOptions().addHeader(Headers.PROGRESS, "test.progress"));
    assertThat(done.getJsonArray("content")).isNotEmpty();
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> progress.size() == 4);
    assertThat(progress.get(3).getInteger("progress")).isEqualTo(4);
  }

  private static void aggregateWorks(TestBus bus) {
    JsonObject dotted =
        bus.request(
            Addresses.ALL_TOOLS_CALL,
            TestBus.toolCall("everything.echo", new JsonObject().put("message", "dot")));
    JsonObject colon =
        bus.request(
            Addresses.ALL_TOOLS_CALL,
            TestBus.toolCall("everything:echo", new JsonObject().put("message", "colon")));
    assertThat(dotted.encode()).contains("dot");
    assertThat(colon.encode()).contains("colon");
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                bus.<JsonObject>request(Addresses.ALL_TOOLS_LIST, new JsonObject())
                        .getJsonArray("tools")
                        .size()
                    == 13);
  }

  @Test
  void filesystem_reads_a_file_and_its_own_error_passes_through() throws IOException {
    Path file = Files.writeString(folder.resolve("note.txt"), "written here");
    JsonObject entry =
        NpmServers.stdio(
            "@modelcontextprotocol/server-filesystem/dist/index.js",
            folder.toRealPath().toString());
    try (TestBus bus = TestBus.start(TestBus.server("fs", entry))) {
      bus.awaitState("fs", "READY");
      JsonObject read =
          bus.callTool(
              "fs", "read_text_file", new JsonObject().put("path", file.toRealPath().toString()));
      assertThat(read.encode()).contains("written here");
      JsonObject outside =
          bus.callTool("fs", "read_text_file", new JsonObject().put("path", "/etc/passwd"));
      assertThat(outside.getBoolean("isError")).isTrue();
    }
  }

  @Test
  void playwright_lists_its_tools() {
    JsonObject entry = NpmServers.stdio("@playwright/mcp/cli.js", "--headless");
    try (TestBus bus = TestBus.start(TestBus.server("browser", entry))) {
      bus.awaitState("browser", "READY");
      JsonObject tools = bus.request(address("browser", Addresses.TOOLS_LIST), new JsonObject());
      assertThat(tools.getJsonArray("tools").size()).isGreaterThan(15);
    }
  }

  @Test
  void case_9_the_junk_line_of_a_real_server_is_skipped_and_counted() throws IOException {
    JsonObject entry =
        NpmServers.stdio(
            "@agent-infra/mcp-server-filesystem/dist/index.cjs",
            "--allowed-directories",
            folder.toRealPath().toString());
    try (TestBus bus = TestBus.start(TestBus.server("agentfs", entry))) {
      JsonObject status = bus.awaitState("agentfs", "READY");
      assertThat(status.getJsonObject("transport").getInteger("junk")).isPositive();
      JsonObject listed =
          bus.callTool(
              "agentfs",
              "list_directory",
              new JsonObject().put("path", folder.toRealPath().toString()));
      assertThat(listed.getJsonArray("content")).isNotEmpty();
    }
  }

  @Test
  void the_sdks_own_server_answers_over_stdio_and_in_the_process() {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    JsonObject servers =
        new JsonObject()
            .put("demo", new JsonObject().put("type", "bus").put("address", "mcpbus.demo"))
            .put(
                "demo-stdio",
                new JsonObject()
                    .put("command", java)
                    .put(
                        "args",
                        new JsonArray()
                            .add("-cp")
                            .add(
                                System.getProperty("java.class.path")
                                    .replace(
                                        File.pathSeparator + File.pathSeparator,
                                        File.pathSeparator))
                            .add("dev.mcpbus.demo.DemoServer")));
    try (TestBus bus = TestBus.start(servers)) {
      for (String id : List.of("demo", "demo-stdio")) {
        bus.awaitState(id, "READY");
        JsonObject sum = bus.callTool(id, "add", new JsonObject().put("a", 2).put("b", 3));
        assertThat(sum.getJsonArray("content").getJsonObject(0).getString("text")).isEqualTo("5");
      }
    }
  }

  @Test
  void the_typed_facade_speaks_to_a_real_server() {
    try (TestBus bus = TestBus.start(TestBus.server("everything", NpmServers.stdio(EVERYTHING)))) {
      bus.awaitState("everything", "READY");
      McpClient client = McpClient.create(bus.vertx());
      assertThat(TestBus.await(client.listServers())).containsExactly("everything");
      assertThat(TestBus.await(client.server("everything").listTools()).items()).hasSize(13);
    }
  }
}
