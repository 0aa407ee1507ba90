package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.MetricsPage;
import dev.mcpbus.bus.Telemetry;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.gateway.Peers;
import dev.mcpbus.testing.Compared;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.PrometheusText;
import dev.mcpbus.testing.ScriptedServer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code GET /metrics} of a whole mcpbus with a real child process, read by a strict parser. */
class MetricsIT {

  private static final String CLIENT = "mcp_client_operation_duration_seconds_count";
  private static final String SERVER = "mcp_server_operation_duration_seconds_count";

  private Vertx vertx;
  private McpBus bus;

  @BeforeEach
  void start() {
    vertx = Vertx.vertx();
    List<String> command = ScriptedServer.command("good");
    JsonObject entry =
        new JsonObject()
            .put("command", command.get(0))
            .put("args", new JsonArray(command.subList(1, command.size())))
            .put("breaker", new JsonObject().put("errors", true))
            .put("shared", true); // else it rests while a client has a process of its own
    bus =
        TestBus.await(
            McpBus.start(
                vertx,
                McpBus.Options.of().withServer("good", entry).withMetrics(true).withPort(0)));
  }

  @AfterEach
  void close() {
    TestBus.await(bus.close());
    assertThat(Telemetry.of(vertx)).isNull();
    TestBus.await(vertx.close());
  }

  private HttpResponse<String> get(String accept) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + bus.port() + "/metrics"))
            .header("Accept", accept)
            .build();
    return HttpClient.newHttpClient().sendAsync(request, BodyHandlers.ofString()).join();
  }

  private PrometheusText page() {
    HttpResponse<String> answer = get("*/*");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type"))
        .contains("text/plain; version=0.0.4; charset=utf-8");
    return PrometheusText.classic(answer.body());
  }

  private McpHttp.Answer call(String tool) {
    return new McpHttp(bus.port(), "/mcp").discover("tools/call", Peers.call("good__" + tool));
  }

  private static Map<String, String> tool(String name, String error) {
    return Map.of(
        "server",
        "good",
        "mcp_method_name",
        "tools/call",
        "gen_ai_tool_name",
        name,
        "error_type",
        error);
  }

  @Test
  void operations_have_the_conventions_labels_and_every_outcome_is_told_apart() {
    assertThat(call("echo").status()).isEqualTo(200);
    call("error");
    call("rpc-error");
    call("no-such-tool");
    PrometheusText page = page();
    for (String side : List.of(CLIENT, SERVER)) {
      assertThat(page.value(side, tool("echo", ""))).isEqualTo(1);
      assertThat(page.value(side, tool("error", "tool_error"))).isEqualTo(1);
      PrometheusText.Sample refused =
          page.all(side).stream()
              .filter(one -> "rpc-error".equals(one.labels().get("gen_ai_tool_name")))
              .findFirst()
              .orElseThrow();
      assertThat(refused.labels().get("error_type")).startsWith("-");
      assertThat(refused.labels())
          .containsEntry("rpc_response_status_code", refused.labels().get("error_type"))
          .containsEntry("gen_ai_operation_name", "execute_tool");
      assertThat(page.labels(side, "gen_ai_tool_name")).doesNotContain("no-such-tool");
    }
    assertThat(page.labels(CLIENT, "network_transport")).containsExactly("pipe");
    assertThat(page.labels(SERVER, "mcp_protocol_version")).containsExactly("2026-07-28");
    assertThat(page.labels(CLIENT, "mcp_protocol_version")).contains("2025-11-25");
    assertThat(page.labels("mcp_client_operation_duration_seconds_bucket", "le"))
        .isEqualTo(
            Set.of(
                "0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1.0", "2.0", "5.0", "10.0", "30.0",
                "60.0", "120.0", "300.0", "+Inf"));
  }

  private void callForAlice(int times) {
    List<String> command = ScriptedServer.command("good");
    JsonObject entry =
        new JsonObject()
            .put("command", command.get(0))
            .put("args", new JsonArray(command.subList(1, command.size())))
            .put("identity", "caller")
            .put("env", new JsonObject().put("WHO", "${caller.name}"));
    JsonObject wish = new JsonObject().put("name", "own").put("config", entry);
    TestBus.await(vertx.eventBus().request("mcp.servers.add", wish));
    CallOptions alice = CallOptions.DEFAULT.withPrincipal("alice");
    for (int i = 0; i < times; i++) {
      TestBus.await(bus.server("own").callTool("echo", new JsonObject(), alice));
    }
  }

  @Test
  void requests_to_a_server_of_callers_are_counted_for_each_principal() {
    callForAlice(3);
    String requests = "mcpbus_caller_requests_total";
    assertThat(page().value(requests, Map.of("server", "own", "principal", "alice"))).isEqualTo(3);
    assertThat(page().labels(requests, "principal")).containsExactly("alice");
    assertThat(page().labels(requests, "server")).containsExactly("own");
  }

  @Test
  void a_page_that_may_not_name_principals_has_all_the_rest() {
    callForAlice(1);
    for (String accept : List.of("*/*", "application/openmetrics-text")) {
      String all = page(accept, true);
      String page = page(accept, false);
      assertThat(all).contains("alice");
      assertThat(page).doesNotContain("alice", "mcpbus_caller_requests");
      assertThat(families(page)).containsExactlyElementsOf(families(all, "mcpbus_caller_requests"));
    }
  }

  private String page(String accept, boolean principals) {
    return TestBus.await(MetricsPage.of(vertx).write(accept, principals)).text().toString();
  }

  private static List<String> families(String page, String... without) {
    return page.lines()
        .filter(line -> line.startsWith("# TYPE "))
        .filter(line -> Arrays.stream(without).noneMatch(line::contains))
        .toList();
  }

  @Test
  void a_server_its_child_and_the_node_have_their_state() {
    call("echo");
    PrometheusText page = page();
    Map<String, String> good = Map.of("server", "good");
    assertThat(page.value("mcpbus_connections", Map.of("server", "good", "state", "ready")))
        .isEqualTo(1);
    assertThat(page.value("mcpbus_connections", good)).isEqualTo(1);
    assertThat(ProcessHandle.of((long) page.value("mcpbus_child_pid", good))).isPresent();
    assertThat(page.value("mcpbus_child_resident_memory_bytes", good)).isGreaterThan(1e6);
    assertThat(page.value("mcpbus_child_cpu_seconds_total", good)).isPositive();
    assertThat(page.value("mcpbus_sent_bytes_total", good)).isPositive();
    assertThat(page.value("mcpbus_received_bytes_total", good)).isPositive();
    assertThat(page.value("mcpbus_restarts_total", good)).isZero();
    assertThat(page.value("mcpbus_ready", Map.of())).isEqualTo(1);
    assertThat(page.value("mcpbus_http_connections", Map.of())).isPositive();
    assertThat(page.value("mcpbus_bound_max", Map.of("bound", "gateway.sessions"))).isPositive();
    await()
        .untilAsserted(
            () ->
                assertThat(page().value("mcpbus_event_loop_delay_seconds_count", Map.of()))
                    .isPositive());
  }

  @Test
  void a_crash_is_a_failure_a_restart_and_the_end_of_a_session() {
    call("echo");
    call("crash");
    await()
        .untilAsserted(
            () -> {
              PrometheusText page = page();
              assertThat(page.value("mcpbus_restarts_total", Map.of("server", "good")))
                  .isEqualTo(1);
              assertThat(page.value(CLIENT, tool("crash", "UPSTREAM_EXITED"))).isEqualTo(1);
              assertThat(
                      page.value(
                          "mcp_client_session_duration_seconds_count",
                          Map.of("server", "good", "error_type", "UPSTREAM_EXITED")))
                  .isEqualTo(1);
              assertThat(
                      page.value("mcpbus_connections", Map.of("server", "good", "state", "ready")))
                  .isEqualTo(1);
            });
  }

  @Test
  void a_breaker_that_refuses_calls_is_counted() {
    assertThat(page().value("mcpbus_breakers_open", Map.of("server", "good"))).isZero();
    for (int i = 0; i < 5; i++) {
      call("error");
    }
    assertThat(page().value("mcpbus_breakers_open", Map.of("server", "good"))).isEqualTo(1);
  }

  @Test
  void a_session_of_a_client_is_measured_when_it_ends() {
    McpHttp.Session session = new McpHttp(bus.port(), "/mcp").initialize();
    session.call("tools/call", Peers.call("good__echo"));
    assertThat(session.end()).isEqualTo(204);
    PrometheusText page = page();
    assertThat(page.value("mcp_server_session_duration_seconds_count", Map.of())).isEqualTo(1);
    assertThat(page.value(SERVER, Map.of("mcp_method_name", "initialize"))).isEqualTo(1);
    assertThat(page.value(SERVER, tool("echo", ""))).isEqualTo(1);
  }

  @Test
  void a_server_that_is_removed_takes_its_series_with_it() {
    call("echo");
    assertThat(page().labels(CLIENT, "server")).contains("good");
    TestBus.await(
        vertx.eventBus().request("mcp.servers.remove", new JsonObject().put("id", "good")));
    PrometheusText page = page();
    assertThat(page.all(CLIENT)).isEmpty();
    assertThat(page.all("mcpbus_connections")).isEmpty();
    assertThat(page.labels(SERVER, "server")).doesNotContain("good");
  }

  @Test
  void prometheus_gets_open_metrics_if_it_asks_for_it() {
    call("echo");
    HttpResponse<String> answer =
        get("application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.3");
    assertThat(answer.headers().firstValue("Content-Type"))
        .contains("application/openmetrics-text; version=1.0.0; charset=utf-8");
    PrometheusText page = PrometheusText.openMetrics(answer.body());
    assertThat(page.value(CLIENT, tool("echo", ""))).isEqualTo(1);
    assertThat(page.types()).containsEntry("mcpbus_restarts", "counter");
  }

  /** Series of everything that mcpbus measures. */
  private PrometheusText fullPage() {
    callForAlice(1);
    McpHttp.Session session = new McpHttp(bus.port(), "/mcp").initialize();
    session.call("tools/call", Peers.call("good__echo"));
    session.end();
    System.gc();
    call("crash");
    await().until(() -> page().names().contains("mcp_client_session_duration_seconds_count"));
    await().until(() -> page().names().contains("mcpbus_child_pid"));
    await().until(() -> page().names().contains("jvm_gc_pause_seconds_sum"));
    return page();
  }

  private static Set<String> own(PrometheusText page) {
    return page.types().keySet().stream()
        .filter(name -> name.startsWith("mcp"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The metrics that an expression of Prometheus names. */
  private static Set<String> named(String expressions) {
    return Pattern.compile(
            "\\b(?:mcp|mcpbus|jvm|process|system)_[a-z0-9_]+(?=[{\\[\\s)]|$)", Pattern.MULTILINE)
        .matcher(expressions.replaceAll("\\{[^}]*\\}|by \\([^)]*\\)", " "))
        .results()
        .map(found -> found.group().replaceAll("_(bucket|count|sum)$", ""))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String expressions(JsonObject dashboard) {
    return dashboard.getJsonArray("panels").stream()
        .flatMap(panel -> ((JsonObject) panel).getJsonArray("targets", new JsonArray()).stream())
        .map(target -> ((JsonObject) target).getString("expr"))
        .collect(Collectors.joining("\n"));
  }

  @Test
  void the_page_of_names_the_dashboard_and_the_alerts_name_what_there_is() throws IOException {
    PrometheusText page = fullPage();
    Set<String> written =
        Pattern.compile("^\\| `([a-z_]+)` \\|", Pattern.MULTILINE)
            .matcher(Files.readString(Path.of("src/docs/metrics.md")))
            .results()
            .map(row -> row.group(1))
            .filter(name -> name.startsWith("mcp") && !name.equals("mcp_method_name"))
            .filter(name -> !name.equals("mcp_protocol_version"))
            .collect(Collectors.toCollection(TreeSet::new));
    Compared.names("src/docs/metrics.md", written, own(page));

    Path grafana = Path.of("conf/examples/grafana/mcpbus.json");
    Set<String> shown = named(expressions(new JsonObject(Files.readString(grafana))));
    assertThat(shown).isSubsetOf(page.types().keySet());
    assertThat(own(page))
        .filteredOn(name -> !name.endsWith("_max") || name.contains("bound"))
        .filteredOn(name -> !shown.contains(name))
        .as("metrics without a panel in %s", grafana)
        .isEmpty();

    String rules = Files.readString(Path.of("conf/examples/prometheus/alerts.yml"));
    String alerts =
        Pattern.compile("expr: (?:\\|\\s+)?(.*?)\\n +(?:for|labels):", Pattern.DOTALL)
            .matcher(rules)
            .results()
            .map(rule -> rule.group(1))
            .collect(Collectors.joining("\n"));
    assertThat(named(alerts)).hasSizeGreaterThan(6).isSubsetOf(page.types().keySet());
  }

  @Test
  void names_that_clients_make_up_make_no_series() {
    McpHttp rpc = new McpHttp(bus.port(), "/rpc");
    for (int i = 0; i < 20; i++) {
      rpc.post(
          new JsonObject()
              .put("jsonrpc", "2.0")
              .put("id", i)
              .put("method", "made/up" + i)
              .put("params", new JsonObject().put("serverId", i % 2 == 0 ? "good" : "no" + i)));
      call("made-up-" + i);
    }
    PrometheusText page = page();
    for (String side : List.of(CLIENT, SERVER)) {
      assertThat(page.labels(side, "server")).isSubsetOf("", "good");
      assertThat(page.labels(side, "gen_ai_tool_name")).isSubsetOf("", "echo");
      assertThat(page.labels(side, "mcp_method_name")).noneMatch(name -> name.startsWith("made"));
    }
  }

  @Test
  void a_parser_of_others_reads_the_whole_page() throws Exception {
    assertThat(call("echo").status()).isEqualTo(200);
    NpmServers.script("parse-prometheus-text-format/package.json");
    String text = get("*/*").body();
    Process parser =
        new ProcessBuilder(NpmServers.node(), "src/test/npm/prometheus-page.mjs")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (var in = parser.getOutputStream()) {
      in.write(text.getBytes(StandardCharsets.UTF_8));
    }
    JsonObject families = new JsonObject(Buffer.buffer(parser.getInputStream().readAllBytes()));
    assertThat(parser.waitFor()).isZero();
    assertThat(families.fieldNames())
        .isEqualTo(
            text.lines()
                .filter(line -> line.startsWith("# TYPE "))
                .map(line -> line.split(" ", -1)[2])
                .collect(Collectors.toSet()));
    assertThat(families.getJsonObject(CLIENT.replace("_count", "")).getString("type"))
        .isEqualTo("HISTOGRAM");
    assertThat(families.getJsonObject("mcpbus_build_info").getInteger("samples")).isEqualTo(1);
  }
}
