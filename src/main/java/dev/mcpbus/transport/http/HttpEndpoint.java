package dev.mcpbus.transport.http;

import dev.mcpbus.protocol.OutboundProxy;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.protocol.UrlPlace;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Future;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import java.net.URI;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The address to which requests are sent.
 *
 * @param host as in the URL, an IPv6 address in brackets
 * @param requestUri path and query
 * @param socket path of the Unix domain socket, or null for TCP
 * @param proxy through which the host is reached, or null
 */
record HttpEndpoint(
    boolean tls,
    String host,
    int port,
    String requestUri,
    @Nullable String socket,
    @Nullable OutboundProxy proxy) {

  private static final int MAX_REDIRECTS = 3;

  /**
   * @param url {@code http}, {@code https}, or {@code unix:///path.sock#/mcp}: HTTP over that
   *     socket, with the path of the fragment
   * @throws IllegalArgumentException if the URL has another form, or contains credentials
   */
  static HttpEndpoint of(Sensitive url) {
    return of(URI.create(url.reveal()), null);
  }

  /**
   * The same endpoint, reached through the proxy that is configured now.
   *
   * @param own of the server's entry; null for that of the environment
   * @return fails with a {@code TransportException} where the proxy cannot be used
   */
  Future<HttpEndpoint> through(@Nullable Sensitive own) {
    try {
      OutboundProxy through =
          socket == null ? OutboundProxy.of(URI.create(authority()), own) : null;
      return Future.succeededFuture(new HttpEndpoint(tls, host, port, requestUri, socket, through));
    } catch (IllegalArgumentException e) {
      return Future.failedFuture(
          new TransportException(
              Reason.CONNECT_FAILED, Reached.NO, String.valueOf(e.getMessage())));
    }
  }

  private static HttpEndpoint of(URI url, @Nullable OutboundProxy proxy) {
    String scheme = url.getScheme();
    if ("unix".equalsIgnoreCase(scheme)) {
      return ofSocket(url);
    }
    boolean tls = "https".equalsIgnoreCase(scheme);
    UrlPlace place = UrlPlace.of(url);
    String host = place.host();
    if (host == null || !(tls || "http".equalsIgnoreCase(scheme))) {
      throw new IllegalArgumentException("url must be http://host[:port]/path or https://...");
    }
    if (url.getRawUserInfo() != null) {
      throw new IllegalArgumentException(
          "url must not hold credentials: put them into an Authorization header");
    }
    int port = place.port() >= 0 ? place.port() : tls ? 443 : 80;
    String path = url.getRawPath() == null || url.getRawPath().isEmpty() ? "/" : url.getRawPath();
    String query = url.getRawQuery() == null ? "" : "?" + url.getRawQuery();
    return new HttpEndpoint(tls, host, port, path + query, null, proxy);
  }

  private static HttpEndpoint ofSocket(URI url) {
    String socket = url.getPath();
    String path = url.getRawFragment() == null ? "/" : url.getRawFragment();
    if (url.getRawAuthority() != null || socket == null || socket.isEmpty()) {
      throw new IllegalArgumentException("url of a socket must be unix:///path.sock#/path");
    }
    return new HttpEndpoint(
        false, "localhost", 80, path.startsWith("/") ? path : "/" + path, socket, null);
  }

  /**
   * The endpoint of a {@code Location} header, or null if that is not an http(s) URL. A server
   * behind a proxy that ends TLS writes http for its own https.
   */
  @Nullable HttpEndpoint resolve(String location) {
    try {
      URI target = URI.create(authority() + requestUri).resolve(URI.create(location));
      HttpEndpoint to = of(target, proxy);
      HttpEndpoint meant =
          tls && !to.tls ? of(URI.create("https" + target.toString().substring(4)), proxy) : to;
      if (sameOrigin(meant)) {
        return meant;
      }
      // A server behind a socket knows only the authority that our requests carry.
      return socket != null && to.authority().equals(authority())
          ? new HttpEndpoint(false, to.host, to.port, to.requestUri, socket, null)
          : to;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /**
   * Where a redirect leads within this origin.
   *
   * @param before how many redirects the same request has followed
   * @throws TransportException for one that is not followed
   */
  HttpEndpoint redirected(HttpClientResponse response, int before) throws TransportException {
    String location = response.getHeader(HttpHeaders.LOCATION);
    HttpEndpoint target = location == null ? null : resolve(location);
    int status = response.statusCode();
    boolean keepsBody = status == 307 || status == 308;
    if (target == null
        || !sameOrigin(target)
        || before >= MAX_REDIRECTS
        || !(keepsBody || response.request().getMethod().equals(HttpMethod.GET))) {
      throw HttpFailures.redirected(status, target);
    }
    return target;
  }

  boolean sameOrigin(HttpEndpoint other) {
    return tls == other.tls
        && port == other.port
        && host.equalsIgnoreCase(other.host)
        && Objects.equals(socket, other.socket);
  }

  /** Scheme, host and port; for a Unix domain socket its path. */
  String origin() {
    return socket == null ? authority() : "unix://" + socket;
  }

  /**
   * The host to which the connection goes, without brackets: that of the proxy, if there is one.
   */
  String connectsTo() {
    String to = proxy == null ? host : proxy.host();
    return to.startsWith("[") ? to.substring(1, to.length() - 1) : to;
  }

  private String authority() {
    return (tls ? "https://" : "http://") + host + ":" + port;
  }

  /**
   * The URI as the server sees it, without query: what a proof names (RFC 9449, section 4.2). A
   * standard port is left out, as in the {@code Host} header.
   */
  String proofUri() {
    boolean standard = port == (tls ? 443 : 80);
    int query = requestUri.indexOf('?');
    return (tls ? "https://" : "http://")
        + host
        + (standard ? "" : ":" + port)
        + (query < 0 ? requestUri : requestUri.substring(0, query));
  }

  RequestOptions request(HttpMethod method) {
    // Set the address here; otherwise Vert.x creates it from the host's text for every request.
    SocketAddress server =
        socket == null
            ? SocketAddress.inetSocketAddress(port, host)
            : SocketAddress.domainSocketAddress(socket);
    return new RequestOptions()
        .setMethod(method)
        .setSsl(tls)
        .setHost(host)
        .setPort(port)
        .setServer(server)
        .setURI(requestUri);
  }

  /** Omits the query, which may hold a secret. */
  @Override
  public String toString() {
    int query = requestUri.indexOf('?');
    String path = query < 0 ? requestUri : requestUri.substring(0, query);
    return origin() + (socket == null ? "" : "#") + path;
  }
}
