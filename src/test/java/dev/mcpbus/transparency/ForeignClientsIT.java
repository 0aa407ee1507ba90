package dev.mcpbus.transparency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Clients that other people wrote print the same whether they are connected with a server directly
 * or through {@code /mcp/<id>}, but for {@code _meta."dev.mcpbus/*"}.
 */
@Tag("release")
class ForeignClientsIT {

  private static final String INSPECTOR =
      "@modelcontextprotocol/inspector/clients/launcher/build/index.js";

  private static final String MCPC = "@apify/mcpc/bin/mcpc";

  /** What a client calls: questions, progress, updates, errors. */
  private static final Map<String, String> CALLS =
      Map.of(
          "everything",
          """
          [{"name":"echo","arguments":{"message":"é"}},
           {"name":"trigger-elicitation-request","arguments":{}},
           {"name":"trigger-sampling-request","arguments":{"prompt":"p"}},
           {"name":"trigger-long-running-operation","arguments":{"duration":0.2,"steps":2}}]
          """,
          "memory",
          """
          [{"subscribe":"memory://knowledge-graph","until":"notifications/resources/updated",
            "name":"create_entities",
            "arguments":{"entities":[{"name":"a","entityType":"t","observations":[]}]}},
           {"name":"read_graph","arguments":{}}]
          """,
          "desktop-commander",
          """
          [{"name":"read_file","arguments":{"path":"FOLDER/first.md"}},
           {"name":"list_directory","arguments":{"path":"FOLDER/notes"}}]
          """,
          "supabase",
          """
          [{"name":"no_such_tool","arguments":{}}]
          """);

  private static final Map<String, List<String>> MCPC_ASKS =
      Map.of(
          "everything",
          List.of(
              "tools-list",
              "prompts-list",
              "resources-list",
              "resources-templates-list",
              "ping",
              "tools-call get-sum a:=1 b:=2",
              "tools-call no-such-tool",
              "resources-read demo://resource/static/document/features.md",
              "resources-read no-such://thing",
              "prompts-get args-prompt city:=Rome"),
          "memory",
          List.of(
              "tools-list",
              "resources-list",
              "tools-call read_graph",
              "resources-read memory://knowledge-graph"),
          "desktop-commander",
          List.of(
              "tools-list",
              "resources-list",
              "tools-call read_file path:=FOLDER/first.md",
              "tools-call list_directory path:=FOLDER/notes"));

  /** Members that one era alone has; tasks are stated in a way of each. */
  private static final Set<String> OF_ONE_ERA =
      Set.of(
          "resultType",
          "ttlMs",
          "cacheScope",
          "tasks",
          "io.modelcontextprotocol/tasks",
          "extensions",
          "execution");

  @TempDir static Path temp;

  private static Path folder;
  private static Map<String, RealServer> servers;
  private static TestBus bus;

  @BeforeAll
  static void start() throws IOException {
    folder = temp.toRealPath().resolve("files");
    RealServer.clean(folder);
    servers =
        RealServer.all()
            .filter(server -> CALLS.containsKey(server.name()))
            .collect(Collectors.toMap(RealServer::name, server -> server));
    JsonObject entries = new JsonObject();
    servers.values().forEach(server -> entries.put(server.name(), entry(server.name())));
    bus = TestBus.startWithBridge(entries);
    servers.keySet().forEach(name -> bus.awaitState(name, "READY"));
  }

  @AfterAll
  static void close() {
    bus.close();
  }

  private static String url(String server) {
    return "http://127.0.0.1:" + bus.port() + "/mcp/" + server;
  }

  @ParameterizedTest(name = "{0}, {1}")
  @CsvSource({
    "v1,everything",
    "v1,memory",
    "v1,desktop-commander",
    "v1,supabase",
    "v2-legacy,everything",
    "v2-legacy,memory",
    "v2-legacy,desktop-commander",
    "v2-legacy,supabase",
    "v2-modern,supabase"
  })
  void the_typescript_sdks_give_a_program_the_same(String kind, String server) throws Exception {
    String script = Path.of("src", "test", "npm", "sdk-report.mjs").toAbsolutePath().toString();
    String calls = Objects.requireNonNull(CALLS.get(server)).replace("FOLDER", folder.toString());
    Object direct = run(join(List.of(script, kind, calls), command(server)), server);
    Object through = run(List.of(script, kind, calls, url(server)), server);
    assertThat(through).isEqualTo(direct);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"everything", "memory", "desktop-commander"})
  void of_an_older_server_the_typescript_sdk_gets_the_same_in_modern_mode(String server)
      throws Exception {
    String script = Path.of("src", "test", "npm", "sdk-report.mjs").toAbsolutePath().toString();
    // A client that subscribes learns of it in the way of its era.
    String calls =
        Objects.requireNonNull(CALLS.get(server))
            .replace("FOLDER", folder.toString())
            .replaceAll("\"subscribe\":\"[^\"]*\",\"until\":\"[^\"]*\",", "");
    Object direct = run(join(List.of(script, "v2-legacy", calls), command(server)), server);
    Object through = run(List.of(script, "v2-modern", calls, url(server)), server);
    assertThat(without(OF_ONE_ERA, through)).isEqualTo(without(OF_ONE_ERA, direct));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "everything,tools/list",
    "everything,resources/list",
    "everything,prompts/list",
    "everything,tools/call --tool-name get-sum --tool-arg a=1 b=2",
    "everything,tools/call --tool-name no-such-tool",
    "everything,resources/read --uri demo://resource/static/document/features.md",
    "everything,prompts/get --prompt-name args-prompt --prompt-args city=Rome",
    "memory,tools/list",
    "memory,resources/list",
    "memory,tools/call --tool-name read_graph",
    "memory,resources/read --uri memory://knowledge-graph",
    "desktop-commander,tools/list",
    "desktop-commander,tools/call --tool-name list_directory --tool-arg path=FOLDER/notes"
  })
  void the_inspector_prints_the_same(String server, String asked) throws Exception {
    String script = NpmServers.script(INSPECTOR);
    List<String> method =
        List.of(("--method " + asked.replace("FOLDER", folder.toString())).split(" "));
    Object direct = run(join(join(List.of(script, "--cli"), command(server)), method), server);
    Object through =
        run(
            join(
                List.of(script, "--cli", "--transport", "http", "--server-url", url(server)),
                method),
            server);
    assertThat(through).isEqualTo(direct);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"memory", "everything", "desktop-commander"})
  void mcpc_prints_the_same(String server) throws Exception {
    Path file = folder.resolveSibling(server + ".json");
    Files.writeString(
        file,
        new JsonObject().put("mcpServers", new JsonObject().put(server, entry(server))).encode());
    List<Object> direct = mcpc(file + ":" + server, "@direct-" + server, server);
    List<Object> through = mcpc(url(server), "@through-" + server, server);
    assertThat(through).isEqualTo(direct);
  }

  /** The lists of a session, and what this server is asked. */
  private static List<Object> mcpc(String target, String session, String server) throws Exception {
    String script = NpmServers.script(MCPC);
    List<Object> printed = new ArrayList<>();
    connect(List.of(script, "--json", "connect", target, session), server);
    try {
      for (String command : Objects.requireNonNull(MCPC_ASKS.get(server))) {
        List<String> words = List.of(command.replace("FOLDER", folder.toString()).split(" "));
        Object out = run(join(List.of(script, "--json", session), words), server);
        printed.add(out instanceof JsonObject json ? withoutTimes(json) : out);
      }
    } finally {
      run(List.of(script, "--json", "close", session), server);
    }
    return printed;
  }

  /**
   * Connects mcpc. Its background process has 5 s to start, which no option changes, and a busy
   * machine may need more; mcpc then forgets the session, and all later commands print nothing.
   */
  private static void connect(List<String> command, String server)
      throws IOException, InterruptedException {
    long begin = System.nanoTime();
    Printed printed = execute(command, server);
    while (printed.err().contains("socket file not created within timeout")
        && System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(60)) {
      printed = execute(command, server);
    }
    assertThat(printed.out()).as("%s connects: %s", command, printed.err()).startsWith("{");
  }

  private static JsonObject withoutTimes(JsonObject json) {
    json.remove("durationMs");
    return json;
  }

  private static JsonObject entry(String server) {
    JsonObject entry = Objects.requireNonNull(servers.get(server)).entry(folder);
    // Its files live on while the folder is made anew under it: desktop-commander locks one.
    entry.getJsonObject("env").put("HOME", temp.toString());
    return entry;
  }

  private static List<String> command(String server) {
    JsonObject entry = entry(server);
    List<String> command = new ArrayList<>(List.of(entry.getString("command")));
    entry.getJsonArray("args").forEach(arg -> command.add((String) arg));
    return command;
  }

  private static List<String> join(List<String> one, List<String> more) {
    List<String> all = new ArrayList<>(one);
    all.addAll(more);
    return all;
  }

  /** What a program wrote on its two outputs. */
  private record Printed(String out, String err) {}

  /** Runs a script of Node in a fresh folder; what it prints as JSON, or as text. */
  private static Object run(List<String> command, String server)
      throws IOException, InterruptedException {
    String all = execute(command, server).out();
    // Some write a warning before it.
    String text = all.substring(all.lastIndexOf("\n{\"") + 1);
    try {
      return plain(Json.decodeValue(text));
    } catch (DecodeException e) {
      return text.replaceAll("\\d+ ?ms", "N ms");
    }
  }

  private static Printed execute(List<String> command, String server)
      throws IOException, InterruptedException {
    RealServer.clean(folder);
    Path out = Files.createTempFile(temp, "out", "");
    Path err = Files.createTempFile(temp, "err", "");
    ProcessBuilder builder =
        new ProcessBuilder(join(List.of(NpmServers.node()), command))
            .directory(folder.toFile())
            .redirectInput(new File("/dev/null"))
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    entry(server)
        .getJsonObject("env")
        .forEach(one -> builder.environment().put(one.getKey(), String.valueOf(one.getValue())));
    Process process = builder.start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("ended: %s", command).isTrue();
    } finally {
      process.destroyForcibly();
    }
    Printed printed = new Printed(Files.readString(out).strip(), Files.readString(err));
    assertThat(printed.out() + printed.err()).as("printed: %s", command).isNotBlank();
    return printed;
  }

  /** Without what mcpbus adds in {@code _meta}. */
  private static Object plain(Object value) {
    return without(Set.of(), value);
  }

  /** Likewise, and without these members at any depth. */
  private static Object without(Set<String> names, Object value) {
    if (value instanceof JsonArray array) {
      JsonArray plain = new JsonArray();
      array.forEach(item -> plain.add(without(names, item)));
      return plain;
    }
    if (!(value instanceof JsonObject json)) {
      return value;
    }
    JsonObject plain = new JsonObject();
    json.forEach(
        member -> {
          String name = member.getKey();
          Object below = without(names, member.getValue());
          boolean added = name.startsWith("dev.mcpbus/") || names.contains(name);
          boolean emptied = name.equals("_meta") && below.equals(new JsonObject());
          if (!added && !emptied) {
            plain.put(name, below);
          }
        });
    return plain;
  }
}
