package dev.mcpbus.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.TestOptions;
import dev.mcpbus.security.AccessControl;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.ApiKey;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.UpgradeRejectedException;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.junit5.VertxExtension;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A page's socket, which carries its key as a subprotocol. */
@ExtendWith(VertxExtension.class)
class SocketCredentialTest {

  private static final ApiKeys.Fresh KEY = ApiKeys.generate(new SecureRandom());

  private BridgeFixture bridge;

  /** A field, because Vert.x closes a client that is no longer referenced. */
  private WebSocketClient client;

  @BeforeEach
  void start(Vertx vertx) {
    AuthOptions auth =
        TestOptions.ofKeys(List.of(new ApiKey("page", KEY.hash(), Set.of(), false, null, null)));
    bridge =
        new BridgeFixture(
            vertx,
            new AccessControl(
                auth, InstantSource.system(), System::nanoTime, new SecureRandom(), () -> 0));
    client = vertx.createWebSocketClient();
  }

  private static String bearer(String key) {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    return "mcpbus.bearer." + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** The socket, or the status of the refusal. */
  private Object open(WebSocketConnectOptions options) throws Exception {
    options.setHost("127.0.0.1").setPort(bridge.port).setURI("/eventbus/websocket");
    try {
      return client
          .connect(options)
          .toCompletionStage()
          .toCompletableFuture()
          .get(60, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      return e.getCause() instanceof UpgradeRejectedException refused ? refused.getStatus() : e;
    }
  }

  private static WebSocketConnectOptions offering(String... protocols) {
    WebSocketConnectOptions options = new WebSocketConnectOptions();
    for (String protocol : protocols) {
      options.addSubProtocol(protocol);
    }
    return options;
  }

  @Test
  void a_socket_with_the_key_is_opened_and_the_key_is_not_repeated() throws Exception {
    Object opened = open(offering("mcpbus", bearer(KEY.key())));

    assertThat(opened).isInstanceOf(WebSocket.class);
    assertThat(((WebSocket) opened).subProtocol()).isEqualTo("mcpbus");
    assertThat(((WebSocket) opened).headers().toString()).doesNotContain("bearer");
  }

  @ParameterizedTest
  @ValueSource(strings = {"mcpbus", "mcpbus.bearer.", "mcpbus.bearer.!!!", "mcpbus.bearer.bm8"})
  void a_socket_without_a_good_key_is_refused(String protocol) throws Exception {
    assertThat(open(offering("mcpbus", protocol))).isEqualTo(401);
  }

  @Test
  void two_credentials_are_refused() throws Exception {
    assertThat(open(offering("mcpbus", bearer(KEY.key()), bearer(KEY.key())))).isEqualTo(401);
    assertThat(
            open(
                offering("mcpbus", bearer(KEY.key()))
                    .addHeader("Authorization", "Bearer " + KEY.key())))
        .isEqualTo(401);
  }

  @Test
  void a_request_that_opens_no_socket_carries_no_key_so() {
    assertThat(
            bridge
                .send(
                    HttpMethod.GET,
                    "/api/servers",
                    "",
                    MultiMap.caseInsensitiveMultiMap()
                        .add("Sec-WebSocket-Protocol", "mcpbus, " + bearer(KEY.key())))
                .status())
        .isEqualTo(401);
  }
}
