package dev.mcpbus.security.oauth;

import dev.mcpbus.protocol.LoopbackHosts;
import dev.mcpbus.protocol.UrlPlace;
import dev.mcpbus.security.oauth.OAuthException.OAuthFailure;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Decides whether mcpbus may connect to a URL that a server named, before anything is sent. Hosts
 * from the configuration are trusted; all addresses of any other host must be on the public
 * Internet. Thread-safe.
 */
public final class UrlGuard {

  /**
   * A checked URL and the addresses to one of which the connection must go; none where a proxy
   * looks the name up.
   */
  record Checked(URI url, List<InetAddress> addresses) {}

  /** Names of inner networks, which a proxy might know. */
  private static final Pattern INNER =
      Pattern.compile(
          "[^.]*+|.*\\.(?:local|localhost|internal|intranet|lan|home|corp|private|home\\.arpa)");

  private static final Pattern DOTTED_QUAD =
      Pattern.compile("(?:(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(?:\\.(?!$)|$)){4}");

  /**
   * Numeric hosts that some resolvers read as an IPv4 address: decimal, hexadecimal, octal, short.
   */
  private static final Pattern NUMERIC =
      Pattern.compile("(?:0x[0-9a-f]*|\\d+)(?:\\.(?:0x[0-9a-f]*|\\d+))*\\.?");

  private static final Pattern NAME =
      Pattern.compile(
          "[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*");

  private static final int MAX_URL = 2_048;

  private final Set<String> trusted = new HashSet<>();
  private final HostResolver resolver;

  /**
   * @param trusted URLs from the configuration: the MCP server, a pinned issuer, the identity
   *     provider
   */
  public UrlGuard(Collection<URI> trusted, HostResolver resolver) {
    this.resolver = resolver;
    for (URI url : trusted) {
      String host = host(url);
      if (!host.isEmpty()) {
        this.trusted.add(host);
      }
    }
    if (this.trusted.stream().anyMatch(LoopbackHosts::contains)) {
      this.trusted.addAll(LoopbackHosts.ALL);
    }
  }

  /**
   * Checks the form alone: scheme, host, no user. Sufficient for a URL that only a browser opens.
   *
   * @param what the URL is for, for the message
   */
  URI form(String url, String what) throws OAuthException {
    URI uri;
    try {
      uri = new URI(url);
    } catch (URISyntaxException e) {
      throw refused(what, "it is not well formed");
    }
    String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
    String host = host(uri);
    if (url.length() > MAX_URL || uri.isOpaque() || host.isEmpty()) {
      throw refused(what, "it is not an https URL with a host");
    }
    boolean loopback = LoopbackHosts.contains(host) && trusted.contains(host);
    if (!scheme.equals("https") && !(scheme.equals("http") && loopback)) {
      throw refused(what, "it is not https");
    }
    if (uri.getRawUserInfo() != null
        || uri.getRawFragment() != null
        || UrlPlace.of(uri).port() > 65_535) {
      throw refused(what, "it holds a user, a fragment or no valid port");
    }
    if (!host.startsWith("[")) {
      boolean quad = DOTTED_QUAD.matcher(host).matches();
      if (!quad && (NUMERIC.matcher(host).matches() || !NAME.matcher(host).matches())) {
        throw refused(what, "its host is an address in disguise");
      }
    }
    return uri;
  }

  /**
   * Checks the form and all addresses. The connection must go to one of the returned addresses.
   *
   * @param proxied whether a proxy makes the connection, and looks the name up: then a name that
   *     has no address here is the proxy's to decide, if it is not that of an inner network
   */
  Future<Checked> check(String url, String what, boolean proxied) {
    URI uri;
    try {
      uri = form(url, what);
    } catch (OAuthException e) {
      return Future.failedFuture(e);
    }
    String host = host(uri);
    boolean known = trusted.contains(host);
    if (known && proxied) {
      return Future.succeededFuture(new Checked(uri, List.of()));
    }
    return resolver
        .resolve(host.startsWith("[") ? host.substring(1, host.length() - 1) : host)
        .transform(
            (addresses, failure) -> {
              if (failure == null) {
                return choose(uri, addresses, known, what);
              }
              return proxied && !INNER.matcher(host).matches()
                  ? Future.succeededFuture(new Checked(uri, List.of()))
                  : OAuthFailure.UNREACHABLE.fails(what + ": host " + host + " is unknown");
            });
  }

  private static Future<Checked> choose(
      URI uri, List<InetAddress> addresses, boolean known, String what) {
    if (addresses.isEmpty()) {
      return OAuthFailure.UNREACHABLE.fails(what + ": the host has no address");
    }
    if (!known && !addresses.stream().allMatch(PublicAddressRule::isPublic)) {
      return Future.failedFuture(
          refused(
              what,
              "its host has an address that is not public; if it is right, name its authorization"
                  + " server as \"issuer\" in the configuration"));
    }
    return Future.succeededFuture(new Checked(uri, addresses));
  }

  private static String host(URI url) {
    String host = UrlPlace.of(url).host();
    return host == null ? "" : host.toLowerCase(Locale.ROOT);
  }

  private static OAuthException refused(String what, String why) {
    return new OAuthException(OAuthFailure.REFUSED_URL, what + " is refused: " + why);
  }
}
