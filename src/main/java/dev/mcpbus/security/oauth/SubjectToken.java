package dev.mcpbus.security.oauth;

import dev.mcpbus.protocol.Sensitive;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Whether the token of a caller can be exchanged (RFC 8693), as far as its own claims say so. A
 * door has verified it; the authorization server decides on all else.
 */
final class SubjectToken {

  private static final int PARTS = 3;

  private SubjectToken() {}

  /**
   * Why a token is not sent to be exchanged; null if nothing is against it.
   *
   * @param token null for none
   */
  static @Nullable String flaw(@Nullable Sensitive token, Instant now) {
    if (token == null) {
      return "the caller has no token that can be exchanged: come in with a token of the identity"
          + " provider, not with an API key";
    }
    JsonObject claims = claims(token.reveal());
    if (claims.getValue("cnf") != null) {
      return "the caller's token is bound to a key (\"cnf\"), and only the caller can prove that"
          + " key: come in with a token that is not bound";
    }
    return claims.getValue("exp") instanceof Number exp && exp.longValue() <= now.getEpochSecond()
        ? "the caller's token has expired: come in with a new one"
        : null;
  }

  /** How long a token may still be good; null where it does not say so. */
  static @Nullable Duration left(Sensitive token, Instant now) {
    return claims(token.reveal()).getValue("exp") instanceof Number exp
        ? Duration.ofSeconds(Math.max(1, exp.longValue() - now.getEpochSecond()))
        : null;
  }

  /** Empty for an opaque token. */
  private static JsonObject claims(String token) {
    String[] parts = token.split("\\.", PARTS + 1);
    try {
      return parts.length == PARTS
          ? new JsonObject(
              new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8))
          : new JsonObject();
    } catch (IllegalArgumentException | DecodeException e) {
      return new JsonObject();
    }
  }
}
