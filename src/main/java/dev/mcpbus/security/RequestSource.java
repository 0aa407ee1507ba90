package dev.mcpbus.security;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;

/**
 * Where a request came from, for the audit log.
 *
 * @param door {@code api}, {@code rpc}, {@code eventbus}, {@code mcp} or {@code sse}
 * @param remote address without the port; empty where there is none
 */
public record RequestSource(String door, String remote) {

  private static final char SEPARATOR = ' ';

  public static RequestSource of(HttpServerRequest request) {
    String path = String.valueOf(request.path());
    int end = path.indexOf('/', 1);
    String first = path.isEmpty() ? "" : path.substring(1, end < 0 ? path.length() : end);
    String door =
        switch (first) {
          case "rpc", "eventbus", "mcp", "sse" -> first;
          default -> "api";
        };
    SocketAddress remote = request.remoteAddress();
    String host = remote == null ? null : remote.hostAddress();
    return new RequestSource(door, host == null ? "" : host);
  }

  /** In one text, which {@link #parse} reads back. */
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
