package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients of both eras on servers of the {@code initialize} era that other people wrote, and on one
 * that keeps notes: each client has one session with each server, and no other client is in it.
 *
 * <p>{@code -Dmcpbus.seconds=60} and {@code -Dmcpbus.clients=2000} for the long form.
 */
class ClientSessionsIT {

  private static final Duration INTERLEAVED =
      Duration.ofSeconds(Integer.getInteger("mcpbus.seconds", 3));
  private static final int MANY = Integer.getInteger("mcpbus.clients", 100);

  private static final String MEMORY = "@modelcontextprotocol/server-memory/dist/index.js";
  private static final String EVERYTHING = "@modelcontextprotocol/server-everything/dist/index.js";
  private static final String INFO = "io.modelcontextprotocol/clientInfo";
  private static final String UPDATED = "notifications/resources/updated";
  private static final JsonObject NOTHING = new JsonObject();
  private static final JsonObject ELICITATION =
      new JsonObject().put("elicitation", new JsonObject());

  @TempDir static Path folder;
  private static TestBus bus;

  private final AtomicInteger ids = new AtomicInteger();

  @BeforeAll
  static void start() {
    NpmServers.script(EVERYTHING); // skips the test without them
    JsonObject memory =
        NpmServers.stdio(MEMORY)
            .put(
                "env",
                new JsonObject().put("MEMORY_FILE_PATH", folder.resolve("memory.json").toString()));
    bus =
        TestBus.startWithBridge(
            new JsonObject()
                .put("notes", NpmServers.own("notes-server.mjs"))
                .put("memory", memory)
                .put("everything", NpmServers.stdio(EVERYTHING)));
    for (String id : List.of("notes", "memory", "everything")) {
      bus.awaitState(id, "READY");
    }
  }

  @AfterAll
  static void close() {
    if (bus != null) {
      bus.close();
    }
  }

  // ---- clients

  private static JsonObject who(String name) {
    return new JsonObject().put(INFO, new JsonObject().put("name", name).put("version", "1"));
  }

  private JsonObject request(String method, JsonObject params, JsonObject can, String name) {
    return new JsonObject()
        .put("jsonrpc", "2.0")
        .put("id", "r" + ids.incrementAndGet())
        .put("method", method)
        .put("params", params.copy().put("_meta", McpHttp.meta(can).mergeIn(who(name))));
  }

  private CompletableFuture<McpHttp.Answer> sent(
      String server, String method, JsonObject params, JsonObject can, String name) {
    JsonObject request = request(method, params, can, name);
    return new McpHttp(bus.port(), "/mcp/" + server)
        .posted(request.encode(), McpHttp.headers(request));
  }

  private JsonObject result(
      String server, String method, JsonObject params, JsonObject can, String name) {
    return sent(server, method, params, can, name).join().result();
  }

  private static JsonObject call(String tool, JsonObject arguments) {
    return new JsonObject().put("name", tool).put("arguments", arguments);
  }

  private static JsonObject note(String text) {
    return call("add", new JsonObject().put("note", text));
  }

  /** A person at a client of the discover era: adds notes, and answers when asked for one. */
  private final class Writer {
    private final String name;
    private final List<String> own = new ArrayList<>();
    private final Set<String> processes = new HashSet<>();
    private int round;

    Writer(String name) {
      this.name = name;
    }

    void write() {
      String next = name + ++round;
      JsonObject can = round % 2 == 0 ? ELICITATION : NOTHING;
      own.add(next);
      check(result("notes", "tools/call", note(next), can, name));
    }

    void answer() {
      String next = name + ++round;
      JsonObject ask = call("ask", NOTHING);
      JsonObject asked = result("notes", "tools/call", ask, ELICITATION, name);
      assertThat(asked.getString("resultType")).isEqualTo("input_required");
      JsonObject questions = asked.getJsonObject("inputRequests");
      assertThat(questions.size()).isEqualTo(1);
      assertThat(questions.encode()).contains("\"a note for " + own.size() + "\"");
      own.add(next);
      JsonObject answer =
          new JsonObject()
              .put("action", "accept")
              .put("content", new JsonObject().put("note", next));
      JsonObject retry =
          ask.copy()
              .put("requestState", asked.getString("requestState"))
              .put(
                  "inputResponses",
                  new JsonObject().put(questions.fieldNames().iterator().next(), answer));
      check(result("notes", "tools/call", retry, ELICITATION, name));
    }

    private void check(JsonObject result) {
      String[] parts = McpHttp.text(result).split(": ", 2);
      processes.add(parts[0]);
      assertThat(parts[1]).isEqualTo(String.join(",", own));
    }
  }

  // ---- state

  @Test
  void two_clients_of_the_discover_era_keep_their_own_state_interleaved() {
    Writer ada = new Writer("ada");
    Writer bob = new Writer("bob");
    long until = System.nanoTime() + INTERLEAVED.toNanos();
    while (System.nanoTime() < until) {
      ada.write();
      CompletableFuture<Void> meanwhile = CompletableFuture.runAsync(bob::answer);
      ada.answer();
      meanwhile.join();
      bob.write();
    }
    assertThat(ada.processes).hasSize(1);
    assertThat(bob.processes).hasSize(1).doesNotContainAnyElementsOf(ada.processes);
    System.out.println("notes of each of two clients: " + ada.own.size());
  }

  @Test
  void the_switches_of_server_everything_are_those_of_one_client() {
    JsonObject toggle = call("toggle-simulated-logging", NOTHING);
    for (String state : List.of("Started", "Stopped", "Started", "Stopped")) {
      for (String name : List.of("ada", "bob")) {
        JsonObject can = state.equals("Started") ? ELICITATION : NOTHING;
        assertThat(McpHttp.text(result("everything", "tools/call", toggle, can, name)))
            .startsWith(state);
      }
    }
  }

  @Test
  void both_clients_answer_the_question_of_server_everything_that_is_theirs() {
    JsonObject ask = call("trigger-elicitation-request", NOTHING);
    for (String name : List.of("ada", "bob")) {
      JsonObject asked = result("everything", "tools/call", ask, ELICITATION, name);
      assertThat(asked.getString("resultType")).isEqualTo("input_required");
      String key = asked.getJsonObject("inputRequests").fieldNames().iterator().next();
      JsonObject answer =
          new JsonObject()
              .put("action", "accept")
              .put("content", new JsonObject().put("name", name).put("check", true));
      JsonObject retry =
          ask.copy()
              .put("requestState", asked.getString("requestState"))
              .put("inputResponses", new JsonObject().put(key, answer));
      assertThat(result("everything", "tools/call", retry, ELICITATION, name).encode())
          .contains(name);
    }
  }

  // ---- lists

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_client_gets_the_same_tools_whether_it_calls_or_lists_first(boolean callsFirst) {
    String name = callsFirst ? "caller" : "lister";
    JsonObject can =
        ELICITATION.copy().put("sampling", new JsonObject()).put("roots", new JsonObject());
    JsonObject echo = call("echo", new JsonObject().put("message", "hello"));
    McpHttp.Session session =
        new McpHttp(bus.port(), "/mcp/everything").initialize("2025-11-25", can);
    List<List<String>> lists = new ArrayList<>();
    if (callsFirst) {
      result("everything", "tools/call", echo, can, name);
      session.call("tools/call", echo).result();
    }
    for (int i = 0; i < 2; i++) {
      lists.add(McpHttp.names(result("everything", "tools/list", NOTHING, can, name), "tools"));
      lists.add(McpHttp.names(session.call("tools/list", NOTHING).result(), "tools"));
      result("everything", "tools/call", echo, can, name);
      session.call("tools/call", echo).result();
    }
    assertThat(lists.get(0)).hasSizeGreaterThan(13).contains("trigger-elicitation-request");
    assertThat(lists).containsOnly(lists.get(0));
    session.end();
  }

  // ---- subscriptions

  private record Watched(String server, String uri, String tool, JsonObject arguments) {}

  private static Watched watched(String server, String client) {
    if (server.equals("everything")) {
      return new Watched(
          server, "demo://resource/dynamic/text/1", "toggle-subscriber-updates", NOTHING);
    }
    JsonObject entity =
        new JsonObject()
            .put("name", client)
            .put("entityType", "client")
            .put("observations", new JsonArray());
    return new Watched(
        server,
        "memory://knowledge-graph",
        "create_entities",
        new JsonObject().put("entities", new JsonArray().add(entity)));
  }

  @ParameterizedTest(name = "{0}, a client of the {1} era")
  @CsvSource({
    "memory, initialize",
    "memory, discover",
    "everything, initialize",
    "everything, discover"
  })
  void who_subscribes_sees_the_updates_that_his_own_calls_cause(String server, String era) {
    Watched what = watched(server, "watcher-" + era);
    JsonObject uri = new JsonObject().put("uri", what.uri());
    JsonObject change = call(what.tool(), what.arguments());
    if (era.equals("initialize")) {
      McpHttp.Session session = new McpHttp(bus.port(), "/mcp/" + server).initialize();
      try (McpHttp.Stream stream = session.listen()) {
        session.call("resources/subscribe", uri).result();
        session.call("tools/call", change).result();
        awaitUpdate(stream, what);
      }
      session.end();
    } else {
      JsonObject listen =
          request(
              "subscriptions/listen",
              new JsonObject()
                  .put(
                      "notifications",
                      new JsonObject()
                          .put("resourceSubscriptions", new JsonArray().add(what.uri()))),
              NOTHING,
              "watcher");
      try (McpHttp.Stream stream =
          new McpHttp(bus.port(), "/mcp/" + server).streamed(listen, McpHttp.headers(listen))) {
        await().until(() -> !stream.messages().isEmpty());
        result(server, "tools/call", change, NOTHING, "watcher");
        JsonObject update = awaitUpdate(stream, what);
        assertThat(
                update.getJsonObject("_meta").getString("io.modelcontextprotocol/subscriptionId"))
            .isEqualTo(listen.getString("id"));
      }
    }
  }

  private static JsonObject awaitUpdate(McpHttp.Stream stream, Watched what) {
    await().atMost(Duration.ofSeconds(60)).until(() -> stream.methods().contains(UPDATED));
    JsonObject update =
        stream.messages().stream()
            .filter(message -> UPDATED.equals(message.getString("method")))
            .findFirst()
            .orElseThrow()
            .getJsonObject("params");
    assertThat(update.getString("uri")).isEqualTo(what.uri());
    return update;
  }

  // ---- clients that come and go

  /** They leave without a word; the processes of those who are idle make room. */
  @Tag("long")
  @Test
  void clients_of_both_eras_come_and_go_and_none_is_refused() {
    int most = 0;
    for (int i = 0; i < MANY; i++) {
      String text;
      if (i % 2 == 0) {
        text = McpHttp.text(result("notes", "tools/call", note("n" + i), NOTHING, "c" + i));
      } else {
        McpHttp.Session session = new McpHttp(bus.port(), "/mcp/notes").initialize();
        text = McpHttp.text(session.call("tools/call", note("n" + i)).result());
      }
      assertThat(text).endsWith(": n" + i);
      if (i % 10 == 0) {
        most = Math.max(most, processes());
      }
    }
    assertThat(most).isLessThanOrEqualTo(64 + 12); // 64, those of other tests, and some that end
    System.out.println("clients: " + MANY + ", most processes at once: " + most);
  }

  private static int processes() {
    try (Stream<ProcessHandle> children = ProcessHandle.current().descendants()) {
      return (int) children.filter(ProcessHandle::isAlive).count();
    }
  }
}
