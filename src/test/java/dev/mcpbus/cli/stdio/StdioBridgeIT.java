package dev.mcpbus.cli.stdio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.testing.Fixture;
import dev.mcpbus.testing.FreePorts;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.OddServer;
import dev.mcpbus.testing.Pids;
import dev.mcpbus.testing.ServiceProcess;
import dev.mcpbus.testing.StdioPeer;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.spec.McpSchema;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code mcpbus --stdio} as editors start it, with clients that other people wrote. */
class StdioBridgeIT {

  private static final String SIMPLE = "This is a simple text response for testing.";
  private static final Duration SOON = Duration.ofSeconds(20);

  @TempDir static Path folder;

  private static Fixture fixture;
  private static ServiceProcess service;
  private static String url;

  @BeforeAll
  static void start() throws IOException {
    fixture = new Fixture(folder);
    Files.writeString(folder.resolve("servers.json"), config().encodePrettily());
    service = ServiceProcess.start(folder, "--config", "servers.json", "--port", "0").early();
    url = "http://127.0.0.1:" + service.port();
    service.awaitReady("legacy");
    service.awaitReady("modern");
    service.awaitReady("odd");
  }

  private static JsonObject config() {
    return new JsonObject()
        .put(
            "mcpServers",
            new JsonObject()
                .put("legacy", fixture.entry("legacy", "stdio"))
                .put("modern", fixture.entry("modern", "stdio"))
                .put("odd", OddServer.stdio().put("cwd", Path.of("").toAbsolutePath().toString()))
                .put("demo", new JsonObject().put("type", "bus").put("address", "mcpbus.demo")));
  }

  @AfterAll
  static void close() {
    service.close();
    fixture.close();
  }

  private static StdioPeer thin(String... more) {
    List<String> args = new ArrayList<>(List.of("--url", url));
    args.addAll(List.of(more));
    return StdioPeer.start(folder, args.toArray(String[]::new));
  }

  @Tag("release")
  @ParameterizedTest(name = "{0} client of the TypeScript SDK, {1} server")
  @CsvSource({
    "v1,legacy",
    "v1,modern",
    "v2-legacy,modern",
    "v2-modern,legacy",
    "v2-modern,modern",
    "v2-auto,legacy"
  })
  void the_typescript_sdks_use_everything(String kind, String server) throws Exception {
    List<String> args = new ArrayList<>();
    args.add(Path.of("src", "test", "npm", "sdk-client.mjs").toAbsolutePath().toString());
    args.add(kind);
    args.addAll(StdioPeer.command("--url", url, server));
    JsonObject seen = new JsonObject(node(args));
    assertThat(seen.getJsonArray("tools")).contains("test_simple_text", "test_elicitation");
    assertThat(seen.getJsonArray("resources")).contains("test://static-text");
    assertThat(seen.getString("text")).isEqualTo(SIMPLE);
    assertThat(seen.getString("prompt")).contains("arg1='one', arg2='two'");
    assertThat(seen.getString("elicitation")).contains("my username", "my email");
    assertThat(seen.getJsonArray("asked")).containsExactly("Who are you?");
    assertThat(seen.getString("sampling")).isEqualTo("LLM response: a thought");
    assertThat(seen.getString("progressed")).isEqualTo("done");
    assertThat(seen.getJsonArray("progress")).containsExactly(0, 50, 100);
    assertThat(seen.getBoolean("cancelled")).isTrue();
  }

  private static String node(List<String> args) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(NpmServers.node()));
    command.addAll(args);
    Path out = Files.createTempFile(folder, "out", "");
    Path err = Files.createTempFile(folder, "err", "");
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    boolean ended = process.waitFor(90, TimeUnit.SECONDS);
    process.destroyForcibly();
    assertThat(ended).as("ended: %s", Files.readString(err)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(err)).isZero();
    return Files.readString(out);
  }

  @ParameterizedTest(name = "the Java SDK, servers {0}")
  @ValueSource(strings = {"of a running mcpbus", "of its own"})
  void the_java_sdk_uses_everything(String whose) {
    List<String> command =
        whose.equals("of its own")
            ? StdioPeer.command("--config", folder.resolve("servers.json").toString(), "legacy")
            : StdioPeer.command("--url", url, "legacy");
    ServerParameters parameters =
        ServerParameters.builder(command.get(0)).args(command.subList(1, command.size())).build();
    List<String> asked = new ArrayList<>();
    McpSyncClient client =
        McpClient.sync(new StdioClientTransport(parameters, McpJsonDefaults.getMapper()))
            .requestTimeout(Duration.ofSeconds(60))
            .initializationTimeout(Duration.ofSeconds(60))
            .capabilities(McpSchema.ClientCapabilities.builder().elicitation().build())
            .elicitation(
                question -> {
                  asked.add(String.valueOf(question.message()));
                  return McpSchema.ElicitResult.builder(McpSchema.ElicitResult.Action.ACCEPT)
                      .content(Map.of("username", "a name", "email", "an address"))
                      .build();
                })
            .build();
    try {
      client.initialize();
      assertThat(client.listTools().tools())
          .extracting(McpSchema.Tool::name)
          .contains("test_simple_text", "test_elicitation");
      assertThat(
              String.valueOf(
                  client
                      .callTool(
                          McpSchema.CallToolRequest.builder("test_elicitation")
                              .arguments(Map.of("message", "Who are you?"))
                              .build())
                      .content()))
          .contains("a name", "an address");
      assertThat(asked).containsExactly("Who are you?");
    } finally {
      client.closeGracefully();
    }
  }

  @Test
  void answers_are_those_of_the_gateway_byte_for_byte() throws Exception {
    JsonObject meta = McpHttp.meta(new JsonObject());
    try (StdioPeer peer = thin()) {
      for (JsonObject request :
          List.of(
              discover("tools/list", new JsonObject(), meta),
              discover("prompts/list", new JsonObject(), meta),
              discover("resources/list", new JsonObject(), meta),
              discover("server/discover", new JsonObject(), meta),
              discover(
                  "tools/call",
                  new JsonObject()
                      .put("name", "legacy__test_simple_text")
                      .put("arguments", new JsonObject()),
                  meta),
              discover(
                  "tools/call",
                  new JsonObject().put("name", "nothing").put("arguments", new JsonObject()),
                  meta),
              discover("no/method", new JsonObject(), meta))) {
        peer.send(request.encode());
        assertThat(peer.line()).isEqualTo(direct(request));
      }
    }
  }

  private static JsonObject discover(String method, JsonObject params, JsonObject meta) {
    return new JsonObject()
        .put("jsonrpc", "2.0")
        .put("id", "\u00e9-1")
        .put("method", method)
        .put("params", params.put("_meta", meta));
  }

  private static String direct(JsonObject request) throws Exception {
    HttpRequest.Builder http =
        HttpRequest.newBuilder(URI.create(url + "/mcp"))
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .POST(HttpRequest.BodyPublishers.ofString(request.encode()));
    http.headers(McpHttp.headers(request));
    return HttpClient.newHttpClient()
        .send(http.build(), HttpResponse.BodyHandlers.ofString())
        .body();
  }

  @Test
  void progress_comes_in_order_and_before_the_answer() {
    try (StdioPeer peer = thin("legacy")) {
      peer.initialize();
      peer.request(
          1,
          "tools/call",
          new JsonObject()
              .put("name", "test_tool_with_progress")
              .put("arguments", new JsonObject())
              .put("_meta", new JsonObject().put("progressToken", "p")));
      for (int progress : List.of(0, 50, 100)) {
        JsonObject told = new JsonObject(peer.line());
        assertThat(told.getString("method")).isEqualTo("notifications/progress");
        assertThat(told.getJsonObject("params").getInteger("progress")).isEqualTo(progress);
      }
      assertThat(peer.line()).contains("\"id\":1").contains("done");
    }
  }

  @Test
  void ten_megabytes_pass_both_ways() {
    try (StdioPeer peer = thin("demo")) {
      peer.initialize();
      String text = "x".repeat(10 * 1024 * 1024);
      JsonObject result =
          peer.call(1, "echo", new JsonObject().put("text", text)).getJsonObject("result");
      assertThat(McpHttp.text(result)).isEqualTo(text);
      assertThat(peer.call(2, "add", new JsonObject().put("a", 2).put("b", 3)).encode())
          .contains("\"sum\":5");
    }
  }

  @Test
  void a_server_that_is_added_reaches_the_client_as_changed_lists() {
    try (StdioPeer peer = thin()) {
      peer.initialize();
      peer.request(1, "tools/list", new JsonObject());
      assertThat(peer.answer(1).encode()).doesNotContain("late__echo");
      add("late");
      peer.next(m -> "notifications/tools/list_changed".equals(m.getString("method")));
      peer.request(2, "tools/list", new JsonObject());
      assertThat(peer.answer(2).encode()).contains("late__echo");
    } finally {
      Http.delete(service.port(), "/api/servers/late", Http.admin(service.port()));
    }
  }

  @Test
  void a_discover_client_hears_of_changed_lists_on_the_stream_that_it_listens_to() {
    JsonObject meta = McpHttp.meta(new JsonObject());
    try (StdioPeer peer = thin()) {
      JsonObject filter = new JsonObject().put("toolsListChanged", true);
      peer.send(
          discover("subscriptions/listen", new JsonObject().put("notifications", filter), meta)
              .encode());
      assertThat(peer.line()).contains("notifications/subscriptions/acknowledged");
      add("other");
      assertThat(peer.line())
          .contains("notifications/tools/list_changed")
          .contains("io.modelcontextprotocol/subscriptionId")
          .contains("\u00e9-1");
      peer.closeStdin();
      assertThat(peer.awaitExit(SOON)).isZero();
    } finally {
      Http.delete(service.port(), "/api/servers/other", Http.admin(service.port()));
    }
  }

  private static void add(String name) {
    Http.Answer added =
        Http.post(
            service.port(),
            "/api/servers",
            new JsonObject()
                .put("name", name)
                .put("config", new JsonObject().put("type", "bus").put("address", "mcpbus.demo"))
                .encode(),
            Http.admin(service.port()));
    assertThat(added.status()).as(added.body()).isLessThan(300);
  }

  @Test
  void a_resource_that_the_client_watches_is_reported() {
    try (StdioPeer peer = thin("odd")) {
      peer.initialize();
      peer.request(1, "resources/subscribe", new JsonObject().put("uri", OddServer.URI));
      assertThat(peer.answer(1).containsKey("result")).isTrue();
      // At the client's own session, as the subscription.
      peer.request(
          2,
          "tools/call",
          new JsonObject().put("name", "updated").put("arguments", new JsonObject()));
      JsonObject updated =
          peer.next(m -> "notifications/resources/updated".equals(m.getString("method")));
      assertThat(updated.getJsonObject("params").getString("uri")).isEqualTo(OddServer.URI);
    }
  }

  @Test
  void odd_bytes_of_a_server_reach_the_client() {
    try (StdioPeer peer = thin("odd")) {
      peer.initialize();
      peer.request(
          1, "tools/call", new JsonObject().put("name", "odd").put("arguments", new JsonObject()));
      assertThat(peer.line()).contains("\"result\":" + OddServer.RESULT);
    }
  }

  @Tag("release")
  @Test
  void a_restart_of_mcpbus_in_the_middle_is_not_seen_by_the_next_call() {
    String port = Integer.toString(FreePorts.one());
    ServiceProcess first = running(port);
    try (StdioPeer peer = StdioPeer.start(folder, "--url", "http://127.0.0.1:" + port, "demo")) {
      peer.initialize();
      assertThat(peer.call(1, "echo", new JsonObject().put("text", "one")).encode())
          .contains("\"one\"");
      first.close();
      peer.request(
          2,
          "tools/call",
          new JsonObject()
              .put("name", "echo")
              .put("arguments", new JsonObject().put("text", "two")));
      JsonObject refused = peer.answer(2);
      assertThat(refused.encode()).contains("cannot be reached").contains("mcpbus run");
      try (ServiceProcess second = running(port)) {
        assertThat(second.runs()).isTrue();
        peer.request(
            3,
            "tools/call",
            new JsonObject()
                .put("name", "echo")
                .put("arguments", new JsonObject().put("text", "three")));
        peer.next(m -> "notifications/tools/list_changed".equals(m.getString("method")));
        assertThat(peer.answer(3).encode()).contains("\"three\"");
      }
      assertThat(peer.runs()).isTrue();
    } finally {
      first.close();
    }
  }

  private static ServiceProcess running(String port) {
    ServiceProcess process =
        ServiceProcess.start(folder, "--config", "servers.json", "--port", port).early();
    process.awaitReady("demo");
    return process;
  }

  @Test
  void the_end_of_stdin_ends_it_and_the_servers_of_its_own() {
    try (StdioPeer peer = own()) {
      List<Long> children = peer.children();
      assertThat(children).isNotEmpty();
      peer.closeStdin();
      assertThat(peer.awaitExit(SOON)).isZero();
      await().atMost(SOON).until(() -> Pids.running(children).isEmpty());
    }
  }

  @Test
  void sigterm_ends_it_and_the_servers_of_its_own() {
    try (StdioPeer peer = own()) {
      List<Long> children = peer.children();
      Pids.signal("TERM", peer.pid());
      assertThat(peer.awaitExit(SOON)).isEqualTo(143);
      await().atMost(SOON).until(() -> Pids.running(children).isEmpty());
    }
  }

  @Test
  void a_killed_one_leaves_no_server_behind() {
    try (StdioPeer peer = own()) {
      List<Long> children = peer.children();
      Pids.signal("KILL", peer.pid());
      await().atMost(SOON).until(() -> Pids.running(children).isEmpty());
    }
  }

  /** With servers of its own, of which one is called. */
  private static StdioPeer own() {
    StdioPeer peer =
        StdioPeer.start(folder, "--config", folder.resolve("servers.json").toString(), "modern");
    peer.initialize();
    assertThat(peer.call(1, "test_simple_text", new JsonObject()).encode()).contains(SIMPLE);
    return peer;
  }

  @Test
  void a_mistake_in_the_file_is_the_answer_to_initialize() throws IOException {
    Path file = folder.resolve("broken.json");
    Files.writeString(
        file, "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\" \"args\": []}\n  }\n}\n");
    try (StdioPeer peer = StdioPeer.start(folder, "--config", file.toString())) {
      String message = peer.initialize().getJsonObject("error").getString("message");
      assertThat(message).contains("broken.json").contains("3");
      assertThat(peer.errText()).contains("broken.json");
      peer.closeStdin();
      assertThat(peer.awaitExit(SOON)).isEqualTo(1);
    }
  }

  @Test
  void a_view_that_does_not_exist_is_named_in_the_answer_to_initialize() {
    try (StdioPeer peer = thin("nowhere")) {
      assertThat(peer.initialize().getJsonObject("error").getString("message"))
          .contains("nowhere")
          .contains("id of a server or the name of a view");
    }
  }

  @Test
  void without_a_service_initialize_fails_with_the_remedy_and_the_process_stays() {
    String nowhere = "http://127.0.0.1:" + FreePorts.one();
    try (StdioPeer peer = StdioPeer.start(folder, "--url", nowhere)) {
      assertThat(peer.initialize().getJsonObject("error").getString("message"))
          .contains(nowhere)
          .contains("mcpbus run");
      assertThat(peer.runs()).isTrue();
      peer.closeStdin();
      assertThat(peer.awaitExit(SOON)).isZero();
    }
  }
}
