package dev.mcpbus.security;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import java.util.List;

/**
 * Where a request came from, for the audit log. Immutable.
 *
 * @param door {@code api}, {@code rpc}, {@code eventbus}, {@code mcp} or {@code sse}
 * @param remote the client's address without the port; empty if unknown
 */
public record RequestSource(String door, String remote) {

  private static final List<String> OWN_PATHS = List.of("mcp", "rpc", "eventbus", "sse");
  private static final char SEPARATOR = ' ';

  public static RequestSource of(HttpServerRequest request) {
    String path = String.valueOf(request.path());
    String door = "api";
    for (String own : OWN_PATHS) {
      if (path.startsWith(own, 1)
          && (path.length() == own.length() + 1 || path.charAt(own.length() + 1) == '/')) {
        door = own;
      }
    }
    SocketAddress remote = request.remoteAddress();
    String host = remote == null ? null : remote.hostAddress();
    return new RequestSource(door, host == null ? "" : host);
  }

  /** The source as one text, which {@link #parse} reads back. */
  public String text() {
    return door + SEPARATOR + remote;
  }

  public static RequestSource parse(String text) {
    int cut = text.indexOf(SEPARATOR);
    return cut < 0
        ? new RequestSource(text, "")
        : new RequestSource(text.substring(0, cut), text.substring(cut + 1));
  }
}
