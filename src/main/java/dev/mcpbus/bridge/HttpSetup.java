package dev.mcpbus.bridge;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bridge.options.BridgeTlsOptions;
import dev.mcpbus.bridge.options.BridgeTlsOptions.ClientCertificates;
import dev.mcpbus.internals.AcceptedTlsFactory;
import dev.mcpbus.internals.InboundConnection;
import dev.mcpbus.security.SocketCredential;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The options of the HTTP server: bounds, TLS and protocols. Stateless. */
final class HttpSetup {

  private static final int STREAMS_PER_CONNECTION = 100;

  /** Requests that an HTTP/2 client may cancel within the window; then its connection is closed. */
  private static final int RESETS = 200;

  private static final int RESETS_SECONDS = 30;

  private static final long HANDSHAKE_SECONDS = 5;
  private static final int FRAME_BYTES = 64 * 1024;

  private HttpSetup() {}

  /**
   * @param accepted receives each TLS connection before its handshake, on its event loop; Vert.x
   *     reports connections without TLS at once itself
   */
  static HttpServerOptions of(BridgeOptions options, Consumer<InboundConnection> accepted) {
    HttpServerOptions http =
        new HttpServerOptions()
            .setMaxHeaderSize(options.limits().maxHeaderBytes())
            .setMaxInitialLineLength(Math.min(8_192, options.limits().maxHeaderBytes()))
            .setMaxWebSocketFrameSize(FRAME_BYTES)
            .setMaxWebSocketMessageSize(options.maxBodyBytes())
            // A small compressed message could grow a thousandfold, and each socket has a window.
            .setPerFrameWebSocketCompressionSupported(false)
            .setPerMessageWebSocketCompressionSupported(false)
            .setInitialSettings(
                new Http2Settings()
                    .setMaxConcurrentStreams(STREAMS_PER_CONNECTION)
                    .setMaxHeaderListSize(options.limits().maxHeaderBytes()))
            .setHttp2RstFloodMaxRstFramePerWindow(RESETS)
            .setHttp2RstFloodWindowDuration(RESETS_SECONDS)
            .setHttp2RstFloodWindowDurationTimeUnit(TimeUnit.SECONDS)
            .addWebSocketSubProtocol(SocketCredential.PROTOCOL)
            // HTTP/1.1 only without TLS: browsers and common clients use HTTP/2 over TLS only.
            .setHttp2ClearTextEnabled(false)
            .setCompressionSupported(false);
    BridgeTlsOptions tls = options.tls();
    if (tls != null) {
      http.setSsl(true)
          .setUseAlpn(true)
          .setSslHandshakeTimeout(HANDSHAKE_SECONDS)
          .setSslEngineOptions(new AcceptedTlsFactory(accepted))
          .setKeyCertOptions(
              new PemKeyCertOptions()
                  .addCertPath(tls.certFile().toString())
                  .addKeyPath(tls.keyFile().toString()));
      Path authorities = tls.clientCaFile();
      if (authorities != null) {
        http.setTrustOptions(new PemTrustOptions().addCertPath(authorities.toString()))
            .setClientAuth(
                tls.clientCertificates() == ClientCertificates.REQUIRED
                    ? ClientAuth.REQUIRED
                    : ClientAuth.REQUEST);
      }
    }
    return http;
  }
}
