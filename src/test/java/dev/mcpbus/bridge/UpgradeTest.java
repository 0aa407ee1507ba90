package dev.mcpbus.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bridge.options.BridgeLimitOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bridge.options.BridgeTlsOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.testing.Certificates;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Vertx;
import io.vertx.core.http.WebSocketClient;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that ask for another protocol than HTTP/1.1. */
@ExtendWith(VertxExtension.class)
class UpgradeTest {

  private static final String WEBSOCKET =
      String.join(
          "\r\n",
          "Connection: Upgrade",
          "Upgrade: websocket",
          "Sec-WebSocket-Version: 13",
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
          "");

  private static final String H2C =
      String.join(
          "\r\n",
          "Connection: Upgrade, HTTP2-Settings",
          "Upgrade: h2c",
          "HTTP2-Settings: AAMAAABkAAQAAP__",
          "");

  /** The preface of HTTP/2, and empty settings. */
  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0";

  @TempDir Path folder;

  private static BridgeFixture bridge(Vertx vertx) {
    return bridge(vertx, BridgeOptions.DEFAULT);
  }

  /** Closes what is idle for half a second, so that all that is answered has been read by then. */
  private static BridgeFixture bridge(Vertx vertx, BridgeOptions options) {
    BridgeFixture bridge =
        new BridgeFixture(
            vertx, RecordCopy.with(options.withPort(0), "receiveTimeout", Duration.ofMillis(500)));
    bridge.on("mcp.alpha.ping", "{}");
    return bridge;
  }

  private static String ping(BridgeFixture bridge, String headers) {
    return "POST /api/servers/alpha/ping HTTP/1.1\r\nHost: localhost:"
        + bridge.port
        + "\r\n"
        + headers
        + "Content-Length: 0\r\n\r\n";
  }

  private static String handshake(BridgeFixture bridge, String target, String headers) {
    return target + " HTTP/1.1\r\nHost: localhost:" + bridge.port + "\r\n" + headers;
  }

  @Test
  void http_2_in_the_clear_is_not_spoken(Vertx vertx) throws IOException {
    BridgeFixture bridge = bridge(vertx);

    assertThat(bridge.raw(PREFACE + ping(bridge, ""))).doesNotContain(" 200 ", " 101 ", "\0");
    assertThat(bridge.seen).isEmpty();
  }

  @Test
  void a_request_that_offers_h2c_is_one_of_http_1_and_no_preface_follows_it(Vertx vertx)
      throws IOException {
    BridgeFixture bridge = bridge(vertx);

    String answer = bridge.raw(ping(bridge, H2C) + PREFACE + ping(bridge, ""));

    assertThat(answer).startsWith("HTTP/1.1 200 ").doesNotContain(" 101 ");
    assertThat(bridge.seen).hasSize(1);
    assertThat(bridge.raw(ping(bridge, H2C + "Origin: null\r\n"))).startsWith("HTTP/1.1 403 ");
    assertThat(bridge.raw(ping(bridge, H2C).replace("alpha/ping", "alpha/../alpha/ping")))
        .startsWith("HTTP/1.1 400 ");
    assertThat(bridge.seen).hasSize(1);
  }

  @Test
  void over_tls_too_a_client_of_http_1_is_not_upgraded(Vertx vertx)
      throws IOException, GeneralSecurityException {
    Certificates certificates = new Certificates(folder).selfSigned("front", "dns:localhost");
    Path certificate = certificates.certificate("front", "front.crt");
    BridgeFixture bridge =
        bridge(
            vertx,
            RecordCopy.with(
                BridgeOptions.DEFAULT,
                "tls",
                new BridgeTlsOptions(certificate, certificates.key("front", "front.key"))));
    try (Socket socket = RawHttp2.secure(bridge.port, certificate, "http/1.1")) {
      socket
          .getOutputStream()
          .write(
              (ping(bridge, H2C) + PREFACE + ping(bridge, ""))
                  .getBytes(StandardCharsets.ISO_8859_1));
      assertThat(BridgeFixture.readAll(socket)).startsWith("HTTP/1.1 200 ").doesNotContain(" 101 ");
    }
    assertThat(bridge.seen).hasSize(1);
  }

  @Test
  void a_handshake_that_fails_gives_its_place_back(Vertx vertx) throws IOException {
    BridgeFixture bridge =
        bridge(
            vertx,
            RecordCopy.with(
                BridgeOptions.DEFAULT,
                "limits",
                new BridgeLimitOptions(
                    8_192, 100, BridgeLimitOptions.share(100), 1, Duration.ofSeconds(10), 0)));
    String odd = WEBSOCKET.replace("Version: 13", "Version: 12");
    String socket = "GET /eventbus/websocket";

    assertThat(bridge.raw(handshake(bridge, socket, odd) + "\r\n")).doesNotContain(" 101 ", "503");
    assertThat(bridge.raw(handshake(bridge, "GET /eventbus/none", WEBSOCKET) + "\r\n"))
        .doesNotContain(" 101 ", " 503 ");
    WebSocketClient client = vertx.createWebSocketClient();
    assertThat(TestBus.await(client.connect(bridge.port, "localhost", "/eventbus/websocket")))
        .isNotNull();
    assertThat(bridge.raw(handshake(bridge, socket, WEBSOCKET) + "\r\n"))
        .startsWith("HTTP/1.1 503 ");
    TestBus.await(client.close()); // and referenced until here, or Vert.x closes its socket
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Sec-WebSocket-Version: 13 -> Sec-WebSocket-Version: 12",
        "Sec-WebSocket-Version: 13\r\n -> ",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n -> ",
        "dGhlIHNhbXBsZSBub25jZQ== -> abc",
        "dGhlIHNhbXBsZSBub25jZQ== -> dGhlIHNhbXBsZSBub25jZQ",
        "Sec-WebSocket-Key: -> Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Key:",
        "Connection: Upgrade\r\n -> ",
        "Connection: Upgrade -> Connection: close",
        "Upgrade: websocket -> Upgrade: h2c, websocket",
        "Upgrade: websocket -> Upgrade: websocket\r\nUpgrade: h2c",
        "Upgrade: websocket -> Upgrade: websocket\r\nContent-Length: 5",
        "Upgrade: websocket -> Upgrade: websocket\r\nTransfer-Encoding: chunked",
        "Upgrade: websocket -> Upgrade: websocket\r\nOrigin: null"
      })
  void an_odd_handshake_opens_no_socket(String change, Vertx vertx) throws IOException {
    BridgeFixture bridge = bridge(vertx);
    String[] parts = change.split(" -> ", -1);
    String headers = WEBSOCKET.replace(parts[0], parts[1]);
    assertThat(headers).isNotEqualTo(WEBSOCKET);

    String answer = bridge.raw(handshake(bridge, "GET /eventbus/websocket", headers) + "\r\nhello");

    assertThat(answer).matches("(?s)HTTP/1.1 4\\d\\d .*").doesNotContain(" 101 ", " 200 ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "POST /eventbus/websocket",
        "CONNECT /eventbus/websocket",
        "GET /eventbus",
        "GET /eventbus/x/websocket",
        "GET /api/nothing",
        "GET /unknown"
      })
  void a_handshake_elsewhere_opens_no_socket(String target, Vertx vertx) throws IOException {
    BridgeFixture bridge = bridge(vertx);

    assertThat(bridge.raw(handshake(bridge, target, WEBSOCKET) + "\r\n"))
        .matches("(?s)HTTP/1.1 4\\d\\d .*");
  }

  @Test
  void what_is_pipelined_behind_a_handshake_is_no_request(Vertx vertx) throws IOException {
    BridgeFixture bridge = bridge(vertx);
    String handshake = handshake(bridge, "GET /eventbus/websocket", WEBSOCKET) + "\r\n";

    assertThat(bridge.raw(handshake + ping(bridge, ""))).doesNotContain(" 200 ");
    assertThat(bridge.raw(handshake + handshake).split(" 101 ", -1)).hasSizeLessThan(3);
    String body = ping(bridge, "");
    String refused =
        bridge.raw(
            handshake.replace(
                    "Upgrade: websocket", "Upgrade: websocket\r\nContent-Length: " + body.length())
                + body
                + body);
    assertThat(refused).startsWith("HTTP/1.1 400 ").doesNotContain(" 200 ");
    assertThat(bridge.seen).isEmpty();
  }
}
