package dev.mcpbus.security.oauth;

import dev.mcpbus.internals.OptionalLibrary;
import dev.mcpbus.protocol.Sensitive;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An access token with its attributes. Immutable.
 *
 * @param issuer the authorization server that issued it
 * @param scopes the granted scopes; the requested ones if the response names none
 * @param expires when to renew it, null if the server does not say
 * @param key to which it is bound, null for a Bearer token
 */
record OAuthTokens(
    String issuer,
    String resource,
    Sensitive access,
    @Nullable Sensitive refresh,
    Set<String> scopes,
    @Nullable Instant expires,
    @Nullable DpopKey key) {

  private static final long MARGIN_SECONDS = 30;
  private static final int MAX_TOKEN = 16 * 1024;

  OAuthTokens {
    scopes = Set.copyOf(scopes);
  }

  static boolean isUsable(@Nullable String token) {
    return token != null
        && !token.isEmpty()
        && token.length() <= MAX_TOKEN
        && token.chars().allMatch(c -> c > 0x20 && c < 0x7f);
  }

  boolean expired(Instant now) {
    return expires != null && !now.isBefore(expires);
  }

  OAuthTokens withoutRefresh() {
    return new OAuthTokens(issuer, resource, access, null, scopes, expires, key);
  }

  /**
   * When a token with this lifetime is renewed: a little early, so that it does not expire in
   * transit.
   */
  static Instant renewal(Instant now, long seconds) {
    return now.plusSeconds(seconds - Math.min(MARGIN_SECONDS, seconds / 4));
  }

  JsonObject toJson() {
    return new JsonObject()
        .put("issuer", issuer)
        .put("resource", resource)
        .put("access", access.reveal())
        .put("refresh", refresh == null ? null : refresh.reveal())
        .put("scope", String.join(" ", scopes))
        .put("expires", expires == null ? null : expires.getEpochSecond())
        .put("dpop", key == null ? null : key.toJson());
  }

  /** Without the resource: its path may hold a secret. */
  @Override
  public String toString() {
    return "tokens[" + issuer + "]";
  }

  /**
   * Null if the document holds no tokens, or bound ones without their key.
   *
   * @throws IllegalStateException if they are bound and the library for their key is missing
   */
  static @Nullable OAuthTokens of(@Nullable JsonObject json) {
    if (json == null) {
      return null;
    }
    String issuer = JsonMembers.text(json, "issuer");
    String resource = JsonMembers.text(json, "resource");
    String access = JsonMembers.text(json, "access");
    if (issuer == null || resource == null || access == null || !isUsable(access)) {
      return null;
    }
    JsonObject jwk = JsonMembers.object(json, "dpop");
    if (jwk != null) {
      OptionalLibrary.NIMBUS.require();
    }
    DpopKey key = jwk == null ? null : DpopKey.of(jwk);
    if (key == null && json.getValue("dpop") != null) {
      return null;
    }
    String scope = JsonMembers.text(json, "scope");
    long expires = JsonMembers.number(json, "expires", 0);
    return new OAuthTokens(
        issuer,
        resource,
        Sensitive.of(access),
        Sensitive.ofNullable(JsonMembers.text(json, "refresh")),
        scope == null ? Set.of() : TokenChallenge.scopes(scope),
        expires <= 0 ? null : Instant.ofEpochSecond(expires),
        key);
  }
}
