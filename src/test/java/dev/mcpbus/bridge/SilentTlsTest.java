package dev.mcpbus.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bridge.options.BridgeLimitOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bridge.options.BridgeTlsOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.testing.Certificates;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Clients that open a connection to the TLS port and do not go on to HTTP. */
@ExtendWith(VertxExtension.class)
class SilentTlsTest {

  private static final int MAX = 20;

  @TempDir static Path folder;
  private static Path certificate;
  private static BridgeOptions options;

  @BeforeAll
  static void certificates() {
    Certificates certificates = new Certificates(folder).selfSigned("front", "dns:localhost");
    certificate = certificates.certificate("front", "front.crt");
    options =
        RecordCopy.with(
            BridgeOptions.DEFAULT.withPort(0),
            "tls",
            new BridgeTlsOptions(certificate, certificates.key("front", "front.key")));
  }

  private static void assertThatOthersAreServed(BridgeFixture bridge)
      throws IOException, GeneralSecurityException {
    try (RawHttp2 other = RawHttp2.connect(bridge.port, certificate)) {
      other.get(1, "/openapi.json");
      other.flush();
      RawHttp2.Frame head = Objects.requireNonNull(other.await(RawHttp2.HEADERS), "an answer");
      assertThat(head.isOk()).as("200").isTrue();
    }
  }

  @Test
  void handshakes_that_are_never_finished_are_counted_and_exclude_no_client(Vertx vertx)
      throws IOException, GeneralSecurityException {
    BridgeFixture bridge =
        new BridgeFixture(
            vertx,
            RecordCopy.with(
                options,
                "limits",
                new BridgeLimitOptions(16_384, MAX, MAX, 9, Duration.ofSeconds(9), 0)));
    List<SocketChannel> silent = new ArrayList<>();
    try {
      for (int i = 0; i < 10 * MAX; i++) {
        silent.add(
            SocketChannel.open(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), bridge.port)));
      }
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> bridge.bridge.connections() == MAX);
      assertThatOthersAreServed(bridge);
      assertThat(bridge.bridge.connections()).isLessThanOrEqualTo(MAX);
      for (SocketChannel ended : silent.subList(0, 9 * MAX)) {
        ended.socket().setSoTimeout(10_000);
        assertThat(isClosed(ended.socket())).isTrue();
      }
    } finally {
      for (SocketChannel channel : silent) {
        channel.close();
      }
    }
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> bridge.bridge.connections() == 0);
  }

  private static boolean isClosed(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (java.net.SocketException reset) {
      return true;
    }
  }

  @Test
  void a_connection_on_which_http_2_never_begins_ends(Vertx vertx)
      throws IOException, GeneralSecurityException {
    BridgeFixture bridge =
        new BridgeFixture(vertx, RecordCopy.with(options, "receiveTimeout", Duration.ofSeconds(3)));
    try (Socket socket = RawHttp2.secure(bridge.port, certificate, "h2")) {
      socket
          .getOutputStream()
          .write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      byte[] sent = socket.getInputStream().readAllBytes(); // until it closes, 20 s at most
      assertThat(sent).as("its settings").isNotEmpty();
    }
    assertThatOthersAreServed(bridge);
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> bridge.bridge.connections() == 0);
  }
}
