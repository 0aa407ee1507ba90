package dev.mcpbus.security;

import dev.mcpbus.security.AuthOptions.Issuer;
import dev.mcpbus.security.PresentedCredential.CredentialHolder;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Checks the claims of a token whose signature is valid (RFC 9068, section 4). Immutable; {@link
 * AccessTokenVerifier} runs before it.
 */
final class TokenRules {

  /** The last second of the year 9999, the greatest accepted time. */
  private static final long LAST_SECOND = 253_402_300_799L;

  private static final List<String> SCOPE_CLAIMS = List.of("scope", "scp");

  /** Claims in which issuers name the kind of a JWT, and their words for an access token. */
  private static final List<String> KIND_CLAIMS = List.of("typ", "token_use", "token_type", "tty");

  private static final Set<Object> ACCESS_KINDS =
      Set.of("bearer", "dpop", "access", "access_token", "access-token", "at", "at+jwt", "jwt");

  /** Of id tokens, of security events such as a logout, of DPoP proofs, of introspection. */
  private static final Set<String> OTHER_CLAIMS =
      Set.of("at_hash", "c_hash", "s_hash", "events", "htm", "htu", "token_introspection");

  private final Issuer issuer;

  TokenRules(Issuer issuer) {
    this.issuer = issuer;
  }

  /** The issuer whose tokens these rules are for. */
  Issuer issuer() {
    return issuer;
  }

  /** Whether a token with this {@code iss} is one of this issuer. */
  boolean isFrom(@Nullable Object iss) {
    return iss instanceof String text && issuer.isCalled(text);
  }

  /** Whether a token of this issuer names the principal. */
  boolean names(Principal principal) {
    return principal.name().startsWith(prefix());
  }

  /** The beginning of the names of its principals; no key and no other issuer has it. */
  private String prefix() {
    return issuer.name() + ":";
  }

  /**
   * Whether a JWT is an access token. An issuer signs other JWTs with the same keys, perhaps for
   * the same audience: id tokens, logout tokens, security events, proofs. By the header's {@code
   * typ} (RFC 9068, section 2.1); where that says no more than {@code JWT}, by claims that access
   * tokens do not have, and by those in which Keycloak, Cognito and others name the kind.
   */
  static boolean isAccessToken(JsonObject header, JsonObject claims) {
    String type =
        header.getValue("typ", "JWT") instanceof String typ
            ? typ.toLowerCase(Locale.ROOT).replaceFirst("^application/", "")
            : "";
    if (!type.equals("jwt")) {
      return type.equals("at+jwt");
    }
    Set<Object> kinds = new HashSet<>();
    for (String name : KIND_CLAIMS) {
      if (claims.containsKey(name)) {
        kinds.add(String.valueOf(claims.getValue(name)).toLowerCase(Locale.ROOT));
      }
    }
    return ACCESS_KINDS.containsAll(kinds)
        && OTHER_CLAIMS.stream().noneMatch(claims::containsKey)
        && (!kinds.isEmpty()
            || !claims.containsKey("nonce")
            || SCOPE_CLAIMS.stream().anyMatch(claims::containsKey));
  }

  /** The principal, its scopes and the expiry; null if the claims are not valid for us. */
  @Nullable CredentialHolder holder(JsonObject claims) {
    double end = seconds(claims.getValue("exp"));
    if (!isFrom(claims.getValue("iss")) || !isForUs(claims.getValue("aud")) || Double.isNaN(end)) {
      return null;
    }
    NavigableSet<String> scopes = scopes(claims);
    boolean admin = issuer.adminScopes().stream().anyMatch(scopes::contains);
    Principal principal = issuer.claims().principal(prefix(), claims, scopes, admin);
    return principal == null
        ? null
        : new CredentialHolder(
            principal,
            Instant.ofEpochSecond((long) end + issuer.leeway().toSeconds()),
            scopes.containsAll(issuer.requiredScopes()));
  }

  /**
   * Why a token that the issuer has made for us names nobody: for its owner. Null where it names
   * one, or where it has no {@code sub}, which each access token has.
   */
  @Nullable String unnamed(JsonObject claims) {
    return issuer.claims().name().equals(ClaimMapping.DEFAULT.name())
            || !isForUs(claims.getValue("aud"))
        ? null
        : issuer.claims().unnamed(claims);
  }

  /** By which rules the principal of a token has its roles and the admin right. */
  JsonArray grounds(JsonObject claims) {
    JsonArray grounds = new JsonArray();
    NavigableSet<String> scopes = scopes(claims);
    scopes.forEach(scope -> grounds.add(ClaimMapping.ground(scope, false, "scope")));
    issuer.adminScopes().stream()
        .filter(scopes::contains)
        .forEach(scope -> grounds.add(ClaimMapping.ground(null, true, "adminScopes: " + scope)));
    issuer.claims().addGrounds(claims, grounds);
    return grounds;
  }

  /** Whether a token is for us and not over: what costs nothing to check before its signature. */
  boolean mayCount(JsonObject claims, Instant now) {
    return isForUs(claims.getValue("aud"))
        && seconds(claims.getValue("exp")) + issuer.leeway().toSeconds() > now.getEpochSecond();
  }

  /** Whether {@code nbf} and {@code iat} are not in the future, within the leeway. */
  boolean hasBegun(JsonObject claims, Instant now) {
    long latest = now.getEpochSecond() + issuer.leeway().toSeconds();
    return hasBegun(claims.getValue("nbf"), latest) && hasBegun(claims.getValue("iat"), latest);
  }

  /** False for what is no date, too. */
  private static boolean hasBegun(@Nullable Object time, long latest) {
    return time == null || Math.ceil(seconds(time)) <= latest;
  }

  /** Seconds since 1970 (RFC 7519, section 2); NaN for all that is no number of a date. */
  static double seconds(@Nullable Object time) {
    double seconds = time instanceof Number number ? number.doubleValue() : Double.NaN;
    return seconds >= 0 && seconds <= LAST_SECOND ? seconds : Double.NaN;
  }

  private boolean isForUs(@Nullable Object audience) {
    return audience instanceof JsonArray several
        ? several.stream().allMatch(String.class::isInstance)
            && several.stream().anyMatch(issuer.audience()::contains)
        : audience instanceof String one && issuer.audience().contains(one);
  }

  /**
   * {@code scope} is a string (RFC 9068); some servers send {@code scp} instead. A space alone
   * separates scopes (RFC 6749, section 3.3): any other character belongs to a scope, which then is
   * one that no configuration names.
   */
  private static NavigableSet<String> scopes(JsonObject claims) {
    NavigableSet<String> scopes = new TreeSet<>();
    for (String name : SCOPE_CLAIMS) {
      Object value = claims.getValue(name);
      if (value instanceof String text) {
        scopes.addAll(List.of(text.split(" ")));
      } else if (value instanceof JsonArray list) {
        list.stream().filter(String.class::isInstance).forEach(one -> scopes.add((String) one));
      }
    }
    scopes.remove("");
    return scopes;
  }
}
