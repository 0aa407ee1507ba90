package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bridge.options.BridgeLimitOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.AuthOptions;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clients that stay connected and take nothing more, at the doors of a whole mcpbus. */
class StuckReaderFaultsTest {

  private static final String FILLER = "x".repeat(256 * 1024);

  private final DoorBed bed =
      new DoorBed(
          RecordCopy.with(
              RecordCopy.with(
                  BridgeOptions.DEFAULT.withPort(0), "receiveTimeout", Duration.ofMillis(500)),
              "limits",
              new BridgeLimitOptions(
                  8_192, 10, BridgeLimitOptions.share(10), 10, Duration.ofMillis(100), 0)),
          AuthOptions.NONE);

  @AfterEach
  void close() {
    bed.close();
  }

  /** Asks, reads the beginning of the answer and then nothing. */
  private Socket asking(String request, String begins) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), bed.bus.port());
    socket.setSoTimeout(10_000);
    socket
        .getOutputStream()
        .write(request.replace("PORT", "" + bed.bus.port()).getBytes(StandardCharsets.ISO_8859_1));
    byte[] head = socket.getInputStream().readNBytes(begins.length());
    assertThat(new String(head, StandardCharsets.ISO_8859_1)).isEqualTo(begins);
    return socket;
  }

  private static String get(String path, String headers) {
    return "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n" + headers + "\r\n";
  }

  /** What is written to a connection that the other side has closed fails, soon. */
  private void awaitCut(Socket socket, int... harmless) {
    Awaitility.await("the connection to be cut")
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              flood(Addresses.ALL_EVENTS, 1);
              try {
                for (int each : harmless) {
                  socket.getOutputStream().write(each);
                }
                return false;
              } catch (SocketException cut) {
                return true;
              }
            });
  }

  private void flood(String address, int count) {
    for (int i = 0; i < count; i++) {
      bed.bus
          .vertx()
          .eventBus()
          .publish(
              address, new JsonObject().put("type", "log").put("id", "a").put("filler", FILLER));
    }
  }

  @Test
  void case_100_a_reader_of_events_that_takes_nothing_is_cut_off() throws IOException {
    try (Socket stuck = asking(get("/api/events", ""), "HTTP/1.1 200")) {
      flood(Addresses.ALL_EVENTS, 100);
      awaitCut(stuck, '\n');
    }
  }

  @Test
  void case_100_a_peer_of_the_event_bus_that_takes_nothing_is_cut_off() throws IOException {
    String upgrade =
        String.join(
            "\r\n",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: MTIzNDU2Nzg5MDEyMzQ1Ng==",
            "");
    try (Socket stuck = asking(get("/eventbus/websocket", upgrade), "HTTP/1.1 101")) {
      byte[] frame =
          new JsonObject()
              .put("type", "register")
              .put("address", "mcp.events")
              .toBuffer()
              .getBytes();
      byte[] masked = new byte[frame.length + 6];
      masked[0] = (byte) 0x81;
      masked[1] = (byte) (0x80 | frame.length); // the mask is four zeros
      System.arraycopy(frame, 0, masked, 6, frame.length);
      stuck.getOutputStream().write(masked);
      flood(Addresses.ALL_EVENTS, 100);
      awaitCut(stuck, 0x89, 0x80, 0, 0, 0, 0); // a ping
    }
  }

  @Test
  void case_100_a_client_that_never_takes_its_answer_is_cut_off() throws IOException {
    bed.bus
        .vertx()
        .eventBus()
        .consumer(
            "mcp.huge.tools.list",
            asked -> asked.reply(new JsonObject().put("tools", FILLER.repeat(100)).toBuffer()));
    try (Socket stuck = asking(get("/api/servers/huge/tools", ""), "HTTP/1.1 200")) {
      awaitCut(stuck, '\n');
    }
  }
}
