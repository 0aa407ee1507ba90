package dev.mcpbus.transport.http;

import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * Where requests go.
 *
 * @param host as in the URL, an IPv6 address in brackets
 * @param requestUri path and query
 */
record Endpoint(boolean tls, String host, int port, String requestUri) {

  /**
   * @throws IllegalArgumentException where it is no http(s) URL, or holds credentials
   */
  static Endpoint of(URI url) {
    String scheme = url.getScheme();
    boolean tls = "https".equalsIgnoreCase(scheme);
    String host = url.getHost();
    if (host == null || !(tls || "http".equalsIgnoreCase(scheme))) {
      throw new IllegalArgumentException("url must be http://host[:port]/path or https://...");
    }
    if (url.getRawUserInfo() != null) {
      throw new IllegalArgumentException(
          "url must not hold credentials: put them into an Authorization header");
    }
    int port = url.getPort() >= 0 ? url.getPort() : tls ? 443 : 80;
    String path = url.getRawPath() == null || url.getRawPath().isEmpty() ? "/" : url.getRawPath();
    return new Endpoint(
        tls, host, port, url.getRawQuery() == null ? path : path + "?" + url.getRawQuery());
  }

  /** Where a {@code Location} leads to, or null where that is no http(s) URL. */
  @Nullable Endpoint resolve(String location) {
    try {
      return of(URI.create(origin() + requestUri).resolve(URI.create(location)));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  boolean sameOrigin(Endpoint other) {
    return tls == other.tls && port == other.port && host.equalsIgnoreCase(other.host);
  }

  String origin() {
    return (tls ? "https://" : "http://") + host + ":" + port;
  }

  RequestOptions request(HttpMethod method) {
    return new RequestOptions()
        .setMethod(method)
        .setSsl(tls)
        .setHost(host)
        .setPort(port)
        .setURI(requestUri);
  }

  /** Without the query, which may hold a secret. */
  @Override
  public String toString() {
    int query = requestUri.indexOf('?');
    return origin() + (query < 0 ? requestUri : requestUri.substring(0, query));
  }
}
