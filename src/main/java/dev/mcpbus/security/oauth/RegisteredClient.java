package dev.mcpbus.security.oauth;

import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.oauth.OAuthSettings.AuthMethod;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * This client as one authorization server knows it.
 *
 * @param issuer the only authorization server that may see it
 * @param method null where the metadata decides
 * @param redirectUri that was registered, null where none was
 * @param registered whether it registered itself, and can do so again
 * @param secretExpires null for never
 */
record RegisteredClient(
    String issuer,
    String id,
    @Nullable Sensitive secret,
    @Nullable AuthMethod method,
    @Nullable String redirectUri,
    boolean registered,
    @Nullable Instant secretExpires) {

  JsonObject toJson() {
    return new JsonObject()
        .put("issuer", issuer)
        .put("id", id)
        .put("secret", secret == null ? null : secret.reveal())
        .put("method", method == null ? null : method.wire())
        .put("redirectUri", redirectUri)
        .put("secretExpires", secretExpires == null ? null : secretExpires.getEpochSecond());
  }

  /** Of one that had registered itself; null where the document is none. */
  static @Nullable RegisteredClient of(@Nullable JsonObject json) {
    String issuer = json == null ? null : JsonMembers.text(json, "issuer");
    String id = json == null ? null : JsonMembers.text(json, "id");
    if (json == null || issuer == null || id == null) {
      return null;
    }
    long expires = JsonMembers.number(json, "secretExpires", 0);
    return new RegisteredClient(
        issuer,
        id,
        Sensitive.ofNullable(JsonMembers.text(json, "secret")),
        AuthMethod.of(JsonMembers.text(json, "method")),
        JsonMembers.text(json, "redirectUri"),
        true,
        expires <= 0 ? null : Instant.ofEpochSecond(expires));
  }

  boolean expired(Instant now) {
    return secretExpires != null && !now.isBefore(secretExpires);
  }
}
