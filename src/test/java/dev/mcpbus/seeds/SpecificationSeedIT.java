package dev.mcpbus.seeds;

import static dev.mcpbus.seeds.SeedBed.PLAIN;
import static dev.mcpbus.seeds.SeedBed.get;
import static dev.mcpbus.seeds.SeedBed.json;
import static dev.mcpbus.seeds.SeedBed.named;
import static dev.mcpbus.seeds.SeedBed.names;
import static dev.mcpbus.seeds.SeedBed.refused;
import static dev.mcpbus.seeds.SeedBed.text;
import static dev.mcpbus.seeds.SeedBed.until;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.mcpbus.McpBus;
import dev.mcpbus.Servers;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.client.McpServerClient;
import dev.mcpbus.client.ServerStatus;
import dev.mcpbus.testing.Entries;
import dev.mcpbus.testing.FakeMcpServer;
import dev.mcpbus.testing.RawHttpServer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.slf4j.LoggerFactory;

/** The specification of a client manager whose servers are in a YAML file. */
class SpecificationSeedIT extends SeedDocument {

  @Override
  String title() {
    return "DOC-022, MCP Client Manager";
  }

  @Override
  List<Row> rows() {
    return List.of(
        new Row(
            "`MCPServerConnection`: `server_name`, `config`, `connected`",
            "`mcp.servers.get`, `mcp.<id>.status`",
            "`server.status`, `server.config`",
            "of a connected server",
            SpecificationSeedIT::isAConnection),
        new Row(
            "`MCPServerConnection`: `tools[]`, fetched when it connects",
            "`mcp.<id>.status`",
            "`server.status`, `server.listTools`",
            "the server was asked before any caller",
            SpecificationSeedIT::hasFetchedItsTools),
        new Row(
            "`MCPServerConnection`: `last_error`",
            "`mcp.<id>.status`",
            "`server.status`",
            "of a server that cannot start",
            SpecificationSeedIT::hasALastError),
        new Row(
            "`connect()`, `disconnect()`",
            "`mcp.<id>.connect`, `mcp.<id>.disconnect`",
            "`server.connect`, `server.disconnect`",
            "a server that was disconnected",
            SpecificationSeedIT::connectsAndDisconnects),
        new Row(
            "`list_tools()`",
            "`mcp.<id>.tools.list`",
            "`server.listTools`",
            "two tools",
            SpecificationSeedIT::listsTools),
        new Row(
            "`call_tool(name, arguments)`",
            "`mcp.<id>.tools.call`",
            "`server.callTool`",
            "the arguments at the server",
            SpecificationSeedIT::callsATool),
        new Row(
            "`connections{}`: by name",
            "`mcp.servers.list`",
            "`client.statuses`, `client.server`",
            "two connections",
            SpecificationSeedIT::hasConnections),
        new Row(
            "`connect_all()` at the start",
            "`mcp.servers.list`",
            "`McpBus.start`, `client.statuses`",
            "no call is needed",
            SpecificationSeedIT::connectsAll),
        new Row(
            "`disconnect_all()`",
            "`mcp.<id>.status`",
            "`client.disconnectAllServers`",
            "two servers",
            SpecificationSeedIT::disconnectsAll),
        new Row(
            "`get_all_tools()`",
            "`mcp.tools.list`",
            "`client.listTools`",
            "of two servers",
            SpecificationSeedIT::listsAllTools),
        new Row(
            "`call_tool(server_name, tool_name, arguments)` routes to the server",
            "`mcp.tools.call`",
            "`client.callTool`",
            "two servers with the same tool",
            SpecificationSeedIT::routes),
        new Row(
            "stdio: a subprocess; HTTP and SSE: by URL",
            "`mcp.<id>.tools.call`",
            "`Servers.stdio`, `Servers.http`, configuration `command`, `url`",
            "one of each",
            SpecificationSeedIT::hasTwoTransports),
        new Row(
            "YAML `mcp_servers` with `command`, `args`, `env`, `timeout` in seconds",
            "`mcp.<id>.tools.call`",
            "`McpBus.Options.of`, configuration `command`, `args`, `env`, `timeout`",
            "the file starts its server",
            SpecificationSeedIT::readsYaml),
        new Row(
            "connections are kept for calls",
            "`mcp.<id>.tools.call`",
            "`server.callTool`, `server.status`",
            "one process for all calls",
            SpecificationSeedIT::keepsConnections),
        new Row(
            "reconnects after a failure",
            "`mcp.<id>.status`",
            "`server.status`, `server.callTool`",
            "a process that crashes",
            SpecificationSeedIT::reconnects),
        new Row(
            "retry, configurable for each server",
            "`mcp.<id>.status`",
            "`McpBus.Options.of`, configuration `retry`",
            "`retry: false`, and with two attempts",
            SpecificationSeedIT::retriesAsConfigured),
        new Row(
            "a failed connection is unavailable and logged, the others go on",
            "`mcp.<id>.tools.call`",
            "`server.callTool`",
            "beside a server that works",
            SpecificationSeedIT::marksUnavailable),
        new Row(
            "`TOOL_FAILED`",
            "`mcp.<id>.tools.call`",
            "`CallOptions.withToolFailure`, `FailureCode`, `server.callTool`",
            "on wish; else the result says `isError`",
            SpecificationSeedIT::propagatesFailures),
        new Row(
            "`TOOL_TIMEOUT`",
            "`mcp.<id>.tools.call`",
            "`CallOptions.timeout`, `FailureCode`, `server.callTool`",
            "the code is `CALL_TIMEOUT`",
            SpecificationSeedIT::propagatesTimeouts));
  }

  private static void isAConnection(SeedBed bed) {
    String id = bed.serve(Entries.scripted("good"));
    JsonObject shown = bed.ask("mcp.servers.get", named(id));
    assertThat(shown.getString("id")).isEqualTo(id);
    assertThat(get(bed.server(id).config())).contains(shown.getJsonObject("config"));
    ServerStatus status = get(bed.server(id).status());
    assertThat(status.state().serves()).isTrue();
    assertThat(status.status()).isEqualTo("connected");
    assertThat(bed.ask("mcp." + id + ".status").getString("status")).isEqualTo(status.status());
  }

  private static void hasFetchedItsTools(SeedBed bed) {
    try (RawHttpServer http = HttpSeed.start()) {
      String id = bed.serve(Servers.http(http.url().toString()));
      assertThat(http.requests("POST")).anyMatch(one -> one.calls("tools/list"));
      assertThat(get(bed.server(id).status()).tools()).isEqualTo(2);
      assertThat(bed.ask("mcp." + id + ".status").getInteger("tools")).isEqualTo(2);
      assertThat(get(bed.server(id).listTools()).items().get(0).name()).isEqualTo("hello");
    }
  }

  private static void hasALastError(SeedBed bed) {
    String id = bed.add(Servers.stdio("no-such-command"));
    until(() -> bed.ask("mcp." + id + ".status").getJsonObject("lastError") != null);
    JsonObject error = get(bed.server(id).status()).json().getJsonObject("lastError");
    assertThat(error.getString("code")).isEqualTo("START_FAILED");
    assertThat(error.getString("message")).contains("no-such-command");
  }

  private static void connectsAndDisconnects(SeedBed bed) {
    String id = bed.serve(bed.fake());
    assertThat(get(bed.server(id).disconnect())).isEqualTo(ConnectionState.IDLE);
    get(bed.server(id).connect());
    bed.awaitState(id, "READY");
    bed.ask("mcp." + id + ".disconnect");
    bed.awaitState(id, "IDLE");
    bed.ask("mcp." + id + ".connect");
    bed.awaitState(id, "READY");
  }

  private static void listsTools(SeedBed bed) {
    String id = bed.serve(bed.fake().tool("a", "").tool("b", ""));
    assertThat(names(bed.ask("mcp." + id + ".tools.list"), "tools")).containsExactly("a", "b");
    assertThat(get(bed.server(id).listTools()).items()).hasSize(2);
  }

  private static void callsATool(SeedBed bed) {
    FakeMcpServer fake = bed.fake().tool("a", "done");
    String id = bed.serve(fake);
    assertThat(get(bed.server(id).callTool("a", Map.of("n", 1))).text()).isEqualTo("done");
    bed.ask("mcp." + id + ".tools.call", "{'name':'a','arguments':{'n':2}}");
    assertThat(fake.calls("a")).containsExactly(json("{'n':1}"), json("{'n':2}"));
  }

  private static void hasConnections(SeedBed bed) {
    String one = bed.serve(bed.fake());
    String two = bed.serve(bed.fake());
    assertThat(get(bed.client().statuses()))
        .extracting(status -> status.id().value())
        .containsExactlyInAnyOrder(one, two);
    assertThat(bed.client().server(two).id()).hasToString(two);
    assertThat(bed.ask("mcp.servers.list").getJsonArray("servers")).hasSize(2);
  }

  private static void connectsAll(SeedBed bed) {
    McpBus bus =
        bed.apart(
            McpBus.Options.of()
                .withServer("a", Entries.scripted("good"))
                .withServer("b", Entries.scripted("good")));
    until(
        () ->
            get(bed.client(bus).statuses()).stream()
                .allMatch(one -> one.status().equals("connected")));
    assertThat(bed.ask(bus, "mcp.servers.list", "{}").encode()).doesNotContain("CONNECTING");
  }

  private static void disconnectsAll(SeedBed bed) {
    String a = bed.serve(bed.fake());
    String b = bed.serve(bed.fake());
    assertThat(get(bed.client().disconnectAllServers())).hasSize(2);
    for (String id : List.of(a, b)) {
      assertThat(bed.ask("mcp." + id + ".status").getString("status")).isEqualTo("disconnected");
    }
  }

  private static void listsAllTools(SeedBed bed) {
    String a = bed.serve(bed.fake().tool("x", ""));
    String b = bed.serve(bed.fake().tool("y", ""));
    until(() -> get(bed.client().listTools()).items().size() == 2);
    assertThat(names(bed.ask("mcp.tools.list"), "tools"))
        .containsExactlyInAnyOrder(a + ".x", b + ".y");
  }

  private static void routes(SeedBed bed) {
    String a = bed.serve(bed.fake().tool("x", "of a"));
    String b = bed.serve(bed.fake().tool("x", "of b"));
    assertThat(get(bed.client().callTool(a + ".x", Map.of(), PLAIN)).text()).isEqualTo("of a");
    assertThat(text(bed.ask("mcp.tools.call", "{'name':'" + b + ".x'}"))).isEqualTo("of b");
  }

  private static void hasTwoTransports(SeedBed bed) {
    JsonObject scripted = Entries.scripted("good");
    Servers process =
        Servers.stdio(scripted.getString("command")).set("args", scripted.getJsonArray("args"));
    try (RawHttpServer http = HttpSeed.start()) {
      String stdio = bed.serve(process);
      String url = bed.serve(Servers.http(http.url().toString()));
      assertThat(text(bed.ask("mcp." + stdio + ".tools.call", echo("by stdio"))))
          .isEqualTo("by stdio");
      assertThat(text(bed.ask("mcp." + url + ".tools.call", "{'name':'hello'}")))
          .isEqualTo("hello");
    }
  }

  private static String echo(String text) {
    return "{'name':'echo','arguments':{'text':'" + text + "'}}";
  }

  private static McpBus.Options yaml(SeedBed bed, String more) {
    JsonObject scripted = Entries.scripted("good");
    String text =
        """
        mcp_servers:
          files:
            command: %s
            args: %s
        %s
        """;
    return McpBus.Options.of(
        bed.file(
            "ael-config.yaml",
            text.formatted(
                scripted.getString("command"), scripted.getJsonArray("args").encode(), more)));
  }

  private static void readsYaml(SeedBed bed) {
    McpBus bus = bed.apart(yaml(bed, "    env: {SEED: yes it is}\n    timeout: 2"));
    get(bus.awaitReady(Duration.ofSeconds(60)));
    McpServerClient files = bed.client(bus).server("files");
    assertThat(get(files.callTool("env", Map.of("text", "SEED"))).text()).isEqualTo("yes it is");
    McpFailure late = refused(files.callTool("hang", Map.of()));
    assertThat(late.code()).isEqualTo(FailureCode.CALL_TIMEOUT);
    assertThat(text(bed.ask(bus, "mcp.files.tools.call", echo("a")))).isEqualTo("a");
  }

  private static void keepsConnections(SeedBed bed) {
    String id = bed.serve(Entries.scripted("good"));
    for (int i = 0; i < 5; i++) {
      get(bed.server(id).callTool("echo", Map.of("text", "a")));
      bed.ask("mcp." + id + ".tools.call", echo("b"));
    }
    assertThat(get(bed.server(id).status()).epoch()).isOne();
    assertThat(get(bed.server(id).callTool("count", Map.of())).text()).isEqualTo("10");
  }

  private static void reconnects(SeedBed bed) {
    String id = bed.serve(Entries.scripted("good"));
    McpFailure crash = refused(bed.server(id).callTool("crash", Map.of()));
    assertThat(crash.code()).isEqualTo(FailureCode.UPSTREAM_EXITED);
    until(() -> bed.ask("mcp." + id + ".status").getLong("epoch") == 2);
    bed.awaitState(id, "READY");
    assertThat(get(bed.server(id).callTool("echo", Map.of("text", "back"))).text())
        .isEqualTo("back");
    assertThat(get(bed.server(id).status()).restarts()).isOne();
  }

  private static void retriesAsConfigured(SeedBed bed) {
    String patient = "    retry: {max_attempts: 2, delay: 0.05, max_delay: 1, factor: 2}";
    bed.uses(json("{'retry':false}"));
    for (String retry : List.of("    retry: false", patient)) {
      McpBus bus = bed.apart(yaml(bed, retry));
      get(bus.awaitReady(Duration.ofSeconds(60)));
      int crashes = retry.equals(patient) ? 3 : 1;
      for (int i = 0; i < crashes; i++) {
        refused(bus.server("files").callTool("crash", Map.of()));
      }
      until(() -> bed.ask(bus, "mcp.files.status", "{}").getString("state").equals("FAILED"));
      assertThat(get(bus.server("files").status()).restarts()).isEqualTo(crashes - 1);
    }
  }

  private static void marksUnavailable(SeedBed bed) {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Logger logger = (Logger) LoggerFactory.getLogger("dev.mcpbus");
    logger.addAppender(log);
    try {
      String good = bed.serve(bed.fake().tool("a", "fine"));
      JsonObject never = json("{'intensity':{'restarts':0}}");
      String bad = bed.add(Servers.stdio("no-such-command").restart(never));
      bed.awaitState(bad, "FAILED");
      assertThat(bed.refused("mcp." + bad + ".tools.call", "{'name':'a'}").sent())
          .isEqualTo(McpFailure.Sent.NO);
      assertThat(log.list)
          .anyMatch(
              line ->
                  line.getFormattedMessage().contains(bad)
                      && line.getFormattedMessage().contains("no-such-command"));
      assertThat(get(bed.server(good).callTool("a", Map.of())).text()).isEqualTo("fine");
    } finally {
      logger.detachAppender(log);
    }
  }

  private static void propagatesFailures(SeedBed bed) {
    String id = bed.serve(bed.fake().failingTool("a", "no such branch"));
    CallOptions wish = CallOptions.DEFAULT.withToolFailure(true);
    McpFailure failed = refused(bed.server(id).callTool("a", Map.of(), wish));
    assertThat(failed.code()).isEqualTo(FailureCode.TOOL_FAILED);
    assertThat(failed).hasMessage("no such branch");
    assertThat(get(bed.server(id).callTool("a", Map.of())).isError()).isTrue();
    assertThat(bed.ask("mcp." + id + ".tools.call", "{'name':'a'}").getBoolean("isError")).isTrue();
  }

  private static void propagatesTimeouts(SeedBed bed) {
    FakeMcpServer fake = bed.fake().tool("a", "").hold("a");
    String id = bed.serve(Servers.transport(fake.transport()).timeout(Duration.ofMillis(300)));
    CallOptions brief = CallOptions.timeout(Duration.ofMillis(50));
    assertThat(refused(bed.server(id).callTool("a", Map.of(), brief)).code())
        .isEqualTo(FailureCode.CALL_TIMEOUT);
    assertThat(bed.refused("mcp." + id + ".tools.call", "{'name':'a'}").code())
        .isEqualTo(FailureCode.CALL_TIMEOUT);
  }
}
