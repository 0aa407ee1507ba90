package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.gateway.Peers;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.Standstill;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Requests that wait in the buffers of sockets while this process stands still: their clients have
 * hung up, or their time is over, when it goes on.
 */
class HungUpFaultsTest {

  private static final JsonObject CALL =
      new JsonObject().put("name", "one").put("arguments", new JsonObject());

  private static @Nullable String answer(String method, JsonObject params, int connection) {
    return switch (method) {
      case "tools/list" -> Peers.tools("one", "marker");
      case "tools/call" -> Peers.text("done");
      default -> null;
    };
  }

  /** The same call by each door; every entry opens a socket of its own. */
  private interface Call {
    Socket make() throws IOException;
  }

  private static Map<String, Call> doors(DoorBed bed, McpHttp.Session session) {
    McpHttp mcp = bed.mcp("/mcp/o");
    JsonObject described = mcp.described("tools/call", CALL).put("id", 1);
    JsonObject inSession = mcp.request("tools/call", CALL).put("id", 2);
    JsonObject rpc = mcp.request("tools/call", CALL.copy().put("name", "o:one")).put("id", 3);
    JsonObject named = CALL.copy().put("name", "o__one");
    JsonObject ofAll = bed.mcp("/mcp").described("tools/call", named).put("id", 4);
    return Map.of(
        "all servers",
        () -> bed.post("/mcp", ofAll.encode(), McpHttp.headers(ofAll)),
        "REST",
        () -> bed.post("/api/servers/o/tools/one", "{}"),
        "rpc",
        () -> bed.post("/rpc", rpc.encode()),
        "2026-07-28",
        () -> bed.post("/mcp/o", described.encode(), McpHttp.headers(described)),
        "initialize",
        () -> bed.post("/mcp/o", inSession.encode(), session.headers()));
  }

  private static List<String> called(ScriptedPeer peer) {
    return peer.received("tools/call").stream()
        .map(one -> one.getJsonObject("params").getString("name"))
        .toList();
  }

  @Test
  void a_call_whose_client_has_hung_up_while_it_waited_is_not_made() throws Exception {
    try (DoorBed bed = new DoorBed(DoorBed.keys())) {
      ScriptedPeer peer = Peers.initialize(bed.bus, "o", HungUpFaultsTest::answer);
      McpHttp.Session session =
          bed.mcp("/mcp/o").initialize("2025-11-25", new JsonObject(), DoorBed.as(DoorBed.ALICE));
      bed.send("POST", "/api/servers/o/tools/marker", "{}", DoorBed.as(DoorBed.ALICE));
      Map<String, Call> doors = doors(bed, session);
      try (Standstill standstill = new Standstill(bed.bus.vertx())) {
        for (Call door : doors.values()) {
          door.make().close();
        }
        standstill.last(Duration.ofMillis(700));
      }
      // What came before the marker has been made, or never is.
      bed.send("POST", "/api/servers/o/tools/marker", "{}", DoorBed.as(DoorBed.ALICE));
      Awaitility.await().until(() -> called(peer).size() >= 2);
      bed.mcp("/mcp/o").post(CALL); // one more round of all loops
      assertThat(called(peer)).containsExactly("marker", "marker");
    }
  }

  @Test
  void a_call_whose_client_waits_is_made_however_long_it_waited() throws Exception {
    try (DoorBed bed = new DoorBed(DoorBed.keys())) {
      ScriptedPeer peer = Peers.initialize(bed.bus, "o", HungUpFaultsTest::answer);
      McpHttp.Session session =
          bed.mcp("/mcp/o").initialize("2025-11-25", new JsonObject(), DoorBed.as(DoorBed.ALICE));
      for (Map.Entry<String, Call> door : doors(bed, session).entrySet()) {
        Socket socket;
        try (Standstill standstill = new Standstill(bed.bus.vertx())) {
          socket = door.getValue().make();
          standstill.last(Duration.ofMillis(700));
        }
        try (socket) {
          StringBuilder all = new StringBuilder();
          byte[] part = new byte[4_096];
          while (all.indexOf("done") < 0) {
            int read = socket.getInputStream().read(part);
            assertThat(read).as("%s: %s", door.getKey(), all).isPositive();
            all.append(new String(part, 0, read, StandardCharsets.UTF_8));
            assertThat(all).as(door.getKey()).startsWith("HTTP/1.1 200").doesNotContain("error");
          }
        }
      }
      assertThat(called(peer)).containsExactly("one", "one", "one", "one", "one");
    }
  }

  /** Its call has an answer already, 202: what it waits for comes over its stream. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_client_of_http_and_sse_waits_at_its_stream(boolean leaves) throws Exception {
    try (DoorBed bed = new DoorBed(DoorBed.keys())) {
      ScriptedPeer peer = Peers.initialize(bed.bus, "o", HungUpFaultsTest::answer);
      McpHttp.Stream stream = bed.mcp("/sse/o").get(DoorBed.as(DoorBed.ALICE));
      Awaitility.await().until(() -> !stream.events().isEmpty());
      McpHttp posts = bed.mcp(stream.events().get(0).data());
      JsonObject begin =
          new JsonObject()
              .put("protocolVersion", "2024-11-05")
              .put("capabilities", new JsonObject())
              .put("clientInfo", new JsonObject().put("name", "old").put("version", "1"));
      posts.post(posts.request("initialize", begin), DoorBed.as(DoorBed.ALICE));
      Awaitility.await().until(() -> stream.events().size() == 2);
      JsonObject call = posts.request("tools/call", CALL);
      Socket socket;
      try (Standstill standstill = new Standstill(bed.bus.vertx())) {
        socket = bed.post(stream.events().get(0).data(), call.encode());
        if (leaves) {
          stream.close();
        }
        standstill.last(Duration.ofMillis(700));
      }
      try (socket) {
        if (leaves) {
          bed.send("POST", "/api/servers/o/tools/marker", "{}", DoorBed.as(DoorBed.ALICE));
          bed.mcp("/mcp/o").post(CALL); // one more round of all loops
          assertThat(called(peer)).containsExactly("marker");
        } else {
          Awaitility.await().until(() -> stream.events().size() == 3);
          assertThat(stream.events().get(2).json().containsKey("result")).isTrue();
        }
      }
    }
  }

  @Test
  void a_request_whose_client_leaves_in_its_middle_or_behind_another_one_is_not_made()
      throws Exception {
    try (DoorBed bed = new DoorBed(DoorBed.keys())) {
      ScriptedPeer peer = Peers.initialize(bed.bus, "o", HungUpFaultsTest::answer);
      String head =
          "POST /api/servers/o/tools/one HTTP/1.1\r\nHost: localhost:"
              + bed.bus.port()
              + "\r\nAuthorization: Bearer "
              + DoorBed.ALICE.key()
              + "\r\nContent-Type: application/json\r\nContent-Length: ";
      try (Standstill standstill = new Standstill(bed.bus.vertx())) {
        for (String request :
            List.of(
                head + "4\r\n\r\n{}", // two bytes more would come
                head + "2\r\n\r\n{}" + head + "2\r\n\r\n{}" + head + "2\r\n\r\n{")) {
          try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), bed.bus.port())) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
          }
        }
        standstill.last(Duration.ofMillis(700));
      }
      bed.send("POST", "/api/servers/o/tools/marker", "{}", DoorBed.as(DoorBed.ALICE));
      bed.mcp("/mcp/o").post(CALL); // one more round of all loops
      assertThat(called(peer)).containsExactly("marker");
    }
  }
}
