package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.gateway.Peers;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that hang up while their calls wait in front of a server that is not there yet. */
class LeftClientsFaultsTest {

  private static final JsonObject CALL =
      new JsonObject().put("name", "left").put("arguments", new JsonObject());

  /** The method that the server answers only when it is told to. */
  private final AtomicReference<String> silent = new AtomicReference<>("");

  /** The connections on which it has asked for that. */
  private final List<Integer> silentAt = new CopyOnWriteArrayList<>();

  private final List<Socket> sockets = new ArrayList<>();

  private static String answer(String method) {
    return switch (method) {
      case "server/discover" -> ScriptedPeer.error(-32601, "no such method");
      case "initialize" -> ScriptedPeer.INITIALIZED;
      case "tools/list" -> Peers.tools("left", "stays");
      case "tools/call" -> Peers.text("done");
      default -> "\"result\":{}";
    };
  }

  /** The calls of tools in flight, on all connections to the server. */
  private static int calls(DoorBed bed) {
    Message<JsonObject> reply =
        TestBus.await(
            bed.bus
                .vertx()
                .eventBus()
                .request(Addresses.SERVERS_CALLS, new JsonObject().put("id", "o")));
    return (int)
        reply.body().getJsonArray("inFlight").stream()
            .filter(one -> "tools/call".equals(((JsonObject) one).getString("method")))
            .count();
  }

  /** While the server starts, and while it has not listed its tools. */
  @ParameterizedTest
  @ValueSource(strings = {"initialize", "tools/list"})
  void a_call_whose_client_leaves_while_it_waits_for_its_server_is_not_made(String method)
      throws Exception {
    try (DoorBed bed = new DoorBed(DoorBed.keys())) {
      ScriptedPeer peer =
          new ScriptedPeer(
              bed.bus.vertx(),
              (asked, params, connection) -> {
                if (!asked.equals(silent.get())) {
                  return answer(asked);
                }
                silentAt.add(connection);
                return null;
              });
      TestBus.await(
          TestOptions.add(
              bed.bus.bus(), new ConnectionId("o"), peer.transport(), ConnectionOptions.DEFAULT));
      bed.bus.awaitState("o", "READY");
      McpHttp mcp = bed.mcp("/mcp/o");
      McpHttp.Session session =
          mcp.initialize("2025-11-25", new JsonObject(), DoorBed.as(DoorBed.ALICE));
      McpHttp.Session dated =
          mcp.initialize("2025-03-26", new JsonObject(), DoorBed.as(DoorBed.ALICE));
      int before = peer.received(method).size();
      silent.set(method);
      peer.hangUp();
      await().until(() -> peer.received(method).size() == before + 1);

      JsonObject described = mcp.described("tools/call", CALL).put("id", 1);
      sockets.add(bed.post("/api/servers/o/tools/left", "{}"));
      JsonObject named = CALL.copy().put("name", "o:left");
      sockets.add(bed.post("/rpc", mcp.request("tools/call", named).encode()));
      sockets.add(bed.post("/mcp/o", described.encode(), McpHttp.headers(described)));
      sockets.add(bed.post("/mcp/o", mcp.request("tools/call", CALL).encode(), session.headers()));
      JsonArray batch = new JsonArray();
      batch.add(mcp.request("tools/call", CALL)).add(mcp.request("tools/call", CALL));
      sockets.add(bed.post("/mcp/o", batch.encode(), dated.headers()));
      await().until(() -> calls(bed) == 6);
      CompletableFuture<Integer> stays =
          CompletableFuture.supplyAsync(
              () ->
                  bed.send("POST", "/api/servers/o/tools/stays", "{}", DoorBed.as(DoorBed.ALICE))
                      .statusCode());
      await().until(() -> calls(bed) == 7);
      for (Socket socket : sockets) {
        socket.close();
      }
      long left = System.nanoTime();
      await().until(() -> System.nanoTime() - left > Duration.ofMillis(300).toNanos());

      silent.set("");
      List<JsonObject> asked = peer.received(method);
      for (int i = 0; i < silentAt.size(); i++) {
        Object id = asked.get(before + i).getValue("id");
        peer.say(silentAt.get(i), "{\"jsonrpc\":\"2.0\",\"id\":" + id + "," + answer(method) + "}");
      }
      assertThat(stays.get(60, TimeUnit.SECONDS)).isEqualTo(200);
      await().until(() -> calls(bed) == 0);
      assertThat(
              peer.received("tools/call").stream()
                  .map(one -> one.getJsonObject("params").getString("name")))
          .containsExactly("stays");
    }
  }
}
