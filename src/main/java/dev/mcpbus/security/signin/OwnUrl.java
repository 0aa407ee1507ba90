package dev.mcpbus.security.signin;

import dev.mcpbus.protocol.LoopbackHosts;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Our own URL as one request knows it: the issuer of its tokens, and the origin of our resources.
 *
 * @param base scheme, host and port, in lower case, without a default port
 */
record OwnUrl(String base) {

  /** The paths that resources may have, as in the metadata of protected resources. */
  private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9._~-]{1,128}){0,8}");

  private static final Set<String> DOTS = Set.of(".", "..");
  private static final int LONGEST = 512;

  /**
   * The configured URL, else the one by which the client addresses us, whose host the guard has
   * checked.
   */
  static OwnUrl of(HttpServerRequest request, @Nullable URI configured) {
    if (configured != null) {
      return new OwnUrl(origin(configured));
    }
    HostAndPort host = request.authority();
    String port = host == null || host.port() < 0 ? "" : ":" + host.port();
    return new OwnUrl(
        origin(URI.create(request.scheme() + "://" + (host == null ? "" : host.host()) + port)));
  }

  /**
   * Whether clients may take this for our URL: a name that nobody configured is known here alone.
   */
  boolean isKnown(@Nullable URI configured) {
    return configured != null || LoopbackHosts.contains(URI.create(base).getHost());
  }

  boolean isSecure() {
    return base.startsWith("https:");
  }

  /**
   * The identifier of one of our resources (RFC 8707, section 2), in one form; null if it is none.
   *
   * @param asked null for the whole of mcpbus
   */
  @Nullable String resource(@Nullable String asked) {
    if (asked == null) {
      return base;
    }
    if (asked.length() > LONGEST) {
      return null;
    }
    URI uri;
    try {
      uri = new URI(asked);
    } catch (URISyntaxException e) {
      return null;
    }
    if (uri.getHost() == null
        || uri.getRawUserInfo() != null
        || uri.getRawFragment() != null
        || uri.getRawQuery() != null
        || !origin(uri).equals(base)) {
      return null;
    }
    String path = uri.getRawPath();
    while (path.endsWith("/")) {
      path = path.substring(0, path.length() - 1);
    }
    boolean climbs = Stream.of(path.split("/", -1)).anyMatch(DOTS::contains);
    return PATH.matcher(path).matches() && !climbs ? base + path : null;
  }

  /** Whether a token for {@code resource} is good for a request to {@code path}. */
  boolean covers(String resource, String path) {
    if (!resource.startsWith(base)) {
      return false;
    }
    String own = resource.substring(base.length());
    return own.isEmpty()
        || path.equals(own)
        || (own.startsWith("/") && path.startsWith(own) && path.charAt(own.length()) == '/');
  }

  /** Scheme, host and port in one form. */
  static String origin(URI uri) {
    String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
    int port = uri.getPort();
    boolean standard = port < 0 || port == (scheme.equals("https") ? 443 : 80);
    return scheme
        + "://"
        + String.valueOf(uri.getHost()).toLowerCase(Locale.ROOT)
        + (standard ? "" : ":" + port);
  }
}
