package dev.mcpbus.faults;

import static dev.mcpbus.faults.DoorBed.ALICE;
import static dev.mcpbus.faults.DoorBed.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What policies leave of the event bus and of event streams: alice reads at a, and no more. */
class EventBusRightsTest {

  private final DoorBed bed = new DoorBed(DoorBed.policies());
  private final WebSocketClient client = bed.bus.vertx().createWebSocketClient();

  @AfterEach
  void close() {
    bed.close();
  }

  private final class Peer {
    private final BlockingQueue<JsonObject> frames = new LinkedBlockingQueue<>();
    private final WebSocket socket;

    Peer(ApiKeys.Fresh key) {
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

    JsonObject send(String address, JsonObject body) {
      return say(
          new JsonObject()
              .put("type", "send")
              .put("address", address)
              .put("body", body)
              .put("replyAddress", "r"));
    }

    JsonObject listen(String address) {
      return say(new JsonObject().put("type", "register").put("address", address));
    }

    private JsonObject say(JsonObject frame) {
      socket.writeTextMessage(frame.encode());
      return next();
    }

    JsonObject next() {
      try {
        JsonObject frame = frames.poll(60, TimeUnit.SECONDS);
        assertThat(frame).as("a frame").isNotNull();
        return frame;
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static JsonObject tool(String name) {
    return new JsonObject().put("name", name).put("arguments", new JsonObject());
  }

  @Test
  void a_peer_calls_what_he_may_and_is_refused_all_else() {
    Peer alice = new Peer(ALICE);
    assertThat(alice.send("mcp.a.tools.call", tool("read_one")).encode()).contains("done");
    assertThat(alice.send(Addresses.ALL_TOOLS_CALL, tool("a.read_one")).encode()).contains("done");
    assertThat(alice.send("mcp.a.status", new JsonObject()).encode()).contains("READY");
    List<JsonObject> refused =
        List.of(
            alice.send("mcp.a.tools.call", tool("delete_all")),
            alice.send("mcp.a.tools.call", tool("never_was")),
            alice.send("mcp.b.tools.call", tool("read_two")),
            alice.send(Addresses.ALL_TOOLS_CALL, tool("b.read_two")),
            alice.send("mcp.b.status", new JsonObject()),
            alice.send("mcp.never.status", new JsonObject()),
            alice.send("mcp.a.tools.list", new JsonObject()),
            alice.send(Addresses.ALL_TOOLS_LIST, new JsonObject()),
            alice.send(Addresses.SERVERS_LIST, new JsonObject()),
            alice.send("mcp.a.resources.subscribe", new JsonObject().put("uri", "x:")));
    assertThat(refused)
        .allSatisfy(
            answer -> {
              assertThat(answer.getString("type")).isEqualTo("err");
              assertThat(answer.encode()).contains("rejected").doesNotContain("done");
            });
    assertThat(new Peer(ROOT).send("mcp.b.tools.call", tool("read_two")).encode()).contains("done");
  }

  @Test
  void a_peer_hears_of_servers_that_he_sees() {
    Peer alice = new Peer(ALICE);
    assertThat(alice.listen(Addresses.ALL_EVENTS).encode()).contains("rejected");
    assertThat(alice.listen("mcp.b.events").encode()).contains("rejected");
    alice.socket.writeTextMessage(
        new JsonObject().put("type", "register").put("address", "mcp.a.events").encode());
    alice.send("mcp.a.status", new JsonObject()); // the registration came before
    JsonObject event = new JsonObject().put("type", "log").put("id", "a");
    bed.bus.vertx().eventBus().publish("mcp.a.events", event);
    assertThat(alice.next().getJsonObject("body")).isEqualTo(event);
  }

  @Test
  void an_event_stream_tells_of_servers_that_the_reader_sees() throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), bed.bus.port())) {
      socket.setSoTimeout(10_000);
      String request =
          "GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:"
              + bed.bus.port()
              + "\r\nAuthorization: Bearer "
              + ALICE.key()
              + "\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
      await(lines, "id: ");
      for (String id : List.of("b", "never", "a")) {
        bed.bus
            .vertx()
            .eventBus()
            .publish(Addresses.ALL_EVENTS, new JsonObject().put("type", "log").put("id", id));
      }
      assertThat(await(lines, "data: ")).contains("\"id\":\"a\"");
    }
  }

  private static String await(BufferedReader lines, String begins) throws IOException {
    String line = lines.readLine();
    while (!line.startsWith(begins)) {
      line = lines.readLine();
    }
    return line;
  }
}
