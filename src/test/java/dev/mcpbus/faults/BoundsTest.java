package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bridge.options.BridgeLimitOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.http.UpgradeRejectedException;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each bound of {@code docs/bounds.md} that callers of several principals share: alice takes all
 * that she can get, and never gives back; bob is served all the same.
 */
class BoundsTest {

  /** One thing that is bounded, and how a caller takes one more of it. */
  enum Bound {
    SESSIONS_LEFT_WITHOUT_A_WORD(40, 40),
    SESSIONS_IN_USE(40, 12),
    PRIVATE_CONNECTIONS_LEFT_WITHOUT_A_WORD(70, 70),
    PRIVATE_CONNECTIONS_IN_USE(50, 48),
    CALLS_THAT_WAIT_FOR_THEIR_CLIENT(40, 40),
    TASKS_AT_WORK(40, 12),
    TASKS_THAT_ARE_OVER(40, 40),
    TASKS_THAT_WAIT_FOR_AN_ANSWER(40, 40),
    STREAMS_OF_SESSIONS(40, 12),
    STREAMS_OF_THE_OLDER_TRANSPORT(40, 12),
    STREAMS_THAT_LISTEN(40, 12),
    STREAMS_OF_EVENTS(40, 12),
    SOCKETS(40, 12),
    SUBSCRIPTIONS(1_010, 1_000),
    OFFERS(2_510, 2_500),
    QUESTIONS(70, 64);

    private final int tries;
    private final int served;

    /**
     * @param tries of alice
     * @param served so many of them at most
     */
    Bound(int tries, int served) {
      this.tries = tries;
      this.served = served;
    }
  }

  private static final int HOSTS = Runtime.getRuntime().availableProcessors();

  private static final JsonObject ANSWERS = new JsonObject().put("elicitation", new JsonObject());

  private static final JsonObject KNOWS_TASKS =
      new JsonObject()
          .put(
              "extensions",
              new JsonObject().put("io.modelcontextprotocol/tasks", new JsonObject()));

  private final List<McpHttp.Stream> streams = new ArrayList<>();

  /** Referenced, because Vert.x closes a client that is no longer, and its socket. */
  private final List<WebSocketClient> clients = new ArrayList<>();

  private final ExecutorService callers = Executors.newCachedThreadPool();
  private int wishes;
  private @Nullable DoorBed bed;

  @AfterEach
  void close() {
    streams.forEach(McpHttp.Stream::close);
    if (bed != null) {
      bed.close();
    }
    callers.shutdownNow();
  }

  /** Sixteen of each thing, of each host; what is bounded for itself has its own bound. */
  private DoorBed bed(Bound bound) {
    boolean connections = bound.name().startsWith("PRIVATE");
    boolean ofHosts =
        bound.name().startsWith("SESSIONS")
            || bound.name().startsWith("CALLS")
            || bound.name().startsWith("TASKS");
    GatewayOptions gateway =
        connections
            ? GatewayOptions.DEFAULT
            : ofHosts
                ? RecordCopy.with(GatewayOptions.DEFAULT, "maxSessions", 16)
                : RecordCopy.with(GatewayOptions.DEFAULT, "maxStreams", 16);
    BridgeLimitOptions limits =
        new BridgeLimitOptions(
            16_384, 4_096, BridgeLimitOptions.share(4_096), 16, Duration.ofSeconds(15), 0);
    DoorBed made =
        new DoorBed(
            RecordCopy.with(BridgeOptions.DEFAULT.withPort(0), "limits", limits),
            gateway,
            DoorBed.keys());
    bed = made;
    initialize(made, "old");
    switch (bound) {
      case SUBSCRIPTIONS -> resources(made);
      case QUESTIONS -> {
        asking(made);
        List.of(DoorBed.ALICE, DoorBed.BOB).forEach(who -> offers(made, who));
      }
      default -> {}
    }
    return made;
  }

  private static void initialize(DoorBed bed, String id) {
    String initialized =
        "\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{},\"tasks\":"
            + "{\"list\":{},\"cancel\":{},\"requests\":{\"tools\":{\"call\":{}}}}},"
            + "\"serverInfo\":{\"name\":\"peer\",\"version\":\"1\"}}";
    ScriptedPeer[] self = new ScriptedPeer[1];
    self[0] =
        new ScriptedPeer(
            bed.bus.vertx(),
            (method, params, connection) ->
                switch (method) {
                  case "server/discover" -> ScriptedPeer.error(-32601, "no such method");
                  case "initialize" -> initialized;
                  case "tools/list" ->
                      "\"result\":{\"tools\":["
                          + tool("now", "forbidden")
                          + ","
                          + tool("ask", "forbidden")
                          + ","
                          + tool("never", "optional")
                          + ","
                          + tool("asking", "optional")
                          + ","
                          + tool("soon", "optional")
                          + "]}";
                  case "tools/call" -> called(self[0], params.getString("name"), connection);
                  default -> null;
                });
    TestBus.await(
        TestOptions.add(
            bed.bus.bus(), new ConnectionId(id), self[0].transport(), ConnectionOptions.DEFAULT));
    bed.bus.awaitState(id, "READY");
  }

  /** A server whose resources may be subscribed to. */
  private static void resources(DoorBed bed) {
    String initialized =
        ScriptedPeer.INITIALIZED.replace(
            "\"capabilities\":{", "\"capabilities\":{\"resources\":{\"subscribe\":true},");
    ScriptedPeer peer =
        new ScriptedPeer(
            bed.bus.vertx(),
            (method, params, connection) ->
                switch (method) {
                  case "server/discover" -> ScriptedPeer.error(-32601, "no such method");
                  case "initialize" -> initialized;
                  case "resources/subscribe" -> "\"result\":{}";
                  default -> null;
                });
    TestBus.await(
        TestOptions.add(
            bed.bus.bus(), new ConnectionId("r"), peer.transport(), ConnectionOptions.DEFAULT));
    bed.bus.awaitState("r", "READY");
  }

  /** A discover server whose only tool asks, so that it is known for whom it does. */
  private static void asking(DoorBed bed) {
    bed.add(
        "q",
        (method, params, connection) ->
            switch (method) {
              case "tools/list" -> "\"result\":{\"tools\":[" + tool("ask", "forbidden") + "]}";
              case "tools/call" ->
                  "\"result\":{\"resultType\":\"input_required\",\"inputRequests\":{\"k\":{"
                      + "\"method\":\"elicitation/create\",\"params\":{\"message\":\"?\","
                      + "\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}}}}";
              default -> null;
            });
  }

  private static String tool(String name, String tasks) {
    return new JsonObject()
        .put("name", name)
        .put("inputSchema", new JsonObject().put("type", "object"))
        .put("execution", new JsonObject().put("taskSupport", tasks))
        .encode();
  }

  private static @Nullable String called(ScriptedPeer peer, String tool, int connection) {
    switch (tool) {
      case "ask", "asking" ->
          peer.say(
              connection,
              "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"elicitation/create\",\"params\":{"
                  + "\"message\":\"?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{}}}}");
      case "never" -> {}
      default -> {
        return "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"done\"}]}";
      }
    }
    return null;
  }

  @Tag("long")
  @ParameterizedTest
  @EnumSource(Bound.class)
  void one_caller_who_takes_all_that_he_gets_does_not_keep_another_out(Bound bound) {
    DoorBed door = bed(bound);
    int served = 0;
    for (int i = 0; i < bound.tries; i++) {
      served += takes(door, bound, DoorBed.ALICE) ? 1 : 0;
    }
    assertThat(served)
        .as("alice: %s", bound)
        .isBetween(
            bound.served == bound.tries ? served : 1, Math.max(bound.served, atLeast(bound)));
    if (bound == Bound.PRIVATE_CONNECTIONS_LEFT_WITHOUT_A_WORD) {
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> connections(door).getInteger("inUse") <= 48);
    }
    if (bound == Bound.TASKS_THAT_WAIT_FOR_AN_ANSWER) {
      assertThat(connections(door).getInteger("used"))
          .as("who makes room gives his connection back")
          .isLessThanOrEqualTo(16 + HOSTS);
    }
    assertThat(takes(door, bound, DoorBed.BOB)).as("bob").isTrue();
    assertThat(takes(door, bound, DoorBed.BOB)).as("bob again").isTrue();
  }

  @Test
  void sockets_that_are_opened_at_once_are_refused_before_their_upgrade() {
    DoorBed door = bed(Bound.SOCKETS);
    List<Future<WebSocket>> opening =
        IntStream.range(0, Bound.SOCKETS.tries)
            .mapToObj(i -> connect(door, DoorBed.ALICE))
            .toList();
    TestBus.await(Future.join(opening).otherwiseEmpty());
    assertThat(opening.stream().filter(Future::succeeded)).hasSize(Bound.SOCKETS.served);
    assertThat(takes(door, Bound.SOCKETS, DoorBed.BOB)).as("bob").isTrue();
  }

  /** Sixteen are spread over the hosts, and of each host's three quarters are one's own. */
  private static int atLeast(Bound bound) {
    int each = Math.max(1, 16 / HOSTS);
    return bound.served == 12 ? Math.max(12, HOSTS * Math.max(1, each * 3 / 4)) : bound.served;
  }

  private static JsonObject connections(DoorBed door) {
    return door.bus
        .<JsonObject>request("mcp.servers.nodes", new JsonObject())
        .getJsonObject("limits")
        .getJsonObject("servers.privateConnections");
  }

  /** True where it was given. */
  private boolean takes(DoorBed door, Bound bound, ApiKeys.Fresh who) {
    return switch (bound) {
      case SESSIONS_LEFT_WITHOUT_A_WORD -> session(door, who) != null;
      case SESSIONS_IN_USE, STREAMS_OF_SESSIONS -> {
        McpHttp.Session session = session(door, who);
        yield session != null && isOpen(session.listen());
      }
      case PRIVATE_CONNECTIONS_LEFT_WITHOUT_A_WORD -> {
        McpHttp.Session session = session(door, who);
        yield session != null && isDone(session);
      }
      case PRIVATE_CONNECTIONS_IN_USE -> {
        McpHttp.Session session = session(door, who);
        yield session != null && isOpen(session.listen()) && isDone(session);
      }
      case CALLS_THAT_WAIT_FOR_THEIR_CLIENT ->
          "input_required".equals(discover(door, who, "old__ask", ANSWERS));
      case TASKS_AT_WORK -> "task".equals(discover(door, who, "old__never", KNOWS_TASKS));
      case TASKS_THAT_WAIT_FOR_AN_ANSWER ->
          "task".equals(discover(door, who, "old__asking", KNOWS_TASKS.copy().mergeIn(ANSWERS)));
      case TASKS_THAT_ARE_OVER -> "task".equals(discover(door, who, "old__soon", KNOWS_TASKS));
      case STREAMS_OF_THE_OLDER_TRANSPORT -> isOpen(door.mcp("/sse").get(DoorBed.as(who)));
      case STREAMS_THAT_LISTEN -> listens(door, who);
      case STREAMS_OF_EVENTS -> isOpen(door.mcp("/api/events").get(DoorBed.as(who)));
      case SOCKETS -> socket(door, who);
      case SUBSCRIPTIONS -> {
        String uri = new JsonObject().put("uri", "x:/" + wishes++).encode();
        yield post(door, who, "/api/servers/r/resources/subscribe", uri).statusCode() == 200;
      }
      case OFFERS -> offers(door, who);
      case QUESTIONS -> waits(door, who);
    };
  }

  private static HttpResponse<String> post(
      DoorBed door, ApiKeys.Fresh who, String path, String body) {
    return door.send("POST", path, body, DoorBed.as(who));
  }

  private static boolean offers(DoorBed door, ApiKeys.Fresh who) {
    JsonObject offer =
        new JsonObject()
            .put("capabilities", new JsonObject().put("elicitation", new JsonObject()))
            .put("ttl", 600_000);
    return post(door, who, "/api/offers", offer.encode()).statusCode() == 200;
  }

  /** Calls a tool that asks; true where the question waits, false where the call has failed. */
  private boolean waits(DoorBed door, ApiKeys.Fresh who) {
    int before = questions(door);
    CompletableFuture<HttpResponse<String>> call = new CompletableFuture<>();
    callers.execute(() -> call.complete(post(door, who, "/api/servers/q/tools/ask", "{}")));
    await()
        .pollInterval(Duration.ofMillis(5))
        .atMost(Duration.ofSeconds(60))
        .until(() -> call.isDone() || questions(door) > before);
    return !call.isDone();
  }

  private static int questions(DoorBed door) {
    return door.bus
        .<JsonObject>request("mcp.input.pending", new JsonObject())
        .getJsonArray("questions")
        .size();
  }

  private static McpHttp.@Nullable Session session(DoorBed door, ApiKeys.Fresh who) {
    McpHttp.Session session =
        door.mcp("/mcp").initialize("2025-11-25", new JsonObject(), DoorBed.as(who));
    return session.id().isEmpty() ? null : session;
  }

  private static boolean isDone(McpHttp.Session session) {
    return session
            .call("tools/call", new JsonObject().put("name", "old__now"))
            .response()
            .getJsonObject("result")
        != null;
  }

  private boolean isOpen(McpHttp.Stream stream) {
    streams.add(stream);
    return stream.status() == 200;
  }

  private static @Nullable String discover(
      DoorBed door, ApiKeys.Fresh who, String tool, JsonObject capabilities) {
    McpHttp mcp = door.mcp("/mcp");
    JsonObject request =
        mcp.described(
            "tools/call",
            new JsonObject()
                .put("name", tool)
                .put("arguments", new JsonObject())
                .put(
                    "_meta",
                    new JsonObject()
                        .put("io.modelcontextprotocol/clientCapabilities", capabilities)));
    JsonObject answer = mcp.post(request, all(who, McpHttp.headers(request))).response();
    return answer.getJsonObject("result", new JsonObject()).getString("resultType");
  }

  private static String[] all(ApiKeys.Fresh who, String... headers) {
    return Stream.concat(Stream.of(DoorBed.as(who)), Stream.of(headers)).toArray(String[]::new);
  }

  private boolean listens(DoorBed door, ApiKeys.Fresh who) {
    McpHttp mcp = door.mcp("/mcp");
    JsonObject request =
        mcp.described(
            "subscriptions/listen",
            new JsonObject().put("notifications", new JsonObject().put("toolsListChanged", true)));
    return isOpen(mcp.streamed(request, all(who, McpHttp.headers(request))));
  }

  private boolean socket(DoorBed door, ApiKeys.Fresh who) {
    try {
      TestBus.await(connect(door, who));
      return true;
    } catch (UpgradeRejectedException refused) {
      return false;
    }
  }

  /** A socket on a connection of its own. */
  private Future<WebSocket> connect(DoorBed door, ApiKeys.Fresh who) {
    WebSocketConnectOptions options =
        new WebSocketConnectOptions()
            .setHost("127.0.0.1")
            .setPort(door.bus.port())
            .setURI("/eventbus/websocket")
            .addHeader("Authorization", "Bearer " + who.key());
    WebSocketClient client = door.bus.vertx().createWebSocketClient();
    clients.add(client);
    return client.connect(options);
  }
}
