package dev.mcpbus.bridge;

import static dev.mcpbus.bridge.RawHttp2.DATA;
import static dev.mcpbus.bridge.RawHttp2.END_HEADERS;
import static dev.mcpbus.bridge.RawHttp2.END_STREAM;
import static dev.mcpbus.bridge.RawHttp2.HEADERS;
import static dev.mcpbus.bridge.RawHttp2.RST_STREAM;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bridge.options.BridgeTlsOptions;
import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.testing.Certificates;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies and answers of one HTTP/2 connection are paid for like those of many. */
@ExtendWith(VertxExtension.class)
class Http2BytesTest {

  private static final int KIB = 1024;
  private static final String CALL = "/api/servers/alpha/tools/t";
  private static final byte[] CANCEL = {0, 0, 0, 8};

  // NullAway does not see that each test calls open().
  @SuppressWarnings("NullAway.Init")
  private BridgeFixture bridge;

  @SuppressWarnings("NullAway.Init")
  private ByteBudget budget;

  @TempDir private Path folder;

  @SuppressWarnings("NullAway.Init")
  private Path certificate;

  private void open(Vertx vertx) {
    budget = ByteBudget.of(vertx);
    budget.limit(4 * KIB * KIB);
    Certificates certificates = new Certificates(folder).selfSigned("front", "dns:localhost");
    certificate = certificates.certificate("front", "front.crt");
    BridgeTlsOptions tls =
        new BridgeTlsOptions(certificate, certificates.key("front", "front.key"));
    bridge =
        new BridgeFixture(vertx, RecordCopy.with(BridgeOptions.DEFAULT.withPort(0), "tls", tls));
    bridge.on("mcp.alpha.tools.call", "{\"content\":\"" + "a".repeat(300 * KIB) + "\"}");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void unfinished_bodies_of_one_connection_take_the_share_of_their_caller(
      boolean announced, Vertx vertx) throws Exception {
    open(vertx);
    try (RawHttp2 http = RawHttp2.connect(bridge.port, certificate)) {
      for (int stream = 1; stream < 60; stream += 2) {
        byte[] head =
            announced
                ? http.head("POST", CALL, "content-length", "" + 500 * KIB)
                : http.head("POST", CALL);
        http.send(HEADERS, END_HEADERS, stream, head);
        http.send(DATA, 0, stream, new byte[2 * KIB]);
      }
      http.flush();
      Awaitility.await().until(() -> budget.used() >= (announced ? 500L : 60L) * KIB);
      assertThat(budget.used()).isLessThan(1_100 * KIB);
      http.send(HEADERS, END_HEADERS, 61, http.head("POST", CALL, "content-length", "2"));
      http.send(DATA, END_STREAM, 61, (byte) '{', (byte) '}');
      http.flush();
      Awaitility.await().until(() -> bridge.seen.size() == 1);
      for (int stream = 1; stream < 60; stream += 2) {
        http.send(RST_STREAM, 0, stream, CANCEL);
      }
      http.flush();
      Awaitility.await().until(() -> budget.used() < 400 * KIB);
    }
    Awaitility.await().until(() -> budget.used() == 0);
  }

  @Test
  void answers_for_which_no_window_is_opened_take_the_share_of_their_caller(Vertx vertx)
      throws Exception {
    open(vertx);
    try (RawHttp2 http = RawHttp2.connect(bridge.port, certificate)) {
      for (int stream = 1; stream < 100; stream += 2) {
        http.send(HEADERS, END_HEADERS, stream, http.head("POST", CALL, "content-length", "2"));
        http.send(DATA, END_STREAM, stream, (byte) '{', (byte) '}');
      }
      http.flush();
      Awaitility.await().until(() -> bridge.seen.size() == 50);
      Awaitility.await().until(() -> budget.used() > 250 * KIB);
      assertThat(budget.used()).isLessThan(1_100 * KIB);
    }
    Awaitility.await().until(() -> budget.used() == 0);
  }
}
