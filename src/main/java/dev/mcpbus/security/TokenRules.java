package dev.mcpbus.security;

import dev.mcpbus.security.AuthOptions.Jwt;
import dev.mcpbus.security.PresentedCredential.CredentialHolder;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Checks the claims of a token whose signature is valid (RFC 9068, section 4). Immutable; {@link
 * AccessTokenVerifier} runs before it.
 */
final class TokenRules {

  /** The beginning of the name of a principal that presented a token. */
  static final String PREFIX = "jwt:";

  private static final int MAX_NAME = 256;

  /** The last second of the year 9999, the greatest accepted time. */
  private static final long LAST_SECOND = 253_402_300_799L;

  private final Jwt options;

  TokenRules(Jwt options) {
    this.options = options;
  }

  /** The principal, its scopes and the expiry; null if the claims are not valid for us. */
  @Nullable CredentialHolder holder(JsonObject claims) {
    if (!options.issuer().equals(claims.getValue("iss"))
        || !isForUs(claims.getValue("aud"))
        || !(claims.getValue("exp") instanceof Number exp)
        || !(claims.getValue("sub") instanceof String subject)
        || subject.isEmpty()
        || subject.length() > MAX_NAME) {
      return null;
    }
    long end = Math.max(0, Math.min(exp.longValue(), LAST_SECOND)) + options.leeway().toSeconds();
    NavigableSet<String> scopes = scopes(claims);
    boolean admin = options.adminScopes().stream().anyMatch(scopes::contains);
    return new CredentialHolder(
        new Principal(PREFIX + subject, scopes, admin),
        Instant.ofEpochSecond(end),
        scopes.containsAll(options.requiredScopes()));
  }

  /**
   * Whether the token is of use only with a proof of a key (RFC 9449, RFC 8705). Such a token must
   * not work as a Bearer token (RFC 9449, section 7.1): a thief has no key.
   */
  static boolean isBound(JsonObject claims) {
    return claims.getValue("cnf") != null;
  }

  /** Whether {@code nbf} and {@code iat} are not in the future, within the leeway. */
  boolean hasBegun(JsonObject claims, Instant now) {
    long latest = now.getEpochSecond() + options.leeway().toSeconds();
    return hasBegun(claims.getValue("nbf"), latest) && hasBegun(claims.getValue("iat"), latest);
  }

  private static boolean hasBegun(@Nullable Object time, long latest) {
    return time == null || (time instanceof Number number && number.longValue() <= latest);
  }

  private boolean isForUs(@Nullable Object audience) {
    return audience instanceof JsonArray several
        ? several.stream().anyMatch(options.audience()::contains)
        : audience instanceof String one && options.audience().contains(one);
  }

  /** {@code scope} is a string (RFC 9068); some servers send {@code scp} instead. */
  private static NavigableSet<String> scopes(JsonObject claims) {
    NavigableSet<String> scopes = new TreeSet<>();
    for (String name : new String[] {"scope", "scp"}) {
      Object value = claims.getValue(name);
      if (value instanceof String text && !text.isBlank()) {
        for (String scope : text.strip().split("\\s+", -1)) {
          scopes.add(scope);
        }
      } else if (value instanceof JsonArray list) {
        list.stream().filter(String.class::isInstance).forEach(one -> scopes.add((String) one));
      }
    }
    return scopes;
  }
}
