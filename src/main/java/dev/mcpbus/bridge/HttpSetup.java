package dev.mcpbus.bridge;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bridge.options.BridgeTlsOptions;
import dev.mcpbus.internals.AcceptedTlsFactory;
import dev.mcpbus.internals.InboundConnection;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** How Vert.x is to listen. */
final class HttpSetup {

  private static final int STREAMS_PER_CONNECTION = 100;

  /** Requests that a client of HTTP/2 may take back; then its connection ends. */
  private static final int RESETS = 200;

  private static final int RESETS_SECONDS = 30;

  private static final long HANDSHAKE_SECONDS = 5;
  private static final int FRAME_BYTES = 64 * 1024;

  private HttpSetup() {}

  /**
   * @param accepted hears of each connection before its TLS handshake, on its event loop; not of
   *     those without TLS, which Vert.x tells of as soon
   */
  static HttpServerOptions of(BridgeOptions options, Consumer<InboundConnection> accepted) {
    HttpServerOptions http =
        new HttpServerOptions()
            .setHost(options.host())
            .setPort(options.port())
            .setMaxHeaderSize(options.limits().maxHeaderBytes())
            .setMaxInitialLineLength(Math.min(8_192, options.limits().maxHeaderBytes()))
            .setMaxWebSocketFrameSize(FRAME_BYTES)
            .setMaxWebSocketMessageSize(options.maxBodyBytes())
            // A small message could grow to a thousand times its size, each socket's window on top.
            .setPerFrameWebSocketCompressionSupported(false)
            .setPerMessageWebSocketCompressionSupported(false)
            .setInitialSettings(
                new Http2Settings()
                    .setMaxConcurrentStreams(STREAMS_PER_CONNECTION)
                    .setMaxHeaderListSize(options.limits().maxHeaderBytes()))
            .setHttp2RstFloodMaxRstFramePerWindow(RESETS)
            .setHttp2RstFloodWindowDuration(RESETS_SECONDS)
            .setHttp2RstFloodWindowDurationTimeUnit(TimeUnit.SECONDS)
            // Without TLS HTTP/1.1 alone: nobody but attackers speaks HTTP/2 in the clear.
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
    }
    return http;
  }
}
