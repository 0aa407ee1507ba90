package dev.mcpbus.security.oauth;

import dev.mcpbus.security.oauth.GuardedHttp.Reply;
import dev.mcpbus.security.oauth.OAuthException.OAuthFailure;
import dev.mcpbus.security.oauth.TokenGrants.DiscoveredServers;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the authorization server of an MCP server (RFC 9728) and its metadata (RFC 8414), and
 * decides which one may get the credentials. Fetches anew each time; stateless.
 */
final class OAuthDiscovery {

  private static final String RESOURCE = "/.well-known/oauth-protected-resource";
  private static final int MAX_SERVERS = 16;

  private final GuardedHttp http;
  private final UrlGuard guard;
  private final OAuthSettings settings;

  OAuthDiscovery(GuardedHttp http, UrlGuard guard, OAuthSettings settings) {
    this.http = http;
    this.guard = guard;
    this.settings = settings;
  }

  /**
   * The servers that a challenge leads to, and whether tokens are bound to a key there.
   *
   * @param stored the issuer of the stored credentials; null for none
   * @return fails with {@code INVALID} if the configured credentials belong to another issuer
   */
  Future<DiscoveredServers> servers(TokenChallenge challenge, @Nullable String stored) {
    return resource(challenge)
        .compose(
            resource ->
                issuer(resource, stored)
                    .compose(this::server)
                    .compose(server -> bound(challenge, resource, server)));
  }

  private Future<DiscoveredServers> bound(
      TokenChallenge challenge, ResourceMetadata resource, ServerMetadata server) {
    try {
      return Future.succeededFuture(
          new DiscoveredServers(
              resource, server, DpopUse.of(settings.dpop(), challenge, resource, server)));
    } catch (OAuthException e) {
      return Future.failedFuture(e);
    }
  }

  /** Credentials are sent only to the authorization server to which they belong. */
  private Future<String> issuer(ResourceMetadata resource, @Nullable String stored) {
    List<String> named = resource.authorizationServers();
    String own = settings.issuer() == null ? stored : settings.issuer();
    if (own != null && named.stream().anyMatch(issuer -> IssuerKeys.isSame(own, issuer))) {
      return Future.succeededFuture(own);
    }
    return own == null || !isOfOneIssuer()
        ? Future.succeededFuture(named.get(0))
        : failed(
            "the server names another authorization server than "
                + own
                + ", to which the credentials belong: they are not sent. If the change is"
                + " right, configure its \"issuer\" and new credentials");
  }

  /** Whether the configured credentials are valid at one authorization server only. */
  private boolean isOfOneIssuer() {
    return settings.issuer() != null || settings.clientId() != null;
  }

  /**
   * The MCP server's own metadata: at the URL of the challenge, else at the well-known paths,
   * because a server behind a proxy may name a URL that leads nowhere. If there is none, a server
   * whose challenge names no URL is treated as one of protocol 2025-03-26, whose origin is its own
   * authorization server, unless the configuration names another.
   */
  private Future<ResourceMetadata> resource(TokenChallenge challenge) {
    String named = challenge.resourceMetadata();
    String origin = settings.origin();
    String path = settings.resource().substring(origin.length());
    Set<String> places = new LinkedHashSet<>();
    if (named != null) {
      places.add(named);
    }
    places.add(origin + RESOURCE + path);
    places.add(origin + RESOURCE);
    return http.first(guard, List.copyOf(places), "the server's metadata", this::isOurs)
        .compose(
            found ->
                isDocument(found)
                    ? resource(found.body())
                    : named == null
                        ? Future.succeededFuture(
                            new ResourceMetadata(settings.resource(), List.of(fallback()), null))
                        : failed(
                            "neither the resource_metadata URL of the server's challenge nor its"
                                + " well-known places hold its metadata"));
  }

  private boolean isOurs(Reply reply) {
    String resource = JsonMembers.text(reply.body(), "resource");
    return isDocument(reply) && resource != null && covers(resource, settings.resource());
  }

  private String fallback() {
    String pinned = settings.issuer();
    return pinned == null ? settings.origin() : pinned;
  }

  private Future<ResourceMetadata> resource(JsonObject document) {
    String resource = JsonMembers.text(document, "resource");
    Set<String> servers = JsonMembers.texts(document, "authorization_servers");
    if (resource == null || !covers(resource, settings.resource())) {
      return failed(
          "the server's metadata describes another resource than "
              + settings.resource()
              + ": check \"url\" in the configuration");
    }
    if (servers == null || servers.isEmpty() || servers.size() > MAX_SERVERS) {
      return failed("the server's metadata names no authorization server, or too many");
    }
    return Future.succeededFuture(
        new ResourceMetadata(
            resource,
            List.copyOf(servers),
            JsonMembers.texts(document, "scopes_supported"),
            JsonMembers.texts(document, "dpop_signing_alg_values_supported") != null,
            JsonMembers.flag(document, "dpop_bound_access_tokens_required")));
  }

  /**
   * Whether {@code resource} equals {@code server}, or has the same origin and a path that contains
   * it.
   */
  static boolean covers(String resource, String server) {
    URI outer;
    try {
      outer = URI.create(resource);
    } catch (IllegalArgumentException e) {
      return false;
    }
    URI inner = URI.create(server);
    if (outer.getHost() == null
        || outer.getRawFragment() != null
        || outer.getRawQuery() != null
        || outer.getRawUserInfo() != null
        || !GuardedHttp.origin(outer).equals(GuardedHttp.origin(inner))) {
      return false;
    }
    String path = outer.getRawPath().replaceFirst("(?<!/)/+$", "");
    String own = inner.getRawPath().replaceFirst("(?<!/)/+$", "");
    return own.equals(path) || own.startsWith(path + "/");
  }

  /**
   * The metadata of the authorization server {@code issuer}; the document's {@code issuer} must be
   * the same (RFC 8414, section 3.3), and is the one that counts from there on.
   */
  Future<ServerMetadata> server(String issuer) {
    try {
      if (guard.form(issuer, "the authorization server").getRawQuery() != null) {
        return failed("the authorization server's issuer has a query");
      }
    } catch (OAuthException e) {
      return Future.failedFuture(e);
    }
    return http.first(
            guard,
            IssuerKeys.places(issuer),
            "the authorization server's metadata",
            OAuthDiscovery::isDocument)
        .compose(
            found -> {
              if (!isDocument(found)) {
                return failed(
                    "the authorization server publishes no metadata: set \"issuer\" in the"
                        + " configuration if it is another one");
              }
              String own = JsonMembers.text(found.body(), "issuer");
              return own == null || !IssuerKeys.isSame(issuer, own)
                  ? failed("the authorization server's metadata names another issuer")
                  : Future.succeededFuture(ServerMetadata.of(own, found.body()));
            });
  }

  private static boolean isDocument(Reply reply) {
    return reply.status() == 200 && !reply.body().isEmpty();
  }

  private static <T> Future<T> failed(String message) {
    return Future.failedFuture(new OAuthException(OAuthFailure.INVALID, message));
  }
}
