package dev.mcpbus.security.oauth;

import dev.mcpbus.protocol.ClientAuthentication;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.oauth.OAuthException.OAuthFailure;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The registration of this client at one authorization server. Immutable.
 *
 * @param issuer the only authorization server to which its credentials are sent
 * @param id empty for a workload that needs none: its JWT says who it is
 * @param method null: as the server's metadata says
 * @param redirectUri the registered one, null if none was
 * @param registered whether it was registered dynamically, and can be registered again
 * @param secretExpires null for never
 */
record RegisteredClient(
    String issuer,
    String id,
    @Nullable Sensitive secret,
    @Nullable ClientAuthentication method,
    @Nullable String redirectUri,
    boolean registered,
    @Nullable Instant secretExpires) {

  /** A workload without a registration (SEP-1933). */
  static RegisteredClient anonymous(String issuer) {
    return new RegisteredClient(issuer, "", null, ClientAuthentication.NONE, null, false, null);
  }

  /** The failure where its authorization server does not know this client. */
  OAuthException unknown(String said) {
    return registered || id.isEmpty()
        ? new OAuthException(registered ? OAuthFailure.CLIENT_FORGOTTEN : OAuthFailure.DENIED, said)
        : new OAuthException(
            OAuthFailure.LOGIN_REQUIRED,
            said
                + ": it does not accept the configured client. Check \"clientId\","
                + " \"clientSecret\" (or \"privateKey\") and \"tokenEndpointAuthMethod\" of the"
                + " server's entry; leave them out to have mcpbus register itself");
  }

  JsonObject toJson() {
    return new JsonObject()
        .put("issuer", issuer)
        .put("id", id)
        .put("secret", secret == null ? null : secret.reveal())
        .put("method", method == null ? null : method.wire())
        .put("redirectUri", redirectUri)
        .put("secretExpires", secretExpires == null ? null : secretExpires.getEpochSecond());
  }

  /** A dynamic registration from a store; null if the document holds none. */
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
        ClientAuthentication.of(JsonMembers.text(json, "method")),
        JsonMembers.text(json, "redirectUri"),
        true,
        expires <= 0 ? null : Instant.ofEpochSecond(expires));
  }

  boolean expired(Instant now) {
    return secret != null && secretExpires != null && !now.isBefore(secretExpires);
  }
}
