package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.mcpbus.security.Audit;
import dev.mcpbus.security.Audit.Decision;
import dev.mcpbus.security.Principal;
import dev.mcpbus.security.RequestSource;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Exactly one line for each call and each refusal, by every door. */
class AuditFaultsTest {

  private static List<JsonObject> lines(DoorBed bed, Predicate<JsonObject> which) {
    return bed.audit().stream().filter(which).toList();
  }

  private static JsonObject only(DoorBed bed, int before) {
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> bed.audit().size() > before);
    assertThat(bed.audit()).hasSize(before + 1);
    JsonObject line = bed.audit().get(before);
    assertThat(line.getString("remote")).isEqualTo("127.0.0.1");
    return line;
  }

  private static String text(JsonObject line) {
    return String.join(
        " ",
        line.getString("principal"),
        line.getString("door"),
        line.getString("operation"),
        line.getString("action"),
        line.getString("server"),
        line.getString("tool"),
        line.getString("decision"),
        line.getString("code"));
  }

  @Test
  void a_call_is_one_line_whichever_way_it_takes() {
    try (DoorBed bed = new DoorBed(DoorBed.policies())) {
      String[] alice = DoorBed.as(DoorBed.ALICE);
      int before = bed.audit().size();
      bed.send("POST", "/api/servers/a/tools/read_one", "{}", alice);
      assertThat(text(only(bed, before++)))
          .isEqualTo("alice api callTool call a read_one allow OK");

      String call = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":%s}";
      bed.send("POST", "/rpc", String.format(call, "{\"name\":\"a:read_one\"}"), alice);
      assertThat(text(only(bed, before++)))
          .isEqualTo("alice rpc tools/call call a read_one allow OK");

      // A server and another one before the colon: the first question is no call.
      String both = "{\"name\":\"a:read_one\",\"serverId\":\"b\"}";
      bed.send("POST", "/rpc", String.format(call, both), alice);
      assertThat(text(only(bed, before++)))
          .isEqualTo("alice rpc tools/call call a read_one allow OK");

      bed.discover("/mcp", "tools/call", new JsonObject().put("name", "a__read_one"), alice);
      assertThat(text(only(bed, before++)))
          .isEqualTo("alice mcp tools/call call a read_one allow OK");

      McpHttp.Session session = bed.mcp("/mcp").initialize("2025-11-25", new JsonObject(), alice);
      before = bed.audit().size();
      session.call("tools/call", new JsonObject().put("name", "a__read_one"));
      assertThat(text(only(bed, before++)))
          .isEqualTo("alice mcp tools/call call a read_one allow OK");

      bed.send("POST", "/api/servers/a/tools/delete_all", "{}", alice);
      assertThat(text(only(bed, before++)))
          .isEqualTo("alice api callTool call a delete_all deny UNKNOWN_TOOL");

      JsonObject denied = new JsonObject().put("name", "a__delete_all");
      bed.discover("/mcp", "tools/call", denied, alice);
      assertThat(text(only(bed, before++)))
          .isEqualTo("alice mcp tools/call call null a__delete_all deny DENIED");
      session.call("tools/call", denied);
      assertThat(text(only(bed, before)))
          .isEqualTo("alice mcp tools/call call null a__delete_all deny DENIED");
    }
  }

  @Test
  void a_call_that_went_wrong_says_so_by_every_door() {
    try (DoorBed bed = new DoorBed(DoorBed.keys())) {
      bed.add(
          "c",
          (method, params, connection) ->
              switch (method) {
                case "tools/list" ->
                    "\"result\":{\"tools\":[{\"name\":\"fail\",\"inputSchema\":"
                        + "{\"type\":\"object\"}}],\"ttlMs\":60000}";
                case "tools/call" -> ScriptedPeer.error(-32603, "no luck");
                default -> null;
              });
      String[] alice = DoorBed.as(DoorBed.ALICE);
      JsonObject call = new JsonObject().put("name", "c__fail");
      McpHttp.Session session = bed.mcp("/mcp").initialize("2025-11-25", new JsonObject(), alice);
      try (Listening socket = new Listening(bed, DoorBed.ALICE, "c")) {
        int before = bed.audit().size();
        bed.send("POST", "/api/servers/c/tools/fail", "{}", alice);
        assertThat(text(only(bed, before++)))
            .isEqualTo("alice api callTool call c fail allow UPSTREAM_ERROR");
        String rpc = new JsonObject().put("name", "c:fail").encode();
        bed.send(
            "POST",
            "/rpc",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":" + rpc + "}",
            alice);
        assertThat(text(only(bed, before++)))
            .isEqualTo("alice rpc tools/call call c fail allow UPSTREAM_ERROR");
        bed.discover("/mcp", "tools/call", call, alice);
        assertThat(text(only(bed, before++)))
            .isEqualTo("alice mcp tools/call call c fail allow UPSTREAM_ERROR");
        session.call("tools/call", call);
        assertThat(text(only(bed, before++)))
            .isEqualTo("alice mcp tools/call call c fail allow UPSTREAM_ERROR");
        socket.send("mcp.c.tools.call", new JsonObject().put("name", "fail"), new JsonObject());
        assertThat(text(only(bed, before)))
            .isEqualTo("alice eventbus mcp.c.tools.call call c fail allow UPSTREAM_ERROR");
      }
    }
  }

  @Test
  void messages_of_a_socket_and_streams_have_their_lines() throws IOException {
    try (DoorBed bed = new DoorBed(DoorBed.policies())) {
      WebSocketClient client = bed.bus.vertx().createWebSocketClient();
      WebSocket socket =
          TestBus.await(
              client.connect(
                  new WebSocketConnectOptions()
                      .setHost("127.0.0.1")
                      .setPort(bed.bus.port())
                      .setURI("/eventbus/websocket")
                      .addHeader("X-Api-Key", DoorBed.ALICE.key())));
      assertThat(only(bed, 0).getString("code")).isEqualTo("OPEN");
      send(socket, "read_one");
      assertThat(text(only(bed, 1)))
          .isEqualTo("alice eventbus mcp.a.tools.call call a read_one allow OK");
      send(socket, "delete_all");
      assertThat(text(only(bed, 2)))
          .isEqualTo("alice eventbus mcp.a.tools.call call a delete_all deny DENIED");
      socket.close();
      assertThat(only(bed, 3).getString("code")).isEqualTo("END");

      McpHttp.Stream events = bed.mcp("/api/events").get(DoorBed.as(DoorBed.ALICE));
      JsonObject open = only(bed, 4);
      assertThat(open.getString("operation")).isEqualTo("streamEvents");
      assertThat(open.getString("code")).isEqualTo("OPEN");
      events.close();
      assertThat(only(bed, 5).getString("code")).isEqualTo("END");
    }
  }

  private static void send(WebSocket socket, String tool) {
    socket.writeTextMessage(
        new JsonObject()
            .put("type", "send")
            .put("address", "mcp.a.tools.call")
            .put("body", new JsonObject().put("name", tool))
            .put("replyAddress", "r")
            .encode());
  }

  @Test
  void each_refusal_before_a_route_is_one_line() throws IOException {
    try (DoorBed bed = new DoorBed(DoorBed.keys())) {
      int before = 0;
      bed.raw("GET /api/servers HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
      JsonObject host = only(bed, before++);
      assertThat(host.getString("operation")).isEqualTo("GET /api/servers");
      assertThat(host.getString("code")).isEqualTo("FORBIDDEN");

      bed.raw(
          "POST /health/../api/servers HTTP/1.1\r\nHost: localhost:PORT\r\nConnection: close\r\n\r\n");
      assertThat(only(bed, before++).getString("code")).isEqualTo("BAD_REQUEST");

      bed.send("GET", "/mcp", "");
      JsonObject unknown = only(bed, before++);
      assertThat(unknown.getString("door")).isEqualTo("mcp");
      assertThat(unknown.getString("code")).isEqualTo("UNAUTHORIZED");

      bed.send("POST", "/api/servers/a/restart", "", DoorBed.as(DoorBed.BOB));
      JsonObject admin = only(bed, before++);
      assertThat(admin.getString("operation")).isEqualTo("restart");
      assertThat(admin.getString("code")).isEqualTo("FORBIDDEN");

      bed.mcp("/mcp/nowhere").post("{}", DoorBed.as(DoorBed.BOB));
      assertThat(only(bed, before).getString("code")).isEqualTo("UNKNOWN_CONNECTION");
      assertThat(lines(bed, line -> line.encode().contains("mcpbus_"))).isEmpty();
    }
  }

  @Test
  void a_flood_of_refusals_is_a_line_and_a_count_each_second() {
    AtomicLong millis = new AtomicLong();
    Audit audit = new Audit(true, () -> Instant.ofEpochMilli(millis.get()), null);
    ListAppender<ILoggingEvent> seen = new ListAppender<>();
    seen.start();
    Logger logger = (Logger) LoggerFactory.getLogger(Audit.LOGGER);
    logger.addAppender(seen);
    try {
      for (int i = 0; i < 1_000; i++) {
        refuse(audit, "10.0.0.1", "GET /");
      }
      assertThat(seen.list).hasSize(1);
      millis.set(1_000);
      refuse(audit, "10.0.0.1", "GET /");
      assertThat(seen.list).hasSize(3);
      assertThat(seen.list.get(1).getFormattedMessage()).contains("\"count\":999");

      millis.set(2_000);
      for (int i = 0; i < 10_000; i++) {
        refuse(audit, "10.0.0." + i, "GET /" + i);
      }
      audit.flush();
      assertThat(seen.list).as("a hundred kinds, and one line for the others").hasSize(104);
      assertThat(seen.list.get(103).getFormattedMessage()).contains("\"count\":9900");

      for (int i = 0; i < 5; i++) {
        audit.line(
            new RequestSource("api", "10.0.0.1"),
            new Principal("ann"),
            "callTool",
            "call",
            "a",
            "t",
            Decision.ALLOW,
            "OK",
            0,
            0);
      }
      assertThat(seen.list).as("calls are never put together").hasSize(109);
    } finally {
      logger.detachAppender(seen);
    }
  }

  private static void refuse(Audit audit, String remote, String operation) {
    audit.line(
        new RequestSource("api", remote),
        null,
        operation,
        "connect",
        null,
        null,
        Decision.UNKNOWN,
        "UNAUTHORIZED",
        0,
        0);
  }
}
