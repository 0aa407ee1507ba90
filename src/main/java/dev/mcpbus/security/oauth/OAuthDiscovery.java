package dev.mcpbus.security.oauth;

import dev.mcpbus.protocol.UrlPlace;
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
record OAuthDiscovery(GuardedHttp http, UrlGuard guard, OAuthSettings settings) {

  private static final String RESOURCE = "/.well-known/oauth-protected-resource";
  private static final int MAX_SERVERS = 16;

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
                    .compose(
                        server ->
                            DpopUse.of(settings.options().dpop(), challenge, resource, server)
                                .map(dpop -> new DiscoveredServers(resource, server, dpop))));
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
        : OAuthFailure.INVALID.fails(
            "the server names another authorization server than "
                + own
                + ", to which the credentials belong: they are not sent. If the change is"
                + " right, configure its \"issuer\" and new credentials");
  }

  /** Whether the configured credentials are valid at one authorization server only. */
  private boolean isOfOneIssuer() {
    return settings.issuer() != null || settings.options().clientId() != null;
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
                        : OAuthFailure.INVALID.fails(
                            "neither the resource_metadata URL of the server's challenge nor its"
                                + " well-known places hold its metadata"));
  }

  private boolean isOurs(Reply reply) {
    String resource = JsonMembers.text(reply.body(), "resource");
    return isDocument(reply) && resource != null && covers(resource, settings.server().toString());
  }

  private String fallback() {
    String pinned = settings.issuer();
    return pinned == null ? settings.origin() : pinned;
  }

  private Future<ResourceMetadata> resource(JsonObject document) {
    String resource = JsonMembers.text(document, "resource");
    Set<String> servers = JsonMembers.texts(document, "authorization_servers");
    if (resource == null || !covers(resource, settings.server().toString())) {
      return OAuthFailure.INVALID.fails(
          "the server's metadata describes another resource than "
              + settings.resource()
              + ": check \"url\" in the configuration");
    }
    if (servers != null && servers.size() > MAX_SERVERS) {
      return OAuthFailure.INVALID.fails(
          "the server's metadata names too many authorization servers");
    }
    return Future.succeededFuture(
        new ResourceMetadata(
            resource.replaceFirst("(?s)\\?.*", ""), // a query may hold a secret
            servers == null || servers.isEmpty() ? List.of(fallback()) : List.copyOf(servers),
            JsonMembers.texts(document, "scopes_supported"),
            JsonMembers.texts(document, "dpop_signing_alg_values_supported") != null,
            JsonMembers.flag(document, "dpop_bound_access_tokens_required")));
  }

  /**
   * Whether {@code resource} equals {@code server}, or has the same origin and a path that contains
   * it; it may have the server's own query.
   */
  static boolean covers(String resource, String server) {
    URI outer;
    try {
      outer = URI.create(resource);
    } catch (IllegalArgumentException e) {
      return false;
    }
    URI inner = URI.create(server);
    if (UrlPlace.of(outer).host() == null
        || outer.getRawFragment() != null
        || (outer.getRawQuery() != null && !outer.getRawQuery().equals(inner.getRawQuery()))
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
   * the same (RFC 8414, section 3.3), or the one of the whole origin, at a place of that, if no
   * credentials are configured, and is the one that counts from there on. Without any, the MCP
   * server's own origin has the endpoints of protocol 2025-03-26.
   */
  Future<ServerMetadata> server(String issuer) {
    try {
      if (guard.form(issuer, "the authorization server").getRawQuery() != null) {
        return OAuthFailure.INVALID.fails("the authorization server's issuer has a query");
      }
    } catch (OAuthException e) {
      return Future.failedFuture(e);
    }
    return http.first(
            guard,
            IssuerKeys.places(issuer),
            "the authorization server's metadata",
            reply -> counting(issuer, reply) != null)
        .compose(
            found -> {
              String counts = counting(issuer, found);
              if (counts != null) {
                return Future.succeededFuture(ServerMetadata.of(counts, found.body()));
              }
              if (isDocument(found)) {
                return OAuthFailure.INVALID.fails(
                    "the authorization server's metadata names another issuer");
              }
              String origin = settings.origin();
              return IssuerKeys.isSame(issuer, origin) && mayAssume()
                  ? Future.succeededFuture(ServerMetadata.ofDefaults(origin))
                  : OAuthFailure.INVALID.fails(
                      "the authorization server publishes no metadata: set \"issuer\" in the"
                          + " configuration to the one to which the credentials belong");
            });
  }

  /** Whether endpoints that nobody named may be asked: no secret goes there unless it is pinned. */
  private boolean mayAssume() {
    return settings.issuer() != null
        || (settings.options().clientSecret() == null
            && settings.options().workloadIdentity() == null);
  }

  /** The issuer that counts where a document was asked for at {@code issuer}; null for no such. */
  private @Nullable String counting(String issuer, Reply reply) {
    String own = isDocument(reply) ? JsonMembers.text(reply.body(), "issuer") : null;
    if (own == null) {
      return null;
    }
    boolean root =
        !isOfOneIssuer()
            && IssuerKeys.isOfOrigin(reply.place())
            && IssuerKeys.isSame(GuardedHttp.origin(issuer), own);
    return root || IssuerKeys.isSame(issuer, own)
        ? own
        : IssuerKeys.isCalled(own, issuer) ? issuer : null;
  }

  private static boolean isDocument(Reply reply) {
    return reply.status() == 200 && !reply.body().isEmpty();
  }
}
