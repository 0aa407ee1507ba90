package dev.mcpbus.security.oauth;

import dev.mcpbus.security.oauth.GuardedHttp.Reply;
import dev.mcpbus.security.oauth.OAuthException.OAuthFailure;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Fetches the public keys of an authorization server, without a cache; asks again while it cannot
 * answer. It finds the JWK set through the issuer's metadata (RFC 8414, OpenID Connect Discovery)
 * unless the configuration names it. Confined to one context.
 */
public final class IssuerKeys {

  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final String OAUTH = "/.well-known/oauth-authorization-server";
  private static final String OPENID = "/.well-known/openid-configuration";

  private static final String TENANT = "{tenantid}";

  private final GuardedHttp http;
  private final UrlGuard guard;
  private final String issuer;
  private final @Nullable URI jwks;

  /**
   * @param issuer from the configuration, so its host is trusted
   * @param jwks URL of the key set; null: read it from the issuer's metadata
   */
  public IssuerKeys(Vertx vertx, String issuer, @Nullable URI jwks, HostResolver resolver) {
    this.http = new GuardedHttp(vertx, TIMEOUT, null);
    this.issuer = issuer;
    this.jwks = jwks;
    List<URI> trusted = new ArrayList<>(List.of(URI.create(issuer)));
    if (jwks != null) {
      trusted.add(jwks);
    }
    this.guard = new UrlGuard(trusted, resolver);
  }

  /** The members of {@code keys} that are objects; fails with an {@link OAuthException}. */
  public Future<List<JsonObject>> fetch() {
    URI known = jwks;
    Future<String> place =
        known == null ? metadata(places(issuer)) : Future.succeededFuture(known.toString());
    return place
        .compose(
            url ->
                http.first(
                    guard, List.of(url), "the issuer's key set", reply -> reply.status() == 200))
        .compose(
            reply -> {
              if (reply.status() != 200
                  || !(reply.body().getValue("keys") instanceof JsonArray keys)) {
                return OAuthFailure.INVALID.fails(
                    "the issuer's key set: " + reply + ", without \"keys\"");
              }
              return Future.succeededFuture(
                  keys.stream()
                      .filter(JsonObject.class::isInstance)
                      .map(JsonObject.class::cast)
                      .toList());
            });
  }

  /**
   * Where an issuer's metadata may be: in the order of the MCP specification, then where others
   * have it, below the issuer's path and at the root.
   */
  static List<String> places(String issuer) {
    URI uri = URI.create(issuer);
    String origin = uri.getScheme() + "://" + uri.getRawAuthority();
    String path = uri.getRawPath().replaceFirst("/$", "");
    Set<String> places = new LinkedHashSet<>();
    places.add(origin + OAUTH + path);
    places.add(origin + OPENID + path);
    places.add(origin + path + OPENID);
    places.add(origin + path + OAUTH);
    places.add(origin + OAUTH);
    places.add(origin + OPENID);
    return List.copyOf(places);
  }

  /** Whether it is a place of a whole origin: what is below a path speaks for that path alone. */
  static boolean isOfOrigin(String place) {
    String path = URI.create(place).getRawPath();
    return path.equals(OAUTH) || path.equals(OPENID);
  }

  /** The {@code jwks_uri} of the first metadata document whose {@code issuer} is ours. */
  private Future<String> metadata(List<String> places) {
    return http.first(guard, places, "the issuer's metadata", reply -> keySet(reply) != null)
        .compose(
            reply -> {
              String uri = keySet(reply);
              return uri == null
                  ? OAuthFailure.INVALID.fails(
                      "the issuer's metadata names no jwks_uri: set \"jwksUri\" in the"
                          + " configuration")
                  : Future.succeededFuture(uri);
            });
  }

  private @Nullable String keySet(Reply reply) {
    String own = JsonMembers.text(reply.body(), "issuer");
    return reply.status() == 200 && own != null && isSame(issuer, own)
        ? JsonMembers.text(reply.body(), "jwks_uri")
        : null;
  }

  /**
   * Whether two identifiers are those of one issuer: equal, but for one slash at the end, because
   * both have their metadata at the same place (RFC 8414, section 3.1).
   */
  public static boolean isSame(String one, String other) {
    return bare(one).equals(bare(other));
  }

  private static String bare(String issuer) {
    return issuer.endsWith("/") ? issuer.substring(0, issuer.length() - 1) : issuer;
  }

  /**
   * Whether {@code issuer} is what the metadata calls it: equal, or with one path segment for the
   * {@code {tenantid}} that Microsoft writes for all its tenants together; never with another host.
   */
  static boolean isCalled(String inMetadata, String issuer) {
    int at = inMetadata.indexOf(TENANT);
    int after = at + TENANT.length();
    int path = inMetadata.indexOf('/', "https://".length());
    if (at < 0 || path < 0 || path > at) {
      return inMetadata.equals(issuer);
    }
    return issuer.startsWith(inMetadata.substring(0, at))
        && issuer.substring(at).matches("[^/?#]+" + Pattern.quote(inMetadata.substring(after)));
  }
}
