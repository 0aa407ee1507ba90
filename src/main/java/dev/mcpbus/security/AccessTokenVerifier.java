package dev.mcpbus.security;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.auth.authentication.TokenCredentials;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Verifies the signatures of access tokens that are JWTs (RFC 9068). The response to a refused
 * caller gives no reason. Confined to the context of its {@link SigningKeys}. {@link
 * AdmissionControl} calls it for each bearer token; {@link TokenRules} then checks the claims.
 */
final class AccessTokenVerifier {

  /** Characters. Longer tokens are refused before decoding. */
  private static final int MAX_LENGTH = 16 * 1024;

  private final SigningKeys keys;

  AccessTokenVerifier(SigningKeys keys) {
    this.keys = keys;
  }

  /**
   * The claims of a token whose signature is valid; the claims themselves are not checked.
   * Completes with null if the token or its signature is invalid, for any reason; never fails.
   */
  Future<@Nullable JsonObject> claims(String token) {
    JsonObject header = header(token);
    if (header == null
        || header.containsKey("crit")
        || !(header.getValue("kid") instanceof String id)
        || !(header.getValue("alg") instanceof String algorithm)) {
      return Future.succeededFuture(null);
    }
    return keys.find(id)
        .compose(
            key ->
                key == null || !key.algorithm().equals(algorithm)
                    ? Future.succeededFuture(null)
                    : key.verifier()
                        .authenticate(new TokenCredentials(token))
                        .map(user -> user.attributes().getJsonObject("accessToken")))
        .otherwise((JsonObject) null);
  }

  private static @Nullable JsonObject header(String token) {
    int dot = token.indexOf('.');
    int last = token.lastIndexOf('.');
    if (token.length() > MAX_LENGTH || dot <= 0 || last <= dot + 1 || last == token.length() - 1) {
      return null;
    }
    try {
      return new JsonObject(Buffer.buffer(Base64.getUrlDecoder().decode(token.substring(0, dot))));
    } catch (IllegalArgumentException | DecodeException | ClassCastException e) {
      return null;
    }
  }
}
