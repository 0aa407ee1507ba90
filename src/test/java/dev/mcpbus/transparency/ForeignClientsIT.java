package dev.mcpbus.transparency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Clients that other people wrote print the same whether they are connected with a server directly
 * or through {@code /mcp/<id>}, but for {@code _meta."dev.mcpbus/*"}.
 */
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
          [{"name":"read_file","arguments":{"path":"FOLDER/first.md"}}]
          """,
          "supabase",
          """
          [{"name":"no_such_tool","arguments":{}}]
          """);

  @TempDir static Path temp;

  private static Path folder;
  private static Map<String, RealServer> servers;
  private static TestBus bus;

  @BeforeAll
  static void start() throws IOException {
    folder = temp.toRealPath().resolve("files");
    RealServer.prepare(folder);
    servers =
        RealServer.all()
            .filter(server -> CALLS.containsKey(server.name()))
            .collect(Collectors.toMap(RealServer::name, server -> server));
    JsonObject entries = new JsonObject();
    servers.values().forEach(server -> entries.put(server.name(), server.entry(folder)));
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

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "everything,tools/list",
    "everything,resources/list",
    "everything,prompts/list",
    "memory,tools/list",
    "memory,resources/list",
    "desktop-commander,tools/list"
  })
  void the_inspector_prints_the_same(String server, String method) throws Exception {
    String script = NpmServers.script(INSPECTOR);
    Object direct =
        run(
            join(join(List.of(script, "--cli"), command(server)), List.of("--method", method)),
            server);
    Object through =
        run(
            List.of(
                script,
                "--cli",
                "--transport",
                "http",
                "--server-url",
                url(server),
                "--method",
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

  /** The lists, a resource and an error of a session. */
  private static List<Object> mcpc(String target, String session, String server) throws Exception {
    String script = NpmServers.script(MCPC);
    List<Object> printed = new ArrayList<>();
    run(List.of(script, "--json", "connect", target, session), server);
    try {
      for (List<String> command :
          List.of(
              List.of("tools-list"),
              List.of("resources-list"),
              List.of("resources-templates-list"),
              List.of("ping"))) {
        Object out = run(join(List.of(script, "--json", session), command), server);
        printed.add(out instanceof JsonObject json ? withoutTimes(json) : out);
      }
    } finally {
      run(List.of(script, "--json", "close", session), server);
    }
    return printed;
  }

  private static JsonObject withoutTimes(JsonObject json) {
    json.remove("durationMs");
    return json;
  }

  private static JsonObject entry(String server) {
    return Objects.requireNonNull(servers.get(server)).entry(folder);
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

  /** Runs a script of Node in a fresh folder; what it prints as JSON, or as text. */
  private static Object run(List<String> command, String server)
      throws IOException, InterruptedException {
    RealServer.prepare(folder);
    Path out = Files.createTempFile(temp, "out", "");
    ProcessBuilder builder =
        new ProcessBuilder(join(List.of(NpmServers.node()), command))
            .directory(folder.toFile())
            .redirectOutput(out.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    entry(server)
        .getJsonObject("env")
        .forEach(one -> builder.environment().put(one.getKey(), String.valueOf(one.getValue())));
    // The SDK's transport gives a child a few variables only.
    builder.environment().put("HOME", temp.toString());
    Process process = builder.start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("ended: %s", command).isTrue();
    } finally {
      process.destroyForcibly();
    }
    String all = Files.readString(out).strip();
    // Some write a warning before it.
    String text = all.substring(all.lastIndexOf("\n{\"") + 1);
    try {
      return plain(Json.decodeValue(text));
    } catch (DecodeException e) {
      return text.replaceAll("\\d+ ?ms", "N ms");
    }
  }

  /** Without what mcpbus adds in {@code _meta}. */
  private static Object plain(Object value) {
    if (value instanceof JsonArray array) {
      JsonArray plain = new JsonArray();
      array.forEach(item -> plain.add(plain(item)));
      return plain;
    }
    if (!(value instanceof JsonObject json)) {
      return value;
    }
    JsonObject plain = new JsonObject();
    json.forEach(
        member -> {
          Object below = plain(member.getValue());
          boolean added = member.getKey().startsWith("dev.mcpbus/");
          boolean emptied = member.getKey().equals("_meta") && below.equals(new JsonObject());
          if (!added && !emptied) {
            plain.put(member.getKey(), below);
          }
        });
    return plain;
  }
}
