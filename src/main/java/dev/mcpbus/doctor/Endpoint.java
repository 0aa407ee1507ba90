package dev.mcpbus.doctor;

import dev.mcpbus.protocol.OutboundProxy;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.protocol.UrlPlace;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.SocketOptions;
import dev.mcpbus.transport.SseOptions;
import dev.mcpbus.transport.TlsOptions;
import dev.mcpbus.transport.TransportOptions;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where a server on a network is. Immutable; shows no query and no path of a socket, which may hold
 * a secret.
 *
 * @param url as configured
 * @param tlsOptions files for TLS, null for none
 * @param headers the names of the headers that are sent with each request
 * @param oauth whether the connection gets tokens by OAuth
 * @param ownProxy of the entry, null for none
 */
record Endpoint(
    URI url,
    Duration connectTimeout,
    @Nullable TlsOptions tlsOptions,
    Set<String> headers,
    boolean oauth,
    @Nullable Sensitive ownProxy) {

  private static final Set<String> HTTP = Set.of("http", "https");
  private static final Set<String> TLS = Set.of("https", "tls");

  /**
   * Empty for a server that has no address: a child process, a plug-in.
   *
   * @throws IllegalArgumentException if the URL cannot be read
   */
  static Optional<Endpoint> of(TransportOptions options) {
    if (options instanceof SseOptions sse) {
      return of(sse.http());
    }
    if (options instanceof HttpOptions http) {
      return Optional.of(
          new Endpoint(
              read(http.url()),
              http.connectTimeout(),
              http.tls(),
              http.headers().keySet(),
              http.oauth() != null,
              http.proxy()));
    }
    return options instanceof SocketOptions socket
        ? Optional.of(
            new Endpoint(
                read(socket.url()), socket.connectTimeout(), socket.tls(), Set.of(), false, null))
        : Optional.empty();
  }

  /**
   * The proxy through which it is reached, null for none.
   *
   * @throws IllegalArgumentException if its URL cannot be used
   */
  @Nullable OutboundProxy proxy(Map<String, String> variables) {
    return OutboundProxy.of(url, ownProxy, variables::get, System::getProperty);
  }

  private static URI read(Sensitive url) {
    return URI.create(url.reveal());
  }

  boolean isUnix() {
    return "unix".equals(scheme());
  }

  boolean isHttp() {
    return HTTP.contains(scheme());
  }

  boolean usesTls() {
    return TLS.contains(scheme());
  }

  private String scheme() {
    return String.valueOf(url.getScheme()).toLowerCase(Locale.ROOT);
  }

  /** The host as a name or an address, without brackets. */
  String host() {
    String host = String.valueOf(UrlPlace.of(url).host());
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  int port() {
    int port = UrlPlace.of(url).port();
    return port >= 0 ? port : usesTls() ? 443 : 80;
  }

  /** Host and port, as a person writes them. */
  String place() {
    return (host().indexOf(':') < 0 ? host() : "[" + host() + "]") + ":" + port();
  }

  /** The same place with another path. */
  URI at(String path) {
    return URI.create(scheme() + "://" + place() + path);
  }

  /** The path of an HTTP URL. */
  String path() {
    String path = url.getRawPath();
    return path == null || path.isEmpty() ? "/" : path;
  }

  @Override
  public String toString() {
    return isUnix() ? "unix socket" : scheme() + "://" + place() + (isHttp() ? path() : "");
  }
}
