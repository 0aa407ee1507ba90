package dev.mcpbus.transport.socket;

import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.protocol.UrlPlace;
import io.vertx.core.net.SocketAddress;
import java.net.URI;
import java.util.Locale;

/** The address of a socket, and its text in error messages. */
record SocketTarget(SocketAddress address, boolean tls, String text) {

  /**
   * Parses the URL of a socket.
   *
   * @throws IllegalArgumentException if it is not the URL of a socket
   */
  static SocketTarget of(Sensitive whole) {
    URI url = URI.create(whole.reveal());
    String scheme = String.valueOf(url.getScheme()).toLowerCase(Locale.ROOT);
    return switch (scheme) {
      case "tcp", "tls" -> network(url, scheme);
      case "unix" -> file(url);
      default ->
          throw new IllegalArgumentException(
              "url must be tcp://host:port, tls://host:port or unix:///path.sock");
    };
  }

  private static SocketTarget network(URI url, String scheme) {
    String path = url.getRawPath() == null ? "" : url.getRawPath();
    UrlPlace place = UrlPlace.of(url);
    String host = place.host();
    if (host == null
        || place.port() < 1
        || place.port() > 65_535
        || url.getRawUserInfo() != null
        || url.getRawQuery() != null
        || url.getRawFragment() != null
        || !(path.isEmpty() || path.equals("/"))) {
      throw new IllegalArgumentException("url must be " + scheme + "://host:port and nothing more");
    }
    return new SocketTarget(
        SocketAddress.inetSocketAddress(place.port(), host.replaceAll("^\\[|]$", "")),
        scheme.equals("tls"),
        scheme + "://" + host + ":" + place.port());
  }

  private static SocketTarget file(URI url) {
    String path = url.getPath();
    if (url.getRawAuthority() != null
        || path == null
        || path.length() < 2
        || url.getRawFragment() != null) {
      throw new IllegalArgumentException(
          "url must be unix:///path.sock; with #/path it is HTTP over that socket");
    }
    return new SocketTarget(SocketAddress.domainSocketAddress(path), false, "unix://" + path);
  }
}
