package dev.mcpbus.security;

import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * What a presented token came to: claims that an issuer vouches for, or why there are none.
 * Immutable.
 *
 * @param claims only read; null with a refusal
 * @param refusal null with claims
 */
record TokenOutcome(@Nullable JsonObject claims, @Nullable TokenRefusal refusal) {

  static final TokenOutcome INVALID = new TokenOutcome(null, TokenRefusal.INVALID);

  static TokenOutcome of(JsonObject claims) {
    return new TokenOutcome(claims, null);
  }

  static TokenOutcome refused(TokenRefusal why) {
    return new TokenOutcome(null, why);
  }

  /** Without the claims. */
  @Override
  public String toString() {
    return refusal == null ? "TokenOutcome[valid]" : "TokenOutcome[" + refusal + "]";
  }
}
