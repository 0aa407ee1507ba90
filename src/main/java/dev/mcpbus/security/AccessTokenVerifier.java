package dev.mcpbus.security;

import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
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
   * The claims of an access token whose signature is valid; of the claims only those that say what
   * kind of JWT it is are checked. Completes with null if the token or its signature is invalid,
   * for any reason; never fails.
   */
  Future<@Nullable JsonObject> claims(String token) {
    String[] parts = token.length() > MAX_LENGTH ? new String[0] : token.split("\\.", 4);
    JsonObject header = parts.length == 3 && !parts[2].isEmpty() ? object(parts[0]) : null;
    JsonObject claims = header == null ? null : object(parts[1]);
    if (header == null
        || claims == null
        || header.containsKey("crit")
        || header.containsKey("b64")
        || !(header.getValue("kid") instanceof String id)
        || !(header.getValue("alg") instanceof String algorithm)
        || !TokenRules.isAccessToken(header, claims)) {
      return Future.succeededFuture(null);
    }
    return keys.find(id)
        .map(
            key ->
                key != null
                        && key.algorithm().equals(algorithm)
                        && key.hasSigned(
                            parts[0] + "." + parts[1], Base64.getUrlDecoder().decode(parts[2]))
                    ? claims
                    : null)
        .otherwise((JsonObject) null);
  }

  /**
   * The strict reading of one part: an object in which no member stands twice, so the claims that
   * are decided on are those that every reader finds. Null for all else.
   */
  private static @Nullable JsonObject object(String part) {
    try {
      Buffer text = Buffer.buffer(Base64.getUrlDecoder().decode(part));
      return RawJson.checkedObject(text, ParseLimits.DEFAULT).toJsonObject();
    } catch (IllegalArgumentException | ProtocolException e) {
      return null;
    }
  }
}
