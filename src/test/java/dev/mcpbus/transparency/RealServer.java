package dev.mcpbus.transparency;

import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.NpmServers.Running;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * A server that other people wrote, and what may be asked of it without harm. In its arguments,
 * variables and calls {@code FOLDER} stands for a folder that each run finds the same.
 */
final class RealServer {

  /** Arguments from the schema of the tool. */
  static final JsonObject SAMPLE = new JsonObject();

  private static final String EVERYTHING = "@modelcontextprotocol/server-everything";

  /** One call of a tool. */
  record ToolCall(String tool, JsonObject arguments) {}

  private final String name;
  private final String script;
  private final List<ToolCall> opening = new ArrayList<>();
  private final List<ToolCall> calls = new ArrayList<>();
  private final List<ToolCall> ofOwnEra = new ArrayList<>();
  private final List<ToolCall> cancel = new ArrayList<>();
  private final List<String> files = new ArrayList<>();
  private final JsonObject env = new JsonObject();
  private List<String> args = List.of();
  private boolean initialize = true;
  private boolean discover;
  private String updates = "";
  private String path = "";

  /**
   * @param name of it in tests and in the gateway
   * @param script under {@code node_modules}
   */
  private RealServer(String name, String script) {
    this.name = name;
    this.script = script;
  }

  String name() {
    return name;
  }

  /** Whether it speaks 2025-11-25 or older. */
  boolean initialize() {
    return initialize;
  }

  /**
   * Whether a direct client hears what it announces at its start: over HTTP that comes before the
   * client's stream.
   */
  boolean announcesAtStart() {
    return path.isEmpty();
  }

  /** Whether it speaks 2026-07-28. */
  boolean discover() {
    return discover;
  }

  /**
   * What is called before anything else: it lasts longer than what the server does at its start by
   * a timer of its own, so that this comes at the same place of every dialog.
   */
  List<ToolCall> opening() {
    return opening;
  }

  /**
   * Tools to call, each with its arguments; with {@link #SAMPLE} they come from the schema.
   *
   * @param sameEra whether client and server speak the same era
   */
  List<ToolCall> calls(boolean sameEra) {
    return sameEra ? Stream.concat(calls.stream(), ofOwnEra.stream()).toList() : List.copyOf(calls);
  }

  /** A call that reports progress for a while, or none. */
  List<ToolCall> cancel() {
    return cancel;
  }

  /** A resource to subscribe to, or an empty text. */
  String updates() {
    return updates;
  }

  @Override
  public String toString() {
    return name;
  }

  /** All of them. */
  static Stream<RealServer> all() {
    return Stream.of(
        of("tasks", "../tasks-server.mjs")
            .args("FOLDER")
            .inDiscoverAlone()
            .calling("plain", "greet", "slow_compute", "no_such_tool")
            // Refused without the extension for tasks, which mcpbus speaks for an older client.
            .callingInItsEra("work"),
        of("everything", EVERYTHING + "/dist/index.js")
            // Asks for roots 350 ms after the handshake.
            .opening("trigger-long-running-operation", "{\"duration\":1,\"steps\":4}")
            .calling(
                "echo",
                "get-annotated-message",
                "get-resource-links",
                "get-resource-reference",
                "get-structured-content",
                "get-sum",
                "get-tiny-image",
                "get-roots-list",
                "trigger-elicitation-request",
                "trigger-sampling-request",
                "no-such-tool")
            .call("trigger-long-running-operation", "{\"duration\":0.2,\"steps\":4}")
            .cancelling("trigger-long-running-operation", "{\"duration\":200,\"steps\":200}"),
        of("everything-2025", "server-everything-2025.8/dist/index.js")
            .calling(
                "echo",
                "add",
                "sampleLLM",
                "getTinyImage",
                "annotatedMessage",
                "getResourceReference",
                "startElicitation",
                "getResourceLinks",
                "structuredContent",
                "no-such-tool")
            .call("longRunningOperation", "{\"duration\":0.2,\"steps\":4}")
            .cancelling("longRunningOperation", "{\"duration\":200,\"steps\":200}"),
        of("everything-0", "server-everything-0.6/dist/index.js")
            .calling("echo", "add", "sampleLLM", "getTinyImage", "no-such-tool")
            .call("longRunningOperation", "{\"duration\":0.2,\"steps\":4}")
            .cancelling("longRunningOperation", "{\"duration\":200,\"steps\":200}"),
        of("memory", "@modelcontextprotocol/server-memory/dist/index.js")
            .with("MEMORY_FILE_PATH", "FOLDER/memory.jsonl")
            .call(
                "create_entities",
                "{\"entities\":[{\"name\":\"a\",\"entityType\":\"t\",\"observations\":[\"o\"]}]}")
            .call("create_relations", "{\"relations\":[]}")
            .calling("read_graph", "search_nodes", "open_nodes", "no_such_tool")
            .call("add_observations", "{\"observations\":[{\"entityName\":\"none\"}]}")
            .call("delete_entities", "{\"entityNames\":[\"a\"]}")
            .updating("memory://knowledge-graph"),
        of("thinking", "@modelcontextprotocol/server-sequential-thinking/dist/index.js")
            .calling("sequentialthinking", "no_such_tool"),
        of("filesystem", "@modelcontextprotocol/server-filesystem/dist/index.js")
            .args("FOLDER")
            .call("read_text_file", "{\"path\":\"FOLDER/first.md\"}")
            .call("read_media_file", "{\"path\":\"FOLDER/first.md\"}")
            .call("read_multiple_files", "{\"paths\":[\"FOLDER/first.md\",\"FOLDER/none\"]}")
            .call("read_text_file", "{\"path\":\"/etc/hostname\"}")
            .call("write_file", "{\"path\":\"FOLDER/new.txt\",\"content\":\"new é\"}")
            .call(
                "edit_file",
                "{\"path\":\"FOLDER/new.txt\",\"edits\":[{\"oldText\":\"new\",\"newText\":\"old\"}]}")
            .call("list_directory", "{\"path\":\"FOLDER\"}")
            .call("directory_tree", "{\"path\":\"FOLDER\"}")
            .call("search_files", "{\"path\":\"FOLDER\",\"pattern\":\"**/*.md\"}")
            .calling("list_allowed_directories", "no_such_tool"),
        of("mcpvault", "@bitbonsai/mcpvault/dist/server.js")
            .args("FOLDER")
            .inBothEras()
            .call("read_note", "{\"path\":\"first.md\"}")
            .call("write_note", "{\"path\":\"new.md\",\"content\":\"new é\"}")
            .call("search_notes", "{\"query\":\"first\"}")
            .call("get_frontmatter", "{\"path\":\"notes/second.md\"}")
            .call("get_note_outline", "{\"path\":\"none.md\"}")
            .calling("list_directory", "list_all_tags", "no_such_tool"),
        of("context7", "@upstash/context7-mcp/dist/index.js").inBothEras().calling("no_such_tool"),
        of("agent-infra", "@agent-infra/mcp-server-filesystem/dist/index.cjs")
            .args("--allowed-directories", "FOLDER")
            .call("read_file", "{\"path\":\"FOLDER/first.md\"}")
            .call("list_directory", "{\"path\":\"FOLDER\"}")
            .call("directory_tree", "{\"path\":\"FOLDER\"}")
            .calling("list_allowed_directories", "no_such_tool"),
        of("git", "@cyanheads/git-mcp-server/dist/index.js")
            .call("git_set_working_dir", "{\"path\":\"FOLDER\"}")
            .call("git_status", "{}")
            .call("git_wrapup_instructions", "{\"acknowledgement\":\"Y\"}")
            .calling("no_such_tool"),
        of("git-http", "@cyanheads/git-mcp-server/dist/index.js")
            .with("MCP_TRANSPORT_TYPE", "http")
            .with("MCP_HTTP_PORT", "PORT")
            .with("MCP_HTTP_HOST", "127.0.0.1")
            .listeningAt("/mcp")
            .call("git_set_working_dir", "{\"path\":\"FOLDER\"}")
            .call("git_status", "{}")
            .calling("no_such_tool"),
        of("everything-http", EVERYTHING + "/dist/index.js")
            .args("streamableHttp")
            .with("PORT", "PORT")
            .listeningAt("/mcp")
            .opening("trigger-long-running-operation", "{\"duration\":1,\"steps\":4}")
            .calling(
                "echo",
                "get-roots-list",
                "trigger-elicitation-request",
                "trigger-sampling-request",
                "no-such-tool")
            .cancelling("trigger-long-running-operation", "{\"duration\":200,\"steps\":200}"),
        of("sdk-http", "../fixture-server.mjs")
            .args("modern", "PORT")
            .with("FIXTURE_NOTES", "FOLDER")
            .listeningAt("/mcp")
            .inDiscoverAlone()
            .calling(
                "test_simple_text",
                "test_error_handling",
                "test_tool_with_progress",
                "test_elicitation",
                "test_input_required_result_multi_round",
                "no_such_tool"),
        of("playwright", "@playwright/mcp/cli.js").args("--headless").calling("no_such_tool"),
        of("desktop-commander", "@wonderwhy-er/desktop-commander/dist/index.js")
            .with("DESKTOP_COMMANDER_DISABLE_TELEMETRY", "1")
            .with("DC_FLAG_URL", "http://127.0.0.1:1")
            // It downloads a browser where it finds none, and logs how far it is.
            .holding(
                ".claude-server-commander/puppeteer-cache/chrome/linux-1.0.0/chrome-linux64/chrome")
            .call("read_file", "{\"path\":\"FOLDER/first.md\"}")
            .call("list_directory", "{\"path\":\"FOLDER/notes\"}")
            .calling("list_searches", "list_sessions", "no_such_tool"),
        of("supabase", "@supabase/mcp-server-supabase/dist/cli.js")
            .args("--access-token", "sbp_none", "--api-url", "http://127.0.0.1:1")
            .inBothEras()
            .calling("no_such_tool"),
        of("map", "@modelcontextprotocol/server-map/dist/index.js")
            .args("--stdio")
            .calling("show-map", "no_such_tool"),
        of("vanilla", "@modelcontextprotocol/server-basic-vanillajs/dist/index.js")
            .args("--stdio")
            .calling("get-time", "no_such_tool"),
        of("sdk", "../fixture-server.mjs")
            .args("modern")
            .with("FIXTURE_NOTES", "FOLDER")
            .inDiscoverAlone()
            .calling(
                "test_simple_text",
                "test_error_handling",
                "test_multiple_content_types",
                "test_tool_with_progress",
                "test_elicitation",
                "test_sampling",
                "test_input_required_result_multi_round",
                "test_trigger_tool_change",
                "test_trigger_tool_change",
                "no_such_tool")
            .updating("test://static-text"));
  }

  static RealServer of(String name, String script) {
    return new RealServer(name, script);
  }

  RealServer with(String variable, String value) {
    env.put(variable, value);
    return this;
  }

  RealServer args(String... all) {
    args = List.of(all);
    return this;
  }

  RealServer inBothEras() {
    discover = true;
    return this;
  }

  private RealServer inDiscoverAlone() {
    initialize = false;
    discover = true;
    return this;
  }

  /** Over Streamable HTTP; in arguments and variables {@code PORT} is its port. */
  private RealServer listeningAt(String path) {
    this.path = path;
    return this;
  }

  private RealServer opening(String tool, String arguments) {
    opening.add(new ToolCall(tool, new JsonObject(arguments)));
    return this;
  }

  RealServer calling(String... tools) {
    for (String tool : tools) {
      calls.add(new ToolCall(tool, SAMPLE));
    }
    return this;
  }

  /** Of tools that a client of the other era gets by other means, as {@code http.md} tells. */
  private RealServer callingInItsEra(String tool) {
    ofOwnEra.add(new ToolCall(tool, SAMPLE));
    return this;
  }

  private RealServer call(String tool, String arguments) {
    calls.add(new ToolCall(tool, new JsonObject(arguments)));
    return this;
  }

  private RealServer cancelling(String tool, String arguments) {
    cancel.add(new ToolCall(tool, new JsonObject(arguments)));
    return this;
  }

  private RealServer holding(String file) {
    files.add(file);
    return this;
  }

  private RealServer updating(String uri) {
    updates = uri;
    return this;
  }

  /** Where the gateway finds the server. */
  record Place(JsonObject entry, Runnable end) implements AutoCloseable {

    @Override
    public void close() {
      end.run();
    }
  }

  /** The server for the gateway: a command to run, or a process that listens. */
  Place start(Path folder) {
    if (path.isEmpty()) {
      return new Place(entry(folder), () -> {});
    }
    Running running = listen(folder);
    return new Place(new JsonObject().put("url", running.url(path)), running::close);
  }

  /** A dialog with a process of its own. */
  Dialog dialog(Path folder, boolean inDiscover) {
    if (path.isEmpty()) {
      return new StdioDialog(entry(folder), inDiscover);
    }
    Running running = listen(folder);
    return new HttpDialog(running.url(path), inDiscover, running::close);
  }

  private Running listen(Path folder) {
    Map<String, String> variables = new HashMap<>(Map.of("HOME", folder.toString()));
    env.forEach(one -> variables.put(one.getKey(), in(folder, (String) one.getValue())));
    String[] all = args.stream().map(arg -> in(folder, arg)).toArray(String[]::new);
    Running running = NpmServers.listening(NpmServers.freePort(), variables, script, all);
    // A server may try its port before it listens in earnest.
    Awaitility.await(name + " to answer").ignoreExceptions().until(() -> answers(running));
    return running;
  }

  private boolean answers(Running running) throws IOException {
    HttpURLConnection http = (HttpURLConnection) new URL(running.url(path)).openConnection();
    http.setReadTimeout(1_000);
    return http.getResponseCode() > 0;
  }

  /** Its entry in {@code mcpServers}. */
  JsonObject entry(Path folder) {
    JsonArray all = new JsonArray().add(NpmServers.script(script));
    args.forEach(arg -> all.add(in(folder, arg)));
    JsonObject variables = new JsonObject().put("HOME", folder.toString());
    env.forEach(one -> variables.put(one.getKey(), in(folder, (String) one.getValue())));
    return new JsonObject()
        .put("command", NpmServers.node())
        .put("args", all)
        .put("env", variables)
        .put("cwd", folder.toString());
  }

  /** The arguments of a call in a folder. */
  static JsonObject in(Path folder, JsonObject arguments) {
    return new JsonObject(in(folder, arguments.encode()));
  }

  private static String in(Path folder, String text) {
    return text.replace("FOLDER", folder.toString());
  }

  /** Makes the folder what each run finds: two notes, and the files of this server. */
  void prepare(Path folder) {
    clean(folder);
    try {
      for (String file : files) {
        Path path = folder.resolve(file);
        Files.createDirectories(path.getParent());
        Files.createFile(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** How often a running server may write into a folder while it is emptied. */
  private static final int WRITES = 100;

  /**
   * Makes the folder one with two notes, one of them in a folder, and no more. The folder itself
   * stays, because a running server works in it, and may write its own files there meanwhile.
   */
  static void clean(Path folder) {
    try {
      for (int writes = 0; !isEmptied(folder); writes++) {
        if (writes == WRITES) {
          throw new IllegalStateException(folder + " is written again and again");
        }
      }
      Files.createDirectories(folder.resolve("notes"));
      Files.writeString(folder.resolve("first.md"), "# First\n\ntag: \"é\" and \\ [[second]]\n");
      Files.writeString(folder.resolve("notes").resolve("second.md"), "---\na: 1\n---\nSecond\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Deletes what is in the folder; false where something was written there meanwhile. */
  private static boolean isEmptied(Path folder) throws IOException {
    try (Stream<Path> old = Files.exists(folder) ? Files.walk(folder) : Stream.empty()) {
      for (Path path : old.sorted(Comparator.reverseOrder()).toList()) {
        if (!path.equals(folder)) {
          Files.deleteIfExists(path);
        }
      }
      return true;
    } catch (DirectoryNotEmptyException written) {
      return false;
    } catch (UncheckedIOException gone) { // a file that the server has deleted itself
      if (gone.getCause() instanceof NoSuchFileException) {
        return false;
      }
      throw gone;
    }
  }

  /** Methods that one era alone has: clients of the other never ask them. */
  static final Set<String> OF_ONE_ERA =
      Set.of(
          "initialize",
          "server/discover",
          "ping",
          "logging/setLevel",
          "resources/subscribe",
          "resources/unsubscribe",
          "subscriptions/listen",
          "notifications/subscriptions/acknowledged");
}
