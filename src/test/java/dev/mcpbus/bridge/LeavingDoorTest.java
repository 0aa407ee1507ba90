package dev.mcpbus.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bridge.BridgeFixture.Answer;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bridge.options.BridgeTlsOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.testing.Certificates;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The door of a node that ends soon and still serves. */
@ExtendWith(VertxExtension.class)
@Timeout(30)
class LeavingDoorTest {

  @TempDir static Path folder;

  /** The head of one response, in lower case; reads its body of {@code content-length} as well. */
  private static String response(BufferedReader in) throws IOException {
    StringBuilder head = new StringBuilder();
    int length = 0;
    for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
      String lower = line.toLowerCase(Locale.ROOT);
      if (lower.startsWith("content-length:")) {
        length = Integer.parseInt(lower.substring(15).strip());
      }
      head.append(lower).append('\n');
    }
    for (int i = 0; i < length; i++) {
      in.read();
    }
    return head.toString();
  }

  @Test
  void it_is_not_ready_and_says_why_but_lives(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.readiness.tell(List.of(), List.of(), 0);
    assertThat(bridge.get("/health/ready").status()).isEqualTo(200);
    bridge.readiness.leave();
    Answer leaving = bridge.get("/health/ready");
    assertThat(leaving.status()).isEqualTo(503);
    assertThat(leaving.json().getString("detail")).contains("is ending");
    bridge.readiness.tell(List.of(), List.of(), 0);
    assertThat(bridge.get("/health/ready").status()).as("told well again").isEqualTo(503);
    assertThat(bridge.get("/health/live").status()).isEqualTo(200);
  }

  @Test
  void a_request_of_an_open_connection_is_served_and_the_connection_ends(Vertx vertx)
      throws IOException {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.service();
    bridge.readiness.tell(List.of(), List.of(), 0);
    try (Socket socket = bridge.connect()) {
      OutputStream out = socket.getOutputStream();
      BufferedReader in =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
      byte[] request =
          ("GET /api/servers HTTP/1.1\r\nHost: localhost:" + bridge.port + "\r\n\r\n")
              .getBytes(StandardCharsets.US_ASCII);
      out.write(request);
      assertThat(response(in)).startsWith("http/1.1 200 ").doesNotContain("connection:");
      bridge.readiness.leave();
      out.write(request);
      assertThat(response(in)).startsWith("http/1.1 200 ").contains("connection: close");
      assertThat(in.read()).as("closed by the bridge").isEqualTo(-1);
    }
    assertThat(bridge.get("/api/servers").status()).as("over a new connection").isEqualTo(200);
  }

  @Test
  void over_http_2_it_says_goaway_and_loses_no_request_that_is_on_its_way(Vertx vertx)
      throws Exception {
    Certificates certificates = new Certificates(folder).selfSigned("front", "dns:localhost");
    Path certificate = certificates.certificate("front", "front.crt");
    BridgeFixture bridge =
        new BridgeFixture(
            vertx,
            RecordCopy.with(
                BridgeOptions.DEFAULT.withPort(0),
                "tls",
                new BridgeTlsOptions(certificate, certificates.key("front", "front.key"))));
    bridge.readiness.tell(List.of(), List.of(), 0);
    try (RawHttp2 http = RawHttp2.connect(bridge.port, certificate)) {
      http.get(1, "/health/live");
      http.flush();
      assertThat(Objects.requireNonNull(http.await(RawHttp2.HEADERS)).isOk()).isTrue();
      bridge.readiness.leave();
      http.get(3, "/health/live");
      http.get(5, "/health/live");
      http.flush();
      RawHttp2.Frame away = Objects.requireNonNull(http.await(RawHttp2.GO_AWAY), "GOAWAY");
      assertThat(away.error()).isZero();
      assertThat(away.payload().getInt(0)).as("last stream").isEqualTo(Integer.MAX_VALUE);
      for (int i = 0; i < 2; i++) {
        assertThat(Objects.requireNonNull(http.await(RawHttp2.HEADERS)).isOk()).isTrue();
      }
    }
  }
}
