package dev.mcpbus.bridge;

import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;

/** How Vert.x is to listen. */
final class HttpSetup {

  private static final int STREAMS_PER_CONNECTION = 100;

  private static final long HANDSHAKE_SECONDS = 5;
  private static final int FRAME_BYTES = 64 * 1024;

  private HttpSetup() {}

  static HttpServerOptions of(BridgeOptions options) {
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
            // Without TLS HTTP/1.1 alone: nobody but attackers speaks HTTP/2 in the clear.
            .setHttp2ClearTextEnabled(false)
            .setCompressionSupported(false);
    BridgeTlsOptions tls = options.tls();
    if (tls != null) {
      http.setSsl(true)
          .setUseAlpn(true)
          // Until then a connection is not counted: Vert.x tells of it when it is secure.
          .setSslHandshakeTimeout(HANDSHAKE_SECONDS)
          .setKeyCertOptions(
              new PemKeyCertOptions()
                  .addCertPath(tls.certFile().toString())
                  .addKeyPath(tls.keyFile().toString()));
    }
    return http;
  }
}
