package dev.mcpbus.faults;

import static dev.mcpbus.faults.DoorBed.ALICE;
import static dev.mcpbus.faults.DoorBed.BOB;
import static dev.mcpbus.faults.DoorBed.ROOT;
import static dev.mcpbus.faults.DoorBed.as;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.observability.logging.LogLevels;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.security.Audit;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.Effect;
import dev.mcpbus.security.AuthOptions.Policy;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rights of operators are rights of something: of a server, or of all of them. */
class OperatorRightsTest {

  private static final String LEVELS = "/api/log-level";
  private static final String LOGGER = "dev.mcpbus.levels.Operator";

  private static Policy allow(String who, List<String> servers, List<String> tools) {
    return new Policy(List.of(who), servers, tools, Set.of(), Effect.ALLOW);
  }

  private static Policy deny(List<String> servers, List<String> tools) {
    return new Policy(List.of("root"), servers, tools, Set.of(), Effect.DENY);
  }

  /** Root administers server a alone, by what is allowed and by what is denied. */
  static Stream<AuthOptions> administratorsOfA() {
    return Stream.of(
        RecordCopy.with(
            DoorBed.keys(),
            "policies",
            List.of(
                allow("root", List.of("a"), List.of()),
                new Policy(
                    List.of("root"),
                    List.of(),
                    List.of(),
                    Set.of(Action.LIST, Action.METRICS),
                    Effect.ALLOW))),
        RecordCopy.with(
            DoorBed.keys(),
            "policies",
            List.of(
                allow("root", List.of(), List.of()),
                new Policy(
                    List.of("root"), List.of("b"), List.of(), Set.of(Action.ADMIN), Effect.DENY))));
  }

  @ParameterizedTest
  @MethodSource("administratorsOfA")
  void an_administrator_of_one_server_changes_and_reads_nothing_of_the_node(AuthOptions auth) {
    try (DoorBed bed = new DoorBed(auth)) {
      assertThat(bed.send("POST", "/api/servers/a/restart", "", as(ROOT)).statusCode())
          .isEqualTo(200);
      assertThat(bed.send("POST", "/api/servers/b/restart", "", as(ROOT)).statusCode())
          .isEqualTo(403);
      List<String> tried = new ArrayList<>();
      for (DoorBed.Route route : bed.routes()) {
        boolean ofSome =
            List.of("/api/servers", "/api/calls", "/api/rpc-log").contains(route.path())
                || route.path().startsWith("/api/servers/a");
        if (route.action().equals("admin") && !ofSome) {
          String body =
              route.path().equals(LEVELS)
                  ? "{\"logger\":\"" + LOGGER + "\",\"level\":\"OFF\"}"
                  : route.method().equals("GET") ? "" : "{\"id\":\"a\",\"text\":\"npx x\"}";
          HttpResponse<String> answer = bed.send(route.method(), route.path(), body, as(ROOT));
          assertThat(answer.statusCode()).as(route + " " + answer.body()).isEqualTo(403);
          assertThat(answer.body()).as(route.toString()).contains("all servers");
          tried.add(route.method() + " " + route.path());
        }
      }
      assertThat(tried).contains("GET " + LEVELS, "PUT " + LEVELS, "GET /api/config");
      assertThat(Objects.requireNonNull(LogLevels.find()).all()).doesNotContainKey(LOGGER);
      assertThat(bed.send("GET", "/api/nodes", "", as(ROOT)).statusCode()).isEqualTo(403);
      assertThat(bed.audit())
          .filteredOn(line -> line.getString("operation").equals("setLogger"))
          .extracting(line -> line.getString("decision") + " " + line.getString("code"))
          .containsExactly("deny FORBIDDEN");
    }
  }

  @ParameterizedTest
  @MethodSource("administratorsOfA")
  void the_calls_and_messages_that_he_reads_are_of_his_server_alone(AuthOptions auth)
      throws IOException {
    try (DoorBed bed = new DoorBed(auth);
        EventReader messages = new EventReader(bed, "/api/rpc-log", ROOT)) {
      messages.opened();
      for (String server : List.of("b", "a")) {
        bed.bus
            .vertx()
            .eventBus()
            .publish(Addresses.RPC, new JsonObject().put("server", server).put("message", "m"));
      }
      assertThat(messages.next().getString("server")).isEqualTo("a");
      JsonObject calls = new JsonObject(bed.send("GET", "/api/calls", "", as(ROOT)).body());
      for (String list : List.of("inFlight", "recent")) {
        assertThat(calls.getJsonArray(list))
            .allMatch(call -> ((JsonObject) call).getString("server").equals("a"));
      }
    }
  }

  @Test
  void a_change_of_levels_has_its_line_and_none_of_them_silences_the_audit_log() {
    try (DoorBed bed = new DoorBed(DoorBed.keys())) {
      LogLevels levels = Objects.requireNonNull(LogLevels.find());
      String before = levels.all().get(LogLevels.ROOT);
      try {
        for (String logger : List.of(Audit.LOGGER, "ROOT", "dev", "dev.mcpbus")) {
          String body = new JsonObject().put("logger", logger).put("level", "OFF").encode();
          HttpResponse<String> answer = bed.send("PUT", LEVELS, body, as(ROOT));
          boolean audit = logger.equals(Audit.LOGGER);
          assertThat(answer.statusCode()).as(logger).isEqualTo(audit ? 400 : 200);
          assertThat(answer.body()).contains(audit ? "auth.audit" : "\"" + logger + "\":\"OFF\"");
          assertThat(answer.body()).doesNotContain("\"" + Audit.LOGGER + "\":");
        }
        assertThat(bed.send("GET", LEVELS, "", as(ALICE)).statusCode()).isEqualTo(403);
        bed.send("POST", "/api/servers/a/tools/read_one", "{}", as(ROOT));
      } finally {
        levels.set("dev.mcpbus", null);
        levels.set("dev", null);
        levels.set(LogLevels.ROOT, before);
      }
      assertThat(bed.audit())
          .extracting(
              line ->
                  String.join(
                      " ",
                      line.getString("operation"),
                      line.getString("action"),
                      line.getString("decision"),
                      line.getString("code")))
          .containsSubsequence(
              "setLogger admin allow BAD_REQUEST",
              "setLogger admin allow OK",
              "setLogger admin allow OK",
              "setLogger admin allow OK",
              "getLoggers admin deny FORBIDDEN",
              "callTool call allow OK");
    }
  }

  @Test
  void the_metrics_of_all_servers_are_for_whom_nothing_in_them_is_denied() {
    Policy metrics =
        new Policy(List.of("root"), List.of(), List.of(), Set.of(Action.METRICS), Effect.ALLOW);
    for (Policy denial : List.of(deny(List.of("b"), List.of()), deny(List.of(), List.of("del*")))) {
      try (DoorBed bed =
          new DoorBed(RecordCopy.with(DoorBed.keys(), "policies", List.of(metrics, denial)))) {
        HttpResponse<String> answer = bed.send("GET", "/metrics", "", as(ROOT));
        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(answer.body()).contains("none that denies it");
      }
    }
    try (DoorBed bed = new DoorBed(RecordCopy.with(DoorBed.keys(), "policies", List.of(metrics)))) {
      assertThat(bed.send("GET", "/metrics", "", as(ROOT)).statusCode()).isNotEqualTo(403);
    }
  }

  /** Alice may use read_one of a alone, bob all of a. */
  private static DoorBed partly() {
    return new DoorBed(
        RecordCopy.with(
            DoorBed.keys(),
            "policies",
            List.of(
                allow("alice", List.of("a"), List.of("read_*")),
                allow("bob", List.of("a"), List.of()),
                allow("root", List.of(), List.of()))));
  }

  @Test
  void a_status_counts_and_names_no_tool_that_the_lists_of_the_caller_hide() {
    try (DoorBed bed = partly()) {
      bed.send("POST", "/api/servers/a/tools/read_one", "{}", as(ROOT)); // now it has listed them
      for (String path : List.of("/api/servers", "/api/servers/a", "/api/servers/a/status")) {
        JsonObject alice = statusOfA(bed.send("GET", path, "", as(ALICE)).body());
        assertThat(alice.getString("state")).as(path).isEqualTo("READY");
        assertThat(alice.fieldNames()).as(path).doesNotContain("tools", "toolsHash");
        JsonObject bob = statusOfA(bed.send("GET", path, "", as(BOB)).body());
        assertThat(bob.getInteger("tools")).as(path).isEqualTo(2);
        assertThat(bob.fieldNames()).as(path).contains("toolsHash");
      }
      try (Peer alice = new Peer(bed, ALICE);
          Peer bob = new Peer(bed, BOB)) {
        assertThat(alice.send("mcp.a.status").getJsonObject("body").fieldNames())
            .contains("state")
            .doesNotContain("tools", "toolsHash");
        assertThat(bob.send("mcp.a.status").getJsonObject("body").getInteger("tools")).isEqualTo(2);
      }
    }
  }

  private static JsonObject statusOfA(String body) {
    JsonObject json = new JsonObject(body);
    JsonArray servers = json.getJsonArray("servers");
    return servers == null ? json : servers.getJsonObject(0);
  }

  @Test
  void events_count_and_name_no_tool_that_the_lists_of_the_reader_hide() throws IOException {
    try (DoorBed bed = partly();
        EventReader alice = new EventReader(bed, "/api/events", ALICE);
        EventReader bob = new EventReader(bed, "/api/events", BOB);
        Peer alicePeer = new Peer(bed, ALICE);
        Peer bobPeer = new Peer(bed, BOB)) {
      alice.opened();
      bob.opened();
      alicePeer.listen("mcp.a.events");
      bobPeer.listen("mcp.a.events");
      JsonObject left = new JsonObject().put("delete_all", "why");
      List<JsonObject> facts =
          List.of(
              event(Events.SCHEMA_DRIFT).put("removed", new JsonArray().add("delete_all")),
              event(Events.SCHEMA_APPROVED).put("approved", left),
              event(Events.TOOLS_CHANGED).put("tools", 7).put("leftOut", left),
              event(Events.LOG).put("params", new JsonObject()));
      for (JsonObject fact : facts) {
        for (String address : List.of(Addresses.ALL_EVENTS, "mcp.a.events")) {
          bed.bus.vertx().eventBus().publish(address, fact);
        }
      }
      List<JsonObject> partly =
          List.of(event(Events.TOOLS_CHANGED), event(Events.LOG).put("params", new JsonObject()));
      assertThat(List.of(alice.next(), alice.next())).isEqualTo(partly);
      assertThat(List.of(alicePeer.next(), alicePeer.next())).isEqualTo(partly);
      for (JsonObject fact : facts) {
        assertThat(bob.next()).isEqualTo(fact);
        assertThat(bobPeer.next()).isEqualTo(fact);
      }
    }
  }

  private static JsonObject event(String type) {
    return new JsonObject().put("type", type).put("id", "a");
  }

  /** A reader of server-sent events. */
  private static final class EventReader implements AutoCloseable {
    private final Socket socket;
    private final BufferedReader lines;

    EventReader(DoorBed bed, String path, ApiKeys.Fresh key) throws IOException {
      socket = new Socket(InetAddress.getLoopbackAddress(), bed.bus.port());
      socket.setSoTimeout(20_000);
      String request =
          "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n\r\n"
              .formatted(path, bed.bus.port(), key.key());
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      lines =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    void opened() throws IOException {
      String line = lines.readLine();
      while (!line.startsWith("retry:")) {
        line = lines.readLine();
      }
    }

    JsonObject next() throws IOException {
      String line = lines.readLine();
      while (!line.startsWith("data: ")) {
        line = lines.readLine();
      }
      return new JsonObject(line.substring("data: ".length()));
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  /** A page at the event bus. */
  private static final class Peer implements AutoCloseable {
    private final BlockingQueue<JsonObject> frames = new LinkedBlockingQueue<>();
    private final WebSocketClient client;
    private final WebSocket socket;

    Peer(DoorBed bed, ApiKeys.Fresh key) {
      client = bed.bus.vertx().createWebSocketClient();
      socket =
          TestBus.await(
              client
                  .connect(
                      new WebSocketConnectOptions()
                          .setHost("127.0.0.1")
                          .setPort(bed.bus.port())
                          .setURI("/eventbus/websocket")
                          .addHeader("Authorization", "Bearer " + key.key()))
                  .onSuccess(open -> open.handler(frame -> frames.add(new JsonObject(frame)))));
    }

    JsonObject send(String address) {
      JsonObject frame = new JsonObject().put("type", "send").put("address", address);
      socket.writeTextMessage(
          frame.put("body", new JsonObject()).put("replyAddress", "r").encode());
      return frame();
    }

    void listen(String address) {
      socket.writeTextMessage(
          new JsonObject().put("type", "register").put("address", address).encode());
      send("mcp.a.status"); // the registration came before
    }

    JsonObject next() {
      return frame().getJsonObject("body");
    }

    private JsonObject frame() {
      try {
        return Objects.requireNonNull(frames.poll(60, TimeUnit.SECONDS), "a frame");
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void close() {
      client.close();
    }
  }
}
