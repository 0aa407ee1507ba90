package dev.mcpbus.security.oauth;

import io.vertx.core.json.JsonObject;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the token store keeps for one MCP server. Immutable.
 *
 * @param client the dynamic registration, null for none
 * @param issuer the authorization server to which all of it belongs
 * @param requested scopes of the last token request
 */
record StoredAuthorization(
    @Nullable OAuthTokens tokens,
    @Nullable RegisteredClient client,
    @Nullable String issuer,
    Set<String> requested) {

  static final StoredAuthorization EMPTY = new StoredAuthorization(null, null, null, Set.of());

  StoredAuthorization withTokens(@Nullable OAuthTokens other) {
    return new StoredAuthorization(other, client, issuer, requested);
  }

  StoredAuthorization withoutClient() {
    return new StoredAuthorization(tokens, null, issuer, requested);
  }

  JsonObject toJson() {
    return new JsonObject()
        .put("tokens", tokens == null ? null : tokens.toJson())
        .put("client", client == null ? null : client.toJson())
        .put("issuer", issuer)
        .put("asked", String.join(" ", requested));
  }

  /**
   * Reads from a store; leaves out what belongs to another issuer than {@code pinned}.
   *
   * @param pinned null for any issuer
   */
  static StoredAuthorization of(@Nullable JsonObject json, @Nullable String pinned) {
    String issuer = json == null ? null : JsonMembers.text(json, "issuer");
    if (json == null || issuer == null || (pinned != null && !IssuerKeys.isSame(pinned, issuer))) {
      return EMPTY;
    }
    OAuthTokens tokens = OAuthTokens.of(json.getJsonObject("tokens"));
    RegisteredClient client = RegisteredClient.of(json.getJsonObject("client"));
    String requested = JsonMembers.text(json, "asked");
    return new StoredAuthorization(
        tokens != null && tokens.issuer().equals(issuer) ? tokens : null,
        client != null && client.issuer().equals(issuer) ? client : null,
        issuer,
        requested == null ? Set.of() : TokenChallenge.scopes(requested));
  }

  /** Without secrets. */
  @Override
  public String toString() {
    return "state[" + issuer + "]";
  }
}
