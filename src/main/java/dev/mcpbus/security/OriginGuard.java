package dev.mcpbus.security;

import dev.mcpbus.security.Audit.Decision;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.json.JsonObject;
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
 * Keeps web pages out that are none of ours, also where a hostile DNS name was bound to our
 * address: the {@code Host} must be one of ours, and so must the {@code Origin} where there is one.
 * Must come before every route, so that no 404 answers before it. HTTP/1.1 and HTTP/2.
 *
 * <p>Answers 403 with a problem document of code {@code FORBIDDEN}. For an origin of the configured
 * list it also speaks CORS; the default list is empty, and then no response carries a CORS header.
 */
public final class OriginGuard implements Handler<RoutingContext> {

  private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "[::1]");

  /** Headers that pages of allowed origins may send. */
  private static final String SENT =
      "Content-Type, Authorization, X-Api-Key, Timeout, Traceparent, Call-Id, Last-Event-ID,"
          + " Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name";

  /** Arguments that a tool wants in headers as well, under names that the tool chooses. */
  private static final Pattern ARGUMENT =
      Pattern.compile("mcp-param-[\\w!#$%&'*+.^`|~-]+", Pattern.CASE_INSENSITIVE);

  /** Headers that pages of allowed origins may read. */
  private static final String SHOWN = "Mcp-Session-Id, WWW-Authenticate, Retry-After";

  private static final CharSequence SITE = HttpHeaders.createOptimized("Sec-Fetch-Site");

  private final Audit audit;
  private final Set<String> hosts;
  private final Set<String> ownOrigins;
  private final Set<String> corsOrigins;

  /**
   * @param port the port that is bound; a loopback name must carry it
   * @param allowedHosts more names, {@code host} (with or without the bound port) or {@code
   *     host:port} (exactly so), in any case
   * @param allowedOrigins pages that may call from elsewhere, {@code scheme://host[:port]} as
   *     browsers write it
   */
  public OriginGuard(int port, Set<String> allowedHosts, Set<String> allowedOrigins) {
    this("http", port, allowedHosts, allowedOrigins, Audit.off());
  }

  /**
   * @param scheme {@code http} or {@code https}, as this service is spoken to
   * @param audit hears of refusals
   */
  public OriginGuard(
      String scheme, int port, Set<String> allowedHosts, Set<String> allowedOrigins, Audit audit) {
    this.audit = audit;
    Set<String> names = new HashSet<>(LOOPBACK);
    names.addAll(lowerCase(allowedHosts));
    hosts = new HashSet<>(lowerCase(allowedHosts));
    for (String name : names) {
      boolean hasPort = name.lastIndexOf(':') > name.lastIndexOf(']');
      hosts.add(hasPort ? name : name + ":" + port);
      if (port == (scheme.equals("https") ? 443 : 80)) {
        hosts.add(name);
      }
    }
    ownOrigins = hosts.stream().map(host -> scheme + "://" + host).collect(Collectors.toSet());
    corsOrigins = lowerCase(allowedOrigins);
  }

  private static Set<String> lowerCase(Set<String> names) {
    return names.stream().map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.toSet());
  }

  @Override
  public void handle(RoutingContext ctx) {
    if (admits(ctx.request())) {
      ctx.next();
    }
  }

  /**
   * For use before a router, whose own checks of the request would answer first.
   *
   * @return false where the request has been answered: refused, or a CORS preflight
   */
  public boolean admits(HttpServerRequest request) {
    HttpServerResponse response = request.response();
    String refusal = refusal(request);
    if (refusal != null) {
      audit.refused(request, null, Decision.DENY, "FORBIDDEN");
      refuse(request, refusal);
      return false;
    }
    String origin = request.getHeader(HttpHeaders.ORIGIN);
    if (origin != null && isCors(origin)) {
      response
          .putHeader("Access-Control-Allow-Origin", origin)
          .putHeader("Access-Control-Expose-Headers", SHOWN)
          .putHeader("Vary", "Origin");
      if (request.method().equals(HttpMethod.OPTIONS)
          && request.headers().contains("Access-Control-Request-Method")) {
        preflight(request);
        return false;
      }
    }
    return true;
  }

  /** Why {@code request} is not let in, with the remedy; null where it is. */
  public @Nullable String refusal(HttpServerRequest request) {
    if (!request.uri().startsWith("/")) {
      return "the request target must be a path";
    }
    List<String> host = hosts(request);
    if (host.size() != 1) {
      return "exactly one Host header is wanted";
    }
    if (!hosts.contains(host.get(0).toLowerCase(Locale.ROOT))) {
      return "the Host header is none of this service's names; add it to the allowed hosts";
    }
    if (request.headers().contains(HttpHeaders.ORIGIN)) {
      List<String> origin = request.headers().getAll(HttpHeaders.ORIGIN);
      if (origin.size() > 1) {
        return "at most one Origin header is wanted";
      }
      return isOwn(origin.get(0)) || isCors(origin.get(0))
          ? null
          : "pages of this Origin may not call; add it to the allowed origins";
    }
    // Browsers leave the Origin out of cross-site images and links, but say so here.
    String site = request.getHeader(SITE);
    return site == null || site.equals("same-origin") || site.equals("none")
        ? null
        : "pages of other sites may not call";
  }

  /** All that the request calls us; of HTTP/2 the authority, and a Host header beside it. */
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

  private boolean isOwn(String origin) {
    return ownOrigins.contains(origin.toLowerCase(Locale.ROOT));
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
        .putHeader("Access-Control-Allow-Methods", "GET, POST, DELETE")
        .putHeader("Access-Control-Allow-Headers", allowed.toString())
        .putHeader("Access-Control-Max-Age", "600")
        .end();
  }

  private static void refuse(HttpServerRequest request, String detail) {
    if (request.version() != HttpVersion.HTTP_2) {
      // The body of a stranger is not read.
      request.response().putHeader("Connection", "close");
    }
    request
        .response()
        .setStatusCode(403)
        .putHeader("Content-Type", "application/problem+json")
        .end(
            new JsonObject()
                .put("type", "urn:mcpbus:forbidden")
                .put("title", "Not allowed.")
                .put("status", 403)
                .put("detail", detail)
                .put("code", "FORBIDDEN")
                .put("sent", "no")
                .toBuffer());
  }
}
