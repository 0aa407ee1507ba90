package dev.mcpbus.seeds;

import static dev.mcpbus.seeds.SeedBed.PLAIN;
import static dev.mcpbus.seeds.SeedBed.first;
import static dev.mcpbus.seeds.SeedBed.get;
import static dev.mcpbus.seeds.SeedBed.json;
import static dev.mcpbus.seeds.SeedBed.names;
import static dev.mcpbus.seeds.SeedBed.refused;
import static dev.mcpbus.seeds.SeedBed.text;
import static dev.mcpbus.seeds.SeedBed.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.McpBus;
import dev.mcpbus.Servers;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.cli.CommandRun;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.client.McpServerClient;
import dev.mcpbus.client.ToolCallResult;
import dev.mcpbus.plugins.PatientStrategy;
import dev.mcpbus.server.RawServer;
import dev.mcpbus.server.ToolResult;
import dev.mcpbus.testing.Entries;
import dev.mcpbus.testing.EventRecorder;
import dev.mcpbus.testing.FakeMcpServer;
import dev.mcpbus.testing.FakeTime;
import dev.mcpbus.testing.RawHttpServer;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/** The connections of a program that puts the tools of many servers together. */
class ConnectionsSeedIT extends SeedDocument {

  private static final JsonObject QUICK =
      json("{'intensity':{'restarts':10000},'backoff':{'initial':10,'max':10,'jitter':0}}");
  private static final JsonObject ONCE = json("{'intensity':{'restarts':0},'reprobe':'1h'}");

  @Override
  String title() {
    return "Connection management";
  }

  @Override
  List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    rows.addAll(conflicts());
    rows.addAll(states());
    rows.addAll(errors());
    rows.addAll(more());
    return rows;
  }

  private static List<Row> conflicts() {
    return List.of(
        new Row(
            "name conflicts at parsing: case (`git`, `GIT`), blanks (`git `), with all names",
            "",
            "`McpBus.Options.of`",
            "one message with the three names and the id that they mean",
            ConnectionsSeedIT::refusesNamesOfAFile),
        new Row(
            "a wrong name is detected at parsing",
            "",
            "`McpBus.Options.problems`",
            "a name that nobody can read, with its remedy",
            ConnectionsSeedIT::refusesOddNames),
        new Row(
            "fail fast with guidance: the process ends, nothing is started in part",
            "",
            "the commands `--check`, `run`",
            "exit code 1 and the remedy of each mistake",
            ConnectionsSeedIT::failsFast),
        new Row(
            "name conflicts in the manager",
            "",
            "`McpBus.Options.withServer`",
            "`withServer(\"git\")`, then `withServer(\"GIT\")`",
            ConnectionsSeedIT::refusesNamesOfOptions),
        new Row(
            "name conflicts at run time, with the servers that exist",
            "`mcp.servers.add`",
            "`client.addServer`, `McpBus.add`",
            "the same words by three ways; the present server stays",
            ConnectionsSeedIT::refusesNamesAtRunTime),
        new Row(
            "the last level, the pool: one connection for each id",
            "`mcp.servers.add`",
            "`McpBus.add`",
            "ten at once under one name: one is taken",
            ConnectionsSeedIT::takesOneOfMany),
        new Row(
            "tools are named `server.tool`",
            "`mcp.tools.call`, `mcp.tools.list`",
            "`client.callTool`, `client.listTools`",
            "`github.create-issue`",
            ConnectionsSeedIT::namesTools),
        new Row(
            "the same tool of two servers stays two tools",
            "`mcp.tools.list`",
            "`client.listTools`, `client.callTool`",
            "`git.status` and `svn.status`",
            ConnectionsSeedIT::keepsTwoTools),
        new Row(
            "resolution: exact name, connected, healthy; else an error",
            "`mcp.tools.call`",
            "`client.callTool`",
            "a server that is there, one that is down, one that is not there",
            ConnectionsSeedIT::resolves));
  }

  private static McpBus.Options options(String... names) {
    JsonObject servers = new JsonObject();
    for (String name : names) {
      servers.put(name, json("{'address':'nowhere'}"));
    }
    return McpBus.Options.of(new JsonObject().put("mcpServers", servers));
  }

  private static void refusesNamesOfAFile(SeedBed bed) {
    assertThatThrownBy(() -> options("git", "GIT", "other", "git "))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("these names mean the same server \"git\"")
        .hasMessageContaining("\"GIT\"")
        .hasMessageContaining("\"git \"");
    assertThat(options("git", "docker", "github").servers())
        .containsExactly("git", "docker", "github");
  }

  private static void refusesOddNames(SeedBed bed) {
    McpBus.Options some = options("good", "a\u0000b");
    assertThat(some.servers()).containsExactly("good");
    assertThat(some.problems())
        .singleElement()
        .satisfies(problem -> assertThat(problem.remedy()).isEqualTo("Choose another name"));
  }

  private static void failsFast(SeedBed bed) {
    String servers = "{'mcpServers':{'git':{'command':'x'},'GIT':{'command':'y'}}}";
    String file = bed.file(".mcp.json", json(servers).encode()).toString();
    for (CommandRun run :
        List.of(bed.command("--check", "--config", file), bed.command("run", "--config", file))) {
      assertThat(run.code()).isOne();
      assertThat(run.err()).contains(".mcp.json", "these names mean the same server \"git\"");
      assertThat(run.out()).isEmpty();
    }
  }

  private static void refusesNamesOfOptions(SeedBed bed) {
    McpBus.Options git = McpBus.Options.of().withServer("git", Servers.bus("a"));
    assertThatThrownBy(() -> git.withServer("GIT", Servers.bus("b")))
        .isInstanceOf(McpFailure.class)
        .hasMessageContaining("these names mean the same server \"git\": \"git\", \"GIT\"");
    assertThat(git.servers()).containsExactly("git");
  }

  private static void refusesNamesAtRunTime(SeedBed bed) {
    get(bed.bus().add("git", bed.fake().tool("status", "clean").transport()));
    get(bed.bus().add("docker", bed.fake().transport()));
    List<String> said =
        List.of(
            bed.refused("mcp.servers.add", "{'name':'GIT','config':{'address':'a'}}").getMessage(),
            refused(bed.client().addServer("git ", Servers.bus("a"))).getMessage(),
            refused(bed.bus().add("Git", bed.fake().transport())).getMessage());
    assertThat(said)
        .containsOnly(said.get(0))
        .allSatisfy(
            one ->
                assertThat(one)
                    .startsWith("a server 'git' exists already")
                    .contains("remove it first or choose another name")
                    .contains("Existing servers: ")
                    .contains("git", "docker"));
    assertThat(get(bed.bus().server("git").callTool("status", Map.of())).text()).isEqualTo("clean");
  }

  private static void takesOneOfMany(SeedBed bed) {
    List<Future<?>> all = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      all.add(bed.bus().add("one", bed.fake().transport()));
    }
    get(Future.join(all).otherwiseEmpty());
    assertThat(all.stream().filter(Future::succeeded)).hasSize(1);
    assertThat(bed.refused("mcp.servers.add", "{'name':'one','config':{'address':'a'}}").code())
        .isEqualTo(FailureCode.BAD_REQUEST);
  }

  private static void namesTools(SeedBed bed) {
    get(bed.bus().add("github", bed.fake().tool("create-issue", "#1").transport()));
    until(() -> get(bed.client().listTools()).items().size() == 1);
    assertThat(names(bed.ask("mcp.tools.list"), "tools")).containsExactly("github.create-issue");
    assertThat(text(bed.ask("mcp.tools.call", "{'name':'github.create-issue'}"))).isEqualTo("#1");
    assertThat(get(bed.client().callTool("github.create-issue", Map.of(), PLAIN)).text())
        .isEqualTo("#1");
  }

  private static void keepsTwoTools(SeedBed bed) {
    get(bed.bus().add("git", bed.fake().tool("status", "git").tool("push", "").transport()));
    get(bed.bus().add("svn", bed.fake().tool("status", "svn").tool("update", "").transport()));
    until(() -> get(bed.client().listTools()).items().size() == 4);
    assertThat(names(bed.ask("mcp.tools.list"), "tools"))
        .containsExactlyInAnyOrder("git.status", "git.push", "svn.status", "svn.update");
    for (String server : List.of("git", "svn")) {
      assertThat(get(bed.client().callTool(server + ".status", Map.of(), PLAIN)).text())
          .isEqualTo(server);
    }
  }

  private static void resolves(SeedBed bed) {
    String good = bed.serve(bed.fake().tool("a", "fine"));
    String down = bed.serve(bed.fake().tool("a", "fine"));
    get(bed.bus().server(down).disconnect());
    McpClient client = bed.client();
    assertThat(get(client.callTool(good + ".a", Map.of(), PLAIN)).text()).isEqualTo("fine");
    assertThat(refused(client.callTool(down + ".a", Map.of(), PLAIN)).code())
        .isEqualTo(FailureCode.UNAVAILABLE);
    assertThat(refused(client.callTool("nobody.a", Map.of(), PLAIN)).sent())
        .isEqualTo(McpFailure.Sent.NO);
    assertThat(bed.refused("mcp.tools.call", "{'name':'" + good + ".none'}").code())
        .isEqualTo(FailureCode.UNKNOWN_TOOL);
  }

  private static List<Row> states() {
    return List.of(
        new Row(
            "`disconnected`, `connecting`, `connected`, `disconnected`",
            "`mcp.<id>.events`",
            "`client.onEvent`, event `stateChanged`",
            "each change, once and in order",
            ConnectionsSeedIT::goesThroughStates),
        new Row(
            "`failed`, `reconnecting`",
            "`mcp.<id>.status`",
            "`server.status`",
            "a server that goes away, and stays away",
            ConnectionsSeedIT::failsAndReconnects),
        new Row(
            "`Connection`: `connect`, `disconnect`, `ping`, `isConnected`, whatever the transport",
            "`mcp.<id>.ping`, `mcp.<id>.connect`, `mcp.<id>.disconnect`",
            "`server.connect`, `server.disconnect`, `server.ping`, `server.status`",
            "a process, HTTP, memory",
            ConnectionsSeedIT::isOneInterface),
        new Row(
            "transports by a factory: `type` or what the entry has",
            "`mcp.servers.add`",
            "configuration `type`",
            "stdio, HTTP, SSE; an unknown type names those that there are",
            ConnectionsSeedIT::makesTransports),
        new Row(
            "event `connected`",
            "`mcp.events`",
            "`client.onEvent`, event `connected`",
            "with the id of the server",
            ConnectionsSeedIT::tellsConnected),
        new Row(
            "event `disconnected`, by command or not",
            "`mcp.events`",
            "`client.onEvent`, event `disconnected`",
            "both, with their causes",
            ConnectionsSeedIT::tellsDisconnected),
        new Row(
            "event `failed` with the error",
            "`mcp.events`",
            "`client.onEvent`, event `gaveUp`",
            "a command that is not there",
            ConnectionsSeedIT::tellsFailed),
        new Row(
            "event `connectionAdded`",
            "`mcp.events`",
            "`client.onEvent`, event `serverAdded`",
            "and `serverRemoved`",
            ConnectionsSeedIT::tellsAdded),
        new Row(
            "event `poolStarted`: all connections are initialized",
            "`mcp.events`",
            "`McpBus.start`, event `poolStarted`",
            "once, after a server that works, one that fails, and a lazy one",
            ConnectionsSeedIT::tellsThatItHasStarted),
        new Row(
            "discovery: tools come with `connected`",
            "`mcp.tools.list`",
            "`client.listTools`",
            "nobody asks for them",
            ConnectionsSeedIT::discovers),
        new Row(
            "discovery: tools go with `disconnected`",
            "`mcp.tools.list`",
            "`client.listTools`",
            "they are marked as stale, and go with the server",
            ConnectionsSeedIT::forgets));
  }

  private static void goesThroughStates(SeedBed bed) {
    List<JsonObject> heard = new CopyOnWriteArrayList<>();
    get(bed.client().onEvent(Events.STATE_CHANGED, heard::add).ready());
    List<JsonObject> published = bed.hear("mcp.git.events");
    get(bed.bus().add("git", bed.fake().transport()));
    bed.awaitState("git", "READY");
    get(bed.bus().server("git").disconnect());
    until(() -> heard.size() == 4);
    assertThat(heard)
        .extracting(one -> one.getString("to"))
        .containsExactly("CONNECTING", "READY", "DRAINING", "IDLE");
    until(() -> published.containsAll(heard));
  }

  private static String word(SeedBed bed, String id) {
    return get(bed.server(id).status()).status();
  }

  private static void failsAndReconnects(SeedBed bed) {
    FakeMcpServer fake = bed.fake();
    String id = bed.serve(Servers.transport(fake.transport()).restart(QUICK));
    get(fake.refuseConnections(true).disconnect());
    until(() -> bed.ask("mcp." + id + ".status").getString("status").equals("reconnecting"));
    assertThat(word(bed, id)).isEqualTo("reconnecting");
    fake.refuseConnections(false);
    until(() -> word(bed, id).equals("connected"));
    String lost = bed.add(Servers.stdio("no-such-command").restart(ONCE));
    until(() -> word(bed, lost).equals("failed"));
    assertThat(bed.ask("mcp." + lost + ".status").getString("status")).isEqualTo("failed");
  }

  private static void isOneInterface(SeedBed bed) {
    try (RawHttpServer http = HttpSeed.start()) {
      for (String id :
          List.of(
              bed.serve(Entries.scripted("good")),
              bed.serve(Servers.http(http.url().toString())),
              bed.serve(bed.fake()))) {
        McpServerClient connection = bed.server(id);
        get(connection.ping(PLAIN));
        get(connection.disconnect());
        assertThat(get(connection.status()).state().serves()).isFalse();
        get(connection.connect());
        assertThat(get(connection.status()).state().serves()).isTrue();
        assertThat(bed.ask("mcp." + id + ".ping")).isEmpty();
        bed.ask("mcp." + id + ".disconnect", "{'wait':true}");
        bed.ask("mcp." + id + ".connect");
      }
    }
  }

  private static void makesTransports(SeedBed bed) {
    Map<String, String> entries =
        Map.of(
            "{'command':'x'}",
            "stdio",
            "{'type':'stdio','command':'x'}",
            "stdio",
            "{'url':'http://127.0.0.1:9/mcp'}",
            "http",
            "{'type':'sse','url':'http://127.0.0.1:9/any'}",
            "sse",
            "{'url':'http://127.0.0.1:9/sse'}",
            "sse",
            "{'url':'tcp://127.0.0.1:9'}",
            "socket");
    entries.forEach(
        (entry, type) -> {
          bed.uses(json(entry));
          bed.ask("mcp.servers.add", "{'name':'a','config':" + entry + "}");
          JsonObject status = get(bed.bus().server("a").status()).json();
          assertThat(status.getJsonObject("transport").getString("type")).isEqualTo(type);
          get(bed.bus().client().removeServer("a"));
        });
    assertThat(bed.refused("mcp.servers.add", "{'name':'a','config':{'type':'telegraph'}}"))
        .hasMessageContaining("Use one of")
        .hasMessageContaining("stdio");
  }

  /** Hears the events of one type by the facade, and all by the address. */
  private static List<JsonObject> heard(SeedBed bed, String type) {
    List<JsonObject> heard = new CopyOnWriteArrayList<>();
    get(bed.client().onEvent(type, heard::add).ready());
    bed.hear("mcp.events");
    return heard;
  }

  private static void tellsConnected(SeedBed bed) {
    List<JsonObject> heard = heard(bed, Events.CONNECTED);
    String id = bed.serve(bed.fake());
    until(() -> !heard.isEmpty());
    assertThat(heard).extracting(one -> one.getString("id")).containsExactly(id);
    assertThat(heard.get(0).fieldNames()).contains("protocolVersion", "server", "time");
  }

  private static void tellsDisconnected(SeedBed bed) {
    FakeMcpServer fake = bed.fake();
    String id = bed.serve(Servers.transport(fake.transport()).restart(QUICK));
    List<JsonObject> heard = heard(bed, Events.DISCONNECTED);
    get(fake.disconnect());
    until(() -> heard.size() == 1);
    bed.awaitState(id, "READY");
    get(bed.bus().server(id).disconnect());
    until(() -> heard.size() == 2);
    assertThat(heard)
        .extracting(one -> one.getString("code"))
        .containsExactly("UPSTREAM_RESET", "UNAVAILABLE");
  }

  private static void tellsFailed(SeedBed bed) {
    List<JsonObject> heard = heard(bed, Events.GAVE_UP);
    String id = bed.add(Servers.stdio("no-such-command").restart(ONCE));
    until(() -> !heard.isEmpty());
    assertThat(heard.get(0).getString("id")).isEqualTo(id);
    assertThat(heard.get(0).getJsonObject("lastError").getString("code")).isEqualTo("START_FAILED");
  }

  private static void tellsAdded(SeedBed bed) {
    List<JsonObject> heard = heard(bed, Events.SERVER_ADDED);
    List<JsonObject> removed = heard(bed, Events.SERVER_REMOVED);
    String id = bed.serve(bed.fake());
    get(bed.bus().client().removeServer(id));
    until(() -> heard.size() == 1 && removed.size() == 1);
    assertThat(heard.get(0).getString("id")).isEqualTo(id);
  }

  private static void discovers(SeedBed bed) {
    String id = bed.serve(bed.fake().tool("a", ""));
    until(() -> names(bed.ask("mcp.tools.list"), "tools").equals(List.of(id + ".a")));
    assertThat(get(bed.client().listTools()).items()).hasSize(1);
  }

  private static void forgets(SeedBed bed) {
    String id = bed.serve(bed.fake().tool("a", ""));
    until(() -> get(bed.client().listTools()).items().size() == 1);
    get(bed.bus().server(id).disconnect());
    until(() -> bed.ask("mcp.tools.list").encode().contains("\"dev.mcpbus/stale\":true"));
    get(bed.bus().client().removeServer(id));
    until(() -> get(bed.client().listTools()).items().isEmpty());
  }

  private static List<Row> errors() {
    return List.of(
        new Row(
            "run-time errors: the others go on, the server stays for a reconnect by hand",
            "`mcp.<id>.restart`, `mcp.<id>.connect`",
            "`server.restart`, `server.connect`",
            "a server that is down beside one that works",
            ConnectionsSeedIT::goesOn),
        new Row(
            "health check: `healthCheckFailed`, and the server is replaced",
            "`mcp.<id>.events`",
            "configuration `ping`, event `healthCheckFailed`",
            "a server that hangs",
            ConnectionsSeedIT::replacesASilentServer),
        new Row(
            "health check: manual override",
            "`mcp.<id>.restart`",
            "`server.restart`, configuration `ping`",
            "no checks, a restart by hand",
            ConnectionsSeedIT::restartsByHand));
  }

  private static void goesOn(SeedBed bed) {
    FakeMcpServer fake = bed.fake().tool("a", "back").refuseConnections(true);
    String good = bed.serve(bed.fake().tool("a", "fine"));
    String bad = bed.add(Servers.transport(fake.transport()).restart(ONCE));
    bed.awaitState(bad, "FAILED");
    assertThat(get(bed.server(good).callTool("a", Map.of())).text()).isEqualTo("fine");
    fake.refuseConnections(false);
    assertThat(get(bed.server(bad).connect()).serves()).isTrue();
    assertThat(get(bed.server(bad).callTool("a", Map.of())).text()).isEqualTo("back");
    assertThat(get(bed.server(bad).restart()).serves()).isTrue();
    assertThat(get(bed.server(bad).status()).epoch()).isGreaterThanOrEqualTo(3);
    bed.ask("mcp." + bad + ".connect");
    bed.ask("mcp." + good + ".restart");
  }

  private static void replacesASilentServer(SeedBed bed) {
    FakeMcpServer fake = bed.fake().tool("a", "thawed");
    String id =
        bed.serve(
            Servers.transport(fake.transport())
                .set("ping", json("{'interval':'50ms','timeout':'200ms','threshold':2}"))
                .restart(QUICK));
    List<JsonObject> heard = bed.hear("mcp." + id + ".events");
    fake.freeze(true);
    until(
        () ->
            heard.stream().anyMatch(one -> one.getString("type").equals("healthCheckFailed"))
                && !get(bed.server(id).status()).state().serves());
    fake.freeze(false);
    bed.awaitState(id, "READY");
    assertThat(get(bed.server(id).callTool("a", Map.of())).text()).isEqualTo("thawed");
    assertThat(get(bed.server(id).status()).epoch()).isGreaterThan(1);
  }

  private static void restartsByHand(SeedBed bed) {
    FakeMcpServer fake = bed.fake();
    String id = bed.serve(Servers.transport(fake.transport()).set("ping", json("{'interval':0}")));
    assertThat(get(bed.server(id).restart()).serves()).isTrue();
    assertThat(get(bed.server(id).status()).epoch()).isEqualTo(2);
    bed.ask("mcp." + id + ".restart");
    until(() -> get(bed.server(id).status()).epoch() == 3);
  }

  private static List<Row> more() {
    return List.of(
        new Row(
            "connection pooling: one connection, many calls",
            "`mcp.<id>.tools.call`",
            "`server.callTool`",
            "50 calls at once over one connection",
            ConnectionsSeedIT::sharesAConnection),
        new Row(
            "concurrent connection limits",
            "`mcp.servers.list`",
            "configuration `startConcurrency`",
            "all of five servers, one after the other",
            ConnectionsSeedIT::limitsStarts),
        new Row(
            "load balancing over several instances: in turn",
            "`mcp.<id>.tools.call`",
            "`server.callTool`, configuration `urls`",
            "a list of three URLs",
            ConnectionsSeedIT::takesTurns),
        new Row(
            "load balancing: the fewest calls in flight",
            "`mcp.<id>.tools.call`",
            "`server.callTool`, configuration `replicas`, `balance`",
            "two of three connections are busy",
            ConnectionsSeedIT::choosesTheIdle),
        new Row(
            "load balancing: sticky by a key",
            "`mcp.<id>.tools.call`",
            "configuration `replicas`, `balance`, `balanceKey`",
            "twelve tenants, each asks twice",
            ConnectionsSeedIT::isSticky),
        new Row(
            "circuit breakers: failure detection, recovery",
            "`mcp.<id>.tools.call`, `mcp.<id>.events`",
            "configuration `breaker`, `server.callTool`, event `breakerChanged`",
            "open after five time-outs, closed by a probe",
            ConnectionsSeedIT::breaksTheCircuit),
        new Row(
            "circuit breakers for each tool",
            "`mcp.<id>.tools.call`",
            "configuration `breaker`, `perTool`, `server.callTool`",
            "another tool of the same server works",
            ConnectionsSeedIT::breaksOneTool),
        new Row(
            "metrics: connections, durations",
            "`mcp.<id>.activity`",
            "`McpBus.metrics`, `McpBus.Options.withMetrics`",
            "after a call",
            ConnectionsSeedIT::measures),
        new Row(
            "protocol versioning",
            "`mcp.<id>.status`",
            "`server.status`, configuration `protocolVersion`",
            "the newest that both know, or the wanted one",
            ConnectionsSeedIT::negotiatesVersions),
        new Row(
            "`TransportPlugin`: `name`, `createConnection`",
            "`mcp.<id>.tools.call`",
            "`TransportProvider`, configuration `type`, `options`",
            "a plug-in by its type and by a scheme",
            ConnectionsSeedIT::takesTransportPlugins),
        new Row(
            "`TransportPlugin`: `validateConfig`",
            "`mcp.servers.add`",
            "`TransportProvider`",
            "an entry that the plug-in refuses, with its words",
            ConnectionsSeedIT::letsPluginsValidate),
        new Row(
            "`ConnectionStrategy`: `getRetryPolicy`, `handleConnectionFailure`",
            "`mcp.<id>.status`",
            "`ConnectionStrategy`, configuration `strategy`",
            "a plug-in that gives up at once",
            ConnectionsSeedIT::asksTheStrategy),
        new Row(
            "`ConnectionStrategy`: `shouldConnect`, also when a caller needs the server",
            "`mcp.<id>.tools.list`",
            "`ConnectionStrategy`, `server.listTools`, configuration `strategy`",
            "a server that is asleep, then wanted",
            ConnectionsSeedIT::asksWhetherToConnect),
        new Row(
            "`MockConnection`: `mockConnect`, `mockDisconnect`, `triggerHealthCheckFailure`",
            "`mcp.<id>.status`",
            "`FakeMcpServer.refuseConnections`, `FakeMcpServer.disconnect`,"
                + " `FakeMcpServer.freeze`, `EventRecorder`",
            "a fake server is down, comes back, hangs",
            ConnectionsSeedIT::isMocked),
        new Row(
            "`MockConnectionManager`: real behaviour without external dependencies",
            "`mcp.<id>.tools.call`",
            "`FakeMcpServer.delay`, `FakeTime`, `server.callTool`",
            "an answer after a minute of a clock that the test moves",
            ConnectionsSeedIT::movesTime));
  }

  private static void sharesAConnection(SeedBed bed) {
    FakeMcpServer fake = bed.fake().tool("a", "fine").hold("a");
    String id = bed.serve(fake);
    McpServerClient server = bed.server(id);
    List<Future<ToolCallResult>> calls = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      calls.add(server.callTool("a", Map.of("n", i)));
    }
    until(() -> fake.openRequests().size() == 50);
    assertThat(fake.connections()).isOne();
    fake.release("a");
    get(Future.all(calls));
    assertThat(text(bed.ask("mcp." + id + ".tools.call", "{'name':'a'}"))).isEqualTo("fine");
    assertThat(fake.connections()).isOne();
  }

  /** A start that lasts a second loses its slot to one that waits: only a quicker run can tell. */
  private static void limitsStarts(SeedBed bed) {
    until(
        () -> {
          long began = System.nanoTime();
          List<String> starts = startsOneByOne(bed);
          boolean quick = System.nanoTime() - began < Duration.ofSeconds(1).toNanos();
          boolean inTurn = starts.subList(0, 4).equals(List.of("in", "ready", "in", "ready"));
          assertThat(starts).hasSize(10).matches(all -> inTurn || !quick, "one at a time");
          return inTurn;
        });
  }

  private static List<String> startsOneByOne(SeedBed bed) {
    McpBus.Options options = McpBus.Options.of().with("supervisor", json("{'startConcurrency':1}"));
    try (RawHttpServer http = HttpSeed.start()) {
      for (int i = 0; i < 5; i++) {
        options = options.withServer("s" + i, Servers.http(http.url().toString()));
      }
      McpBus bus = bed.apart(options);
      get(bus.awaitReady(Duration.ofSeconds(60)));
      assertThat(bed.ask(bus, "mcp.servers.list", "{}").encode()).doesNotContain("CONNECTING");
      return http.requests("POST").stream()
          .map(one -> one.calls("initialize") ? "in" : one.id() < 0 ? "ready" : "")
          .filter(word -> !word.isEmpty())
          .toList();
    }
  }

  private static void measures(SeedBed bed) {
    Vertx vertx = Vertx.vertx();
    McpBus bus = bed.apart(vertx, McpBus.Options.of().withMetrics(true));
    FakeMcpServer fake = FakeMcpServer.create(vertx, "fake").tool("a", "fine");
    get(bus.add("git", fake.transport()));
    get(bus.awaitReady(Duration.ofSeconds(60)));
    get(bus.server("git").callTool("a", Map.of()));
    assertThat(get(bus.metrics()))
        .contains(
            "mcpbus_connections{server=\"git\",state=\"ready\"} 1.0",
            "mcp_client_operation_duration_seconds_count");
    until(() -> bed.ask(bus, "mcp.git.activity", "{}").getJsonArray("calls").contains(1));
  }

  private static void negotiatesVersions(SeedBed bed) {
    String newest = bed.serve(bed.fake());
    assertThat(get(bed.server(newest).status()).protocolVersion()).isEqualTo("2026-07-28");
    String wanted =
        bed.serve(Servers.transport(bed.fake().transport()).set("protocolVersion", "2025-06-18"));
    assertThat(bed.ask("mcp." + wanted + ".status").getString("protocolVersion"))
        .isEqualTo("2025-06-18");
  }

  private static void takesTransportPlugins(SeedBed bed) {
    String typed = bed.serve(json("{'type':'carrier','options':{'loft':'north'}}"));
    String byUrl = bed.serve(Servers.http("carrier://south"));
    assertThat(text(bed.ask("mcp." + typed + ".tools.call", "{'name':'where'}")))
        .isEqualTo("loft north");
    assertThat(text(bed.ask("mcp." + byUrl + ".tools.call", "{'name':'where'}")))
        .isEqualTo("loft south");
  }

  private static void letsPluginsValidate(SeedBed bed) {
    assertThat(bed.refused("mcp.servers.add", "{'name':'a','config':{'type':'carrier'}}"))
        .hasMessageContaining("transport \"carrier\" refuses this entry")
        .hasMessageContaining("{\"loft\": \"name\"}");
    assertThat(get(bed.bus().client().hasServer("a"))).isFalse();
  }

  private static void asksTheStrategy(SeedBed bed) {
    JsonObject patient = json("{'strategy':'patient','reprobe':'1h'}");
    bed.uses(patient);
    String id = bed.add(Servers.stdio("no-such-command").restart(patient));
    bed.awaitState(id, "FAILED");
    assertThat(bed.ask("mcp." + id + ".status").getInteger("restarts")).isZero();
    assertThat(PatientStrategy.HEARD).anyMatch(one -> one.startsWith(id + " 1 "));
  }

  private static void isMocked(SeedBed bed) {
    EventRecorder events = get(EventRecorder.start(bed.vertx()));
    FakeMcpServer mock = bed.fake();
    String id =
        bed.serve(
            Servers.transport(mock.transport())
                .set("ping", json("{'interval':'50ms','timeout':'200ms','threshold':2}"))
                .restart(QUICK));
    Duration patience = Duration.ofSeconds(60);
    get(mock.refuseConnections(true).disconnect());
    get(events.await(id, Events.DISCONNECTED, patience));
    mock.refuseConnections(false);
    bed.awaitState(id, "READY");
    mock.freeze(true);
    get(events.await(id, Events.HEALTH_CHECK_FAILED, patience));
    mock.freeze(false);
    bed.awaitState(id, "READY");
    assertThat(bed.ask("mcp." + id + ".status").getInteger("restarts")).isPositive();
    get(events.close());
  }

  private static void movesTime(SeedBed bed) {
    FakeTime time = new FakeTime();
    FakeMcpServer mock =
        bed.fake().withTime(time).tool("a", "late").delay("a", Duration.ofMinutes(1));
    String id = bed.serve(mock);
    CallOptions patient = CallOptions.timeout(Duration.ofSeconds(60));
    Future<ToolCallResult> call = bed.server(id).callTool("a", Map.of(), patient);
    until(() -> mock.openRequests().size() == 1);
    assertThat(call.isComplete()).isFalse();
    time.advance(Duration.ofMinutes(1));
    assertThat(get(call).text()).isEqualTo("late");
    Future<JsonObject> other =
        bed.send("mcp." + id + ".tools.call", "{'name':'a'}", new DeliveryOptions());
    until(() -> mock.openRequests().size() == 1);
    time.advance(Duration.ofMinutes(1));
    assertThat(text(get(other))).isEqualTo("late");
  }

  private static void tellsThatItHasStarted(SeedBed bed) {
    Vertx vertx = Vertx.vertx();
    List<JsonObject> heard = bed.hear(vertx, "mcp.events");
    FakeMcpServer fake = FakeMcpServer.create(vertx, "fake");
    bed.apart(
        vertx,
        McpBus.Options.of()
            .withServer("good", Servers.transport(fake.transport()))
            .withServer("bad", Servers.stdio("no-such-command"))
            .withServer("later", Servers.bus("nowhere").lazy(true)));
    JsonObject started = first(heard, "poolStarted");
    assertThat(heard.subList(0, heard.indexOf(started)))
        .extracting(one -> one.getString("type"))
        .contains("connected");
  }

  private static void takesTurns(SeedBed bed) {
    try (RawHttpServer one = HttpSeed.start();
        RawHttpServer two = HttpSeed.start();
        RawHttpServer three = HttpSeed.start()) {
      List<RawHttpServer> all = List.of(one, two, three);
      JsonArray urls = new JsonArray();
      all.forEach(http -> urls.add(http.url().toString()));
      String id = bed.serve(new JsonObject().put("urls", urls));
      until(() -> all.stream().allMatch(http -> calls(http, "tools/list") > 0));
      until(
          () -> {
            get(bed.server(id).callTool("hello", Map.of()));
            bed.ask("mcp." + id + ".tools.call", "{'name':'hello'}");
            return all.stream().allMatch(http -> calls(http, "tools/call") > 1);
          });
    }
  }

  private static long calls(RawHttpServer http, String method) {
    return http.requests("POST").stream().filter(request -> request.calls(method)).count();
  }

  /** A server whose tool {@code who} names the connection, and whose tool {@code wait} waits. */
  private static RawServer instances(Promise<JsonObject> end) {
    JsonObject any = json("{'type':'object'}");
    return RawServer.of("own", "1")
        .tool(
            "who",
            "",
            any,
            (request, arguments) -> Future.succeededFuture(ToolResult.text(request.session().id())))
        .tool("wait", "", any, (request, arguments) -> end.future());
  }

  private static String three(SeedBed bed, RawServer server, String balance) {
    get(server.listen(bed.vertx(), "my." + balance));
    JsonObject entry = json("{'replicas':3,'balanceKey':'tenant'}");
    String id = bed.serve(entry.put("address", "my." + balance).put("balance", balance));
    until(() -> server.sessions().size() == 3);
    return id;
  }

  private static Set<String> asked(SeedBed bed, String id) {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < 12; i++) {
      names.add(get(bed.server(id).callTool("who", Map.of())).text());
    }
    return names;
  }

  private static void choosesTheIdle(SeedBed bed) {
    Promise<JsonObject> end = Promise.promise();
    String id = three(bed, instances(end), "least-pending");
    until(() -> asked(bed, id).size() == 3);
    Future<?> one = bed.bus().server(id).callTool("wait", Map.of());
    Future<JsonObject> two =
        bed.send("mcp." + id + ".tools.call", "{'name':'wait'}", new DeliveryOptions());
    until(() -> asked(bed, id).size() == 1);
    end.complete(ToolResult.text("over"));
    get(one);
    get(two);
    until(() -> asked(bed, id).size() == 3);
  }

  private static void isSticky(SeedBed bed) {
    String id = three(bed, instances(Promise.promise()), "sticky");
    Map<String, String> homes = new HashMap<>();
    until(() -> asked(bed, id).size() == 3);
    for (int i = 0; i < 24; i++) {
      DeliveryOptions tenant = new DeliveryOptions().addHeader("tenant", "t" + i % 12);
      String home = text(get(bed.send("mcp." + id + ".tools.call", "{'name':'who'}", tenant)));
      assertThat(homes.getOrDefault("t" + i % 12, home)).isEqualTo(home);
      homes.put("t" + i % 12, home);
    }
    assertThat(new HashSet<>(homes.values())).hasSizeGreaterThan(1);
  }

  private static String breaking(SeedBed bed, FakeMcpServer fake, String breaker) {
    return bed.serve(Servers.transport(fake.transport()).set("breaker", json(breaker)));
  }

  private static void openTheBreaker(SeedBed bed, String id) {
    DeliveryOptions brief = new DeliveryOptions().addHeader("deadline", "50");
    List<McpFailure> failures = new ArrayList<>();
    until(
        () -> {
          failures.add(refused(bed.send("mcp." + id + ".tools.call", "{'name':'a'}", brief)));
          return failures.get(failures.size() - 1).code() == FailureCode.UNAVAILABLE;
        });
    assertThat(failures)
        .hasSizeGreaterThan(5)
        .filteredOn(one -> one.code() == FailureCode.CALL_TIMEOUT)
        .hasSize(failures.size() - 1);
    McpFailure open = refused(bed.server(id).callTool("a", Map.of()));
    assertThat(open.code()).isEqualTo(FailureCode.UNAVAILABLE);
    assertThat(open.sent()).isEqualTo(McpFailure.Sent.NO);
  }

  private static void breaksTheCircuit(SeedBed bed) {
    FakeMcpServer fake = bed.fake().tool("a", "fine").hold("a");
    String id = breaking(bed, fake, "{'window':6,'openFor':'300ms'}");
    List<JsonObject> heard = bed.hear("mcp." + id + ".events");
    openTheBreaker(bed, id);
    until(() -> heard.stream().anyMatch(one -> "open".equals(one.getString("to"))));
    fake.release("a");
    until(
        () ->
            bed.server(id)
                .callTool("a", Map.of())
                .transform(end -> Future.succeededFuture(end.succeeded()))
                .toCompletionStage()
                .toCompletableFuture()
                .get());
    until(() -> heard.stream().anyMatch(one -> "closed".equals(one.getString("to"))));
  }

  private static void breaksOneTool(SeedBed bed) {
    FakeMcpServer fake = bed.fake().tool("a", "").hold("a").tool("b", "fine");
    String id = breaking(bed, fake, "{'window':6,'openFor':'10min','perTool':true}");
    openTheBreaker(bed, id);
    assertThat(get(bed.server(id).callTool("b", Map.of())).text()).isEqualTo("fine");
    assertThat(get(bed.bus().server(id).status()).status()).isEqualTo("connected");
  }

  private static void asksWhetherToConnect(SeedBed bed) {
    JsonObject patient = json("{'strategy':'patient','reprobe':'1h'}");
    bed.uses(patient);
    FakeMcpServer fake = bed.fake().tool("a", "");
    get(bed.bus().add("asleep-seed", Servers.transport(fake.transport()).restart(patient)));
    bed.awaitState("asleep-seed", "FAILED");
    assertThat(bed.refused("mcp.asleep-seed.tools.list", "{}"))
        .hasMessageContaining("does not want it connected now");
    PatientStrategy.AWAKE.add("asleep-seed");
    assertThat(get(bed.server("asleep-seed").listTools()).items()).hasSize(1);
    PatientStrategy.AWAKE.remove("asleep-seed");
  }
}
