package dev.mcpbus.security.oauth;

import io.vertx.core.json.JsonObject;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is kept about one server.
 *
 * @param client where it registered itself
 * @param issuer that everything here belongs to
 * @param asked scopes of the last request for a token
 */
record State(
    @Nullable Tokens tokens, @Nullable Client client, @Nullable String issuer, Set<String> asked) {

  static final State EMPTY = new State(null, null, null, Set.of());

  State withTokens(@Nullable Tokens other) {
    return new State(other, client, issuer, asked);
  }

  JsonObject toJson() {
    return new JsonObject()
        .put("tokens", tokens == null ? null : tokens.toJson())
        .put("client", client == null ? null : client.toJson())
        .put("issuer", issuer)
        .put("asked", String.join(" ", asked));
  }

  /**
   * From a store; what belongs to another issuer than {@code pinned} is left out.
   *
   * @param pinned null for any
   */
  static State of(@Nullable JsonObject json, @Nullable String pinned) {
    String issuer = json == null ? null : Json.text(json, "issuer");
    if (json == null || issuer == null || (pinned != null && !pinned.equals(issuer))) {
      return EMPTY;
    }
    Tokens tokens = Tokens.of(json.getJsonObject("tokens"));
    Client client = Client.of(json.getJsonObject("client"));
    String asked = Json.text(json, "asked");
    return new State(
        tokens != null && tokens.issuer().equals(issuer) ? tokens : null,
        client != null && client.issuer().equals(issuer) ? client : null,
        issuer,
        asked == null ? Set.of() : Challenge.scopes(asked));
  }

  /** Without anything secret. */
  @Override
  public String toString() {
    return "state[" + issuer + "]";
  }
}
