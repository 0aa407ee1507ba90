package dev.mcpbus.security;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;

/**
 * The credential in the handshake of a WebSocket of a web page. A page can set no header there but
 * the subprotocols (RFC 6455, 1.9), so it offers {@code mcpbus}, which the server chooses, and
 * {@code mcpbus.bearer.} with the key or token in Base64 for URLs. Stateless.
 */
public final class SocketCredential {

  /** The subprotocol that the server chooses where a client offers it. */
  public static final String PROTOCOL = "mcpbus";

  private static final String BEARER = PROTOCOL + ".bearer.";
  private static final CharSequence PROTOCOLS =
      HttpHeaders.createOptimized("Sec-WebSocket-Protocol");

  private SocketCredential() {}

  /**
   * Each credential of a handshake in the form of an {@code Authorization} header; empty for other
   * requests. What is not Base64 becomes a credential that no principal has.
   */
  static List<String> of(HttpServerRequest request) {
    if (!request.headers().contains(PROTOCOLS)
        || !request.headers().contains(HttpHeaders.UPGRADE)) {
      return List.of();
    }
    return request.headers().getAll(PROTOCOLS).stream()
        .flatMap(offered -> Stream.of(offered.split(",", -1)))
        .map(String::strip)
        .filter(one -> one.startsWith(BEARER))
        .map(one -> "Bearer " + decoded(one.substring(BEARER.length())))
        .toList();
  }

  private static String decoded(String text) {
    try {
      return new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return "";
    }
  }
}
