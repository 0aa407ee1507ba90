package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.Methods;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.ServiceProcess;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A service with 256 MiB of heap, which ends at its first OutOfMemoryError. One caller, or one
 * server, makes it hold as much as it can; meanwhile another caller is served all the time.
 */
@Tag("release")
class BytesInFlightIT {

  private static final int MIB = 1 << 20;
  private static final int BODY = 15 * MIB;
  private static final int AT_ONCE = 30;
  private static final byte[] BLANKS = " ".repeat(64 * 1024).getBytes(StandardCharsets.US_ASCII);
  private static final String RESULT =
      "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"\"}]}}";

  private static final ApiKeys.Fresh ATTACKER = ApiKeys.generate(new SecureRandom());
  private static final ApiKeys.Fresh OTHER = ApiKeys.generate(new SecureRandom());

  @TempDir private Path folder;
  private final List<AutoCloseable> open = new ArrayList<>();
  private ServiceProcess service;
  private int port;

  private static JsonObject key(String name, ApiKeys.Fresh key) {
    return new JsonObject().put("name", name).put("hash", key.hash()).put("admin", true);
  }

  /** A server whose tool answers with 15 MiB. */
  private static void large(RawHttpServer.Request request, RawHttpServer.Peer peer)
      throws IOException {
    if (!request.calls(Methods.TOOLS_CALL)) {
      handshake(request, peer, "");
      return;
    }
    String result = RESULT.formatted(request.id());
    peer.head(
        "200 OK", "Content-Type: application/json", "Content-Length: " + (BODY + result.length()));
    for (int sent = 0; sent < BODY; sent += BLANKS.length) {
      peer.send(BLANKS);
    }
    peer.send(result);
  }

  private static void handshake(
      RawHttpServer.Request request, RawHttpServer.Peer peer, String instructions)
      throws IOException {
    if (request.calls(Methods.INITIALIZE)) {
      JsonObject result =
          new JsonObject()
              .put("protocolVersion", "2025-11-25")
              .put("capabilities", new JsonObject().put("tools", new JsonObject()))
              .put("serverInfo", new JsonObject().put("name", "s").put("version", "1"))
              .put("instructions", instructions);
      peer.json(
          new JsonObject()
              .put("jsonrpc", "2.0")
              .put("id", request.id())
              .put("result", result)
              .encode());
    } else if (request.calls(Methods.TOOLS_LIST)) {
      JsonObject tool =
          new JsonObject()
              .put("name", "t")
              .put("inputSchema", new JsonObject().put("type", "object"));
      peer.json(
          new JsonObject()
              .put("jsonrpc", "2.0")
              .put("id", request.id())
              .put("result", new JsonObject().put("tools", new JsonArray().add(tool)))
              .encode());
    } else if (request.id() >= 0 && request.method().equals("POST")) {
      peer.json(RawHttpServer.errorOf(request.id(), -32601, "no such method"));
    } else {
      peer.reply(request.method().equals("POST") ? "202 Accepted" : "405 No", "");
    }
  }

  private JsonObject remote(RawHttpServer.Answer answer) {
    RawHttpServer server = RawHttpServer.answering(answer);
    open.add(server);
    return new JsonObject().put("type", "http").put("url", server.url().toString());
  }

  @BeforeEach
  void start() throws IOException {
    String instructions = "a".repeat(8 * MIB);
    JsonObject servers =
        new JsonObject()
            .put("good", ShServer.good())
            .put("large", remote(BytesInFlightIT::large))
            .put("wordy", remote((request, peer) -> handshake(request, peer, instructions)));
    JsonObject auth =
        new JsonObject()
            .put("apiKeys", new JsonArray().add(key("mallory", ATTACKER)).add(key("bob", OTHER)));
    Path file = folder.resolve("mcp.json");
    Files.writeString(file, new JsonObject().put("mcpServers", servers).put("auth", auth).encode());
    service =
        ServiceProcess.start(
            folder,
            List.of("-Xmx256m", "-XX:+ExitOnOutOfMemoryError"),
            "-c",
            file.toString(),
            "-p",
            "0");
    open.add(service);
    port = service.early().port();
    Awaitility.await().until(() -> call("good", "{}").status() == 200);
  }

  @AfterEach
  void stop() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  private Http.Answer call(String server, String body) {
    return Http.post(
        port, "/api/servers/" + server + "/tools/echo", body, "X-Api-Key", OTHER.key());
  }

  /** The other caller: small calls, and one with a body of 2 MiB. */
  private void othersAreServed() {
    for (int i = 0; i < 5; i++) {
      assertThat(call("good", "{}").status()).as(service.errText()).isEqualTo(200);
    }
    String body = "{\"text\":\"" + "a".repeat(2 * MIB) + "\"}";
    assertThat(call("good", body).status()).as(service.errText()).isEqualTo(200);
  }

  private JsonObject limits() {
    return Http.get(port, "/api/nodes", "X-Api-Key", OTHER.key()).json().getJsonObject("limits");
  }

  private long used(String use) {
    return limits().getJsonObject("bytes." + use).getLong("used");
  }

  private void allIsGivenBack() {
    for (String use : List.of("requests", "results", "answers", "kept")) {
      // The page itself is an answer under way while it is made, or not yet.
      Awaitility.await().until(() -> used(use) < 64 * 1024);
    }
    assertThat(service.runs()).isTrue();
    assertThat(service.errText() + service.outText()).doesNotContain("OutOfMemory");
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(16 * 1024);
    socket.connect(new java.net.InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    open.add(socket);
    return socket;
  }

  private Socket request(String line, String... headers) throws IOException {
    Socket socket = connect();
    socket
        .getOutputStream()
        .write(
            (line
                    + " HTTP/1.1\r\nHost: localhost:"
                    + port
                    + "\r\nX-Api-Key: "
                    + ATTACKER.key()
                    + "\r\n"
                    + String.join("", headers)
                    + "\r\n")
                .getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  /** Writes until it is done or the service has closed the connection. */
  private void pour(Socket socket, byte[] piece, int bytes, AtomicLong poured) {
    Thread writer =
        new Thread(
            () -> {
              try {
                OutputStream out = socket.getOutputStream();
                for (int sent = 0; sent < bytes; sent += piece.length) {
                  out.write(piece);
                  poured.addAndGet(piece.length);
                }
              } catch (IOException refused) {
                // The service takes no more of it.
              }
            });
    writer.setDaemon(true);
    writer.start();
  }

  @Test
  void thirty_unfinished_bodies_of_15_mib() throws Exception {
    AtomicLong poured = new AtomicLong();
    for (String length : List.of("Content-Length: " + BODY, "Transfer-Encoding: chunked")) {
      for (int i = 0; i < AT_ONCE; i++) {
        boolean chunked = length.startsWith("T");
        Socket socket = request("POST /mcp", length, "\r\nContent-Type: application/json\r\n");
        if (chunked) {
          socket.getOutputStream().write("F00000\r\n".getBytes(StandardCharsets.US_ASCII));
        }
        pour(socket, BLANKS, BODY - MIB, poured);
      }
      othersAreServed();
    }
    assertThat(poured.get()).isGreaterThan(10 * MIB);
    othersAreServed();
    closeSockets();
    allIsGivenBack();
  }

  @Test
  void thirty_unfinished_messages_of_sockets() throws Exception {
    ByteBuffer frame = ByteBuffer.allocate(8 + 60 * 1024);
    // A text that goes on, then its parts; a mask of zeros leaves the bytes as they are.
    frame.put((byte) 0x00).put((byte) (0x80 | 126)).putShort((short) (60 * 1024)).putInt(0);
    AtomicLong poured = new AtomicLong();
    for (int i = 0; i < AT_ONCE; i++) {
      Socket socket =
          request(
              "GET /eventbus/websocket",
              "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n",
              "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n");
      assertThat(socket.getInputStream().read()).isEqualTo('H');
      byte[] first = frame.array().clone();
      first[0] = 0x01;
      socket.getOutputStream().write(first);
      pour(socket, frame.array(), BODY - MIB, poured);
    }
    for (int i = 0; i < 5; i++) {
      othersAreServed();
    }
    assertThat(poured.get()).isGreaterThan(2 * MIB);
    closeSockets();
    allIsGivenBack();
  }

  @Test
  void thirty_results_of_15_mib_that_are_read_and_not_read() throws Exception {
    for (boolean read : new boolean[] {true, false}) {
      List<Socket> callers = new ArrayList<>();
      for (int i = 0; i < AT_ONCE; i++) {
        callers.add(request("POST /api/servers/large/tools/t", "Content-Length: 2\r\n"));
        callers.get(i).getOutputStream().write("{}".getBytes(StandardCharsets.US_ASCII));
      }
      othersAreServed();
      int served = 0;
      for (Socket caller : callers) {
        byte[] head = caller.getInputStream().readNBytes(12);
        String status = new String(head, StandardCharsets.US_ASCII);
        assertThat(status).isIn("HTTP/1.1 200", "HTTP/1.1 503");
        served += status.endsWith("200") ? 1 : 0;
        if (read) {
          caller.close();
        }
      }
      assertThat(served).as("some have room").isPositive();
      othersAreServed();
    }
    closeSockets();
    allIsGivenBack();
  }

  @Test
  void thirty_lists_with_a_server_of_8_mib_of_instructions() throws Exception {
    Awaitility.await()
        .until(
            () ->
                "READY"
                    .equals(
                        Http.get(port, "/api/servers/wordy", "X-Api-Key", OTHER.key())
                            .json()
                            .getString("state")));
    for (String path : List.of("/api/servers", "/api/servers/wordy")) {
      for (int i = 0; i < AT_ONCE; i++) {
        request("GET " + path);
      }
      othersAreServed();
    }
    Http.Answer list = Http.get(port, "/api/servers", "X-Api-Key", OTHER.key());
    assertThat(list.body()).hasSizeLessThan(64 * 1024).contains("(8388608 characters)");
    closeSockets();
    allIsGivenBack();
  }

  private void begin(String text) throws IOException {
    byte[] body =
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
                + "\"2025-11-25\","
                + text
                + "}}")
            .getBytes(StandardCharsets.US_ASCII);
    Socket socket =
        request(
            "POST /mcp/good",
            "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n",
            "Content-Length: " + body.length + "\r\n");
    socket.setSoTimeout(20_000);
    socket.getOutputStream().write(body);
    assertThat(socket.getInputStream().read()).isEqualTo('H');
    socket.close();
  }

  @Test
  void thirty_sessions_of_clients_that_say_15_mib_about_themselves() throws Exception {
    String few = "\"clientInfo\":{\"name\":\"" + "a".repeat(12 * MIB) + "\",\"version\":\"1\"}";
    String many = "\"capabilities\":{\"x\":[" + "{},".repeat(4 * MIB) + "{}]}";
    for (String text : List.of(few, many)) {
      for (int i = 0; i < AT_ONCE; i++) {
        begin(text);
      }
      othersAreServed();
    }
    allIsGivenBack();
  }

  private void closeSockets() throws IOException {
    for (AutoCloseable each : open) {
      if (each instanceof Socket socket) {
        socket.close();
      }
    }
  }
}
