package dev.mcpbus.security.oauth;

import dev.mcpbus.security.oauth.GuardedHttp.Reply;
import dev.mcpbus.security.oauth.OAuthException.OAuthFailure;
import dev.mcpbus.security.oauth.TokenGrants.DiscoveredServers;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the authorization server of an MCP server (RFC 9728) and its metadata (RFC 8414), and
 * decides which one may get the credentials. Fetches anew each time; stateless.
 */
final class OAuthDiscovery {

  private static final String RESOURCE = "/.well-known/oauth-protected-resource";
  private static final String OAUTH = "/.well-known/oauth-authorization-server";
  private static final String OPENID = "/.well-known/openid-configuration";
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
    if (own != null && named.contains(own)) {
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
   * The MCP server's own metadata: at the URL of the challenge, else at the well-known paths. If
   * there is none, the server is treated as one of protocol 2025-03-26, whose origin is its own
   * authorization server, unless the configuration names another.
   */
  private Future<ResourceMetadata> resource(TokenChallenge challenge) {
    String named = challenge.resourceMetadata();
    if (named != null) {
      return http.get(guard, named, "the resource_metadata URL")
          .compose(
              reply ->
                  reply.isSuccess()
                      ? resource(reply.body())
                      : failed("the resource_metadata URL answers " + reply));
    }
    String origin = origin(settings.server());
    String path = settings.resource().substring(origin(URI.create(settings.resource())).length());
    List<String> places = new ArrayList<>();
    if (!path.isEmpty()) {
      places.add(origin + RESOURCE + path);
    }
    places.add(origin + RESOURCE);
    return first(places, "the server's metadata")
        .compose(
            found ->
                found == null
                    ? Future.succeededFuture(
                        new ResourceMetadata(settings.resource(), List.of(fallback()), null))
                    : resource(found));
  }

  private String fallback() {
    String pinned = settings.issuer();
    return pinned == null ? origin(URI.create(settings.resource())) : pinned;
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
        || !origin(outer).equals(origin(inner))) {
      return false;
    }
    String path = outer.getRawPath().replaceFirst("(?<!/)/+$", "");
    String own = inner.getRawPath().replaceFirst("(?<!/)/+$", "");
    return own.equals(path) || own.startsWith(path + "/");
  }

  /**
   * The metadata of the authorization server {@code issuer}; the document's {@code issuer} must be
   * equal to it (RFC 8414, section 3.3).
   */
  Future<ServerMetadata> server(String issuer) {
    URI uri;
    try {
      uri = guard.form(issuer, "the authorization server");
    } catch (OAuthException e) {
      return Future.failedFuture(e);
    }
    if (uri.getRawQuery() != null) {
      return failed("the authorization server's issuer has a query");
    }
    String origin = uri.getScheme() + "://" + uri.getRawAuthority();
    String path = uri.getRawPath().replaceFirst("/$", "");
    List<String> places = new ArrayList<>();
    places.add(origin + OAUTH + path);
    places.add(origin + OPENID + path);
    if (!path.isEmpty()) {
      places.add(origin + path + OPENID);
    }
    return first(places, "the authorization server's metadata")
        .compose(
            found -> {
              if (found == null) {
                return failed(
                    "the authorization server publishes no metadata: set \"issuer\" in the"
                        + " configuration if it is another one");
              }
              if (!issuer.equals(found.getValue("issuer"))) {
                return failed("the authorization server's metadata names another issuer");
              }
              return Future.succeededFuture(ServerMetadata.of(issuer, found));
            });
  }

  /** The first document found; null if every place answers that it has none. */
  private Future<@Nullable JsonObject> first(List<String> places, String what) {
    if (places.isEmpty()) {
      return Future.succeededFuture(null);
    }
    return http.get(guard, places.get(0), what)
        .compose(
            reply -> {
              if (isDocument(reply)) {
                return Future.succeededFuture(reply.body());
              }
              return reply.status() >= 500
                  ? Future.failedFuture(
                      new OAuthException(OAuthFailure.UNREACHABLE, what + ": " + reply))
                  : first(places.subList(1, places.size()), what);
            });
  }

  private static boolean isDocument(Reply reply) {
    return reply.status() == 200 && !reply.body().isEmpty();
  }

  private static String origin(URI uri) {
    String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
    int port = uri.getPort();
    boolean standard = port < 0 || port == (scheme.equals("https") ? 443 : 80);
    return scheme
        + "://"
        + String.valueOf(uri.getHost()).toLowerCase(Locale.ROOT)
        + (standard ? "" : ":" + port);
  }

  private static <T> Future<T> failed(String message) {
    return Future.failedFuture(new OAuthException(OAuthFailure.INVALID, message));
  }
}
