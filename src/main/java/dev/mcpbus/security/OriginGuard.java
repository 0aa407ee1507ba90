package dev.mcpbus.security;

import dev.mcpbus.protocol.LoopbackHosts;
import dev.mcpbus.protocol.Printable;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.web.RoutingContext;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.StringJoiner;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests of foreign web pages, also if a hostile DNS name resolves to our address (DNS
 * rebinding): the {@code Host} must be one of ours, and so must the {@code Origin} if there is one.
 * Runs before every route, so that no 404 comes first. For HTTP/1.1 and HTTP/2. Immutable, safe on
 * every thread.
 *
 * <p>A refusal is 403 with a problem document of code {@code FORBIDDEN}. For configured origins it
 * answers CORS requests; the default list is empty, and then no response carries a CORS header.
 */
public final class OriginGuard implements Handler<RoutingContext> {

  /** Headers that pages of allowed origins may send. */
  private static final String SENT =
      "Content-Type, Authorization, DPoP, X-Api-Key, Timeout, Wait-Login, Progress, Traceparent,"
          + " Tracestate, Baggage, Call-Id, Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version,"
          + " Mcp-Method, Mcp-Name";

  /** Headers for tool arguments; the tool chooses their names. */
  private static final Pattern ARGUMENT =
      Pattern.compile("mcp-param-[\\w!#$%&'*+.^`|~-]+", Pattern.CASE_INSENSITIVE);

  /** Headers that pages of allowed origins may read. */
  private static final String SHOWN = "Mcp-Session-Id, WWW-Authenticate, DPoP-Nonce, Retry-After";

  private static final int MAX_PORT_DIGITS = 5;

  private static final CharSequence SITE = HttpHeaders.createOptimized("Sec-Fetch-Site");

  private final Audit audit;
  private final String scheme;
  private final Set<String> hosts;

  /** Names that are admitted with any port: a balancer has one of its own. */
  private final Set<String> namesOnly;

  private final Set<String> ownOrigins;
  private final Set<String> corsOrigins;

  /**
   * @param scheme {@code http} or {@code https}, as clients address this service
   * @param port the bound port; a loopback name must carry it
   * @param allowedHosts additional names, {@code host} (with any port, and without one) or {@code
   *     host:port} (exactly this port); case does not matter
   * @param ownUrls our origins where browsers reach us by another scheme or port, as behind a
   *     balancer that ends TLS: their pages are ours; their hosts have to be among the names, too
   * @param allowedOrigins origins whose pages may call, {@code scheme://host[:port]} as browsers
   *     send it
   * @param audit receives refusals
   */
  public OriginGuard(
      String scheme,
      int port,
      Set<String> allowedHosts,
      Set<String> ownUrls,
      Set<String> allowedOrigins,
      Audit audit) {
    this.audit = audit;
    this.scheme = scheme;
    Set<String> names = new HashSet<>(LoopbackHosts.ALL);
    names.addAll(lowerCase(allowedHosts));
    hosts = new HashSet<>(lowerCase(allowedHosts));
    for (String name : names) {
      hosts.add(hasPort(name) ? name : name + ":" + port);
      if (port == (scheme.equals("https") ? 443 : 80)) {
        hosts.add(name);
      }
    }
    namesOnly =
        lowerCase(allowedHosts).stream().filter(name -> !hasPort(name)).collect(Collectors.toSet());
    ownOrigins = new HashSet<>(lowerCase(ownUrls));
    hosts.forEach(host -> ownOrigins.add(scheme + "://" + host));
    corsOrigins = lowerCase(allowedOrigins);
  }

  private static Set<String> lowerCase(Set<String> names) {
    return names.stream().map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.toSet());
  }

  private static boolean hasPort(String name) {
    return name.lastIndexOf(':') > name.lastIndexOf(']');
  }

  private boolean isHost(String name) {
    int colon = name.lastIndexOf(':');
    return hosts.contains(name)
        || (hasPort(name)
            && isPort(name.substring(colon + 1))
            && namesOnly.contains(name.substring(0, colon)));
  }

  private static boolean isPort(String text) {
    return !text.isEmpty()
        && text.length() <= MAX_PORT_DIGITS
        && text.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  @Override
  public void handle(RoutingContext ctx) {
    if (admits(ctx.request(), false)) {
      ctx.next();
    }
  }

  /** As {@link #admits(HttpServerRequest, boolean)}, for what no other site may ask for. */
  public boolean admits(HttpServerRequest request) {
    return admits(request, false);
  }

  /**
   * Checks a request before a router does, as the router's own checks would answer first.
   *
   * @param entered whether a browser may come to it from a page of another site: it opens a page of
   *     ours, which checks by itself who is there
   * @return false if this method has answered the request: a refusal or a CORS preflight
   */
  public boolean admits(HttpServerRequest request, boolean entered) {
    HttpServerResponse response = request.response();
    if (!corsOrigins.isEmpty()) {
      // Also without an Origin: no cache gives the answer for one page to another.
      response.headers().add(HttpHeaders.VARY, "Origin");
    }
    String refusal = refusal(request, entered);
    if (refusal != null) {
      audit.refused(request, null, RefusalCode.FORBIDDEN);
      refuse(request, refusal);
      return false;
    }
    String origin = request.getHeader(HttpHeaders.ORIGIN);
    if (origin != null && isCors(origin)) {
      response
          .putHeader("Access-Control-Allow-Origin", origin)
          .putHeader("Access-Control-Expose-Headers", SHOWN);
      if (request.method().equals(HttpMethod.OPTIONS)
          && request.headers().contains("Access-Control-Request-Method")) {
        preflight(request);
        return false;
      }
    }
    return true;
  }

  /** Why {@code request} is refused, with the remedy; null if it is admitted. */
  public @Nullable String refusal(HttpServerRequest request) {
    return refusal(request, false);
  }

  private @Nullable String refusal(HttpServerRequest request, boolean entered) {
    if (!request.uri().startsWith("/")) {
      return "the request target must be a path";
    }
    List<String> host = hosts(request);
    if (host.size() != 1) {
      return "exactly one Host header is wanted";
    }
    String name = host.get(0).toLowerCase(Locale.ROOT);
    if (!isHost(name)) {
      return "the Host header, "
          + Printable.quoted(name)
          + ", is none of this service's names; \"bridge\": {\"allowedHosts\": [...]} in the"
          + " configuration adds one";
    }
    if (request.headers().contains(HttpHeaders.ORIGIN)) {
      List<String> origin = request.headers().getAll(HttpHeaders.ORIGIN);
      if (origin.size() > 1) {
        return "at most one Origin header is wanted";
      }
      return isOwn(origin.get(0), name) || isCors(origin.get(0))
          ? null
          : "pages of this Origin may not call; \"bridge\": {\"allowedOrigins\": [...]} in the"
              + " configuration adds one";
    }
    // For cross-site images and links browsers send no Origin, but they send Sec-Fetch-Site.
    String site = request.getHeader(SITE);
    return entered || site == null || site.equals("same-origin") || site.equals("none")
        ? null
        : "pages of other sites may not call";
  }

  /** All names by which the request addresses us; for HTTP/2 the authority and a Host header. */
  private static List<String> hosts(HttpServerRequest request) {
    List<String> host = request.headers().getAll(HttpHeaders.HOST);
    if (request.version() != HttpVersion.HTTP_2) {
      return host;
    }
    HostAndPort authority = request.authority();
    Set<String> names = new LinkedHashSet<>(host);
    if (authority != null) {
      names.add(
          authority.port() < 0 ? authority.host() : authority.host() + ":" + authority.port());
    }
    return List.copyOf(names);
  }

  /**
   * @param host by which the request addresses this service: its own pages come from there
   */
  private boolean isOwn(String origin, String host) {
    String known = origin.toLowerCase(Locale.ROOT);
    return ownOrigins.contains(known) || known.equals(scheme + "://" + host);
  }

  private boolean isCors(String origin) {
    return corsOrigins.contains(origin.toLowerCase(Locale.ROOT));
  }

  private static void preflight(HttpServerRequest request) {
    StringJoiner allowed = new StringJoiner(", ").add(SENT);
    for (String names : request.headers().getAll("Access-Control-Request-Headers")) {
      for (String name : names.split(",", -1)) {
        if (ARGUMENT.matcher(name.strip()).matches()) {
          allowed.add(name.strip());
        }
      }
    }
    request
        .response()
        .setStatusCode(204)
        .putHeader("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE")
        .putHeader("Access-Control-Allow-Headers", allowed.toString())
        .putHeader("Access-Control-Max-Age", "600")
        .end();
  }

  private static void refuse(HttpServerRequest request, String detail) {
    if (request.version() != HttpVersion.HTTP_2) {
      // The body of a refused request is not read.
      request.response().putHeader("Connection", "close");
    }
    RefusalResponse.send(request, 403, RefusalCode.FORBIDDEN, "Not allowed.", detail);
  }
}
