package dev.mcpbus.security;

import dev.mcpbus.security.AuthOptions.Jwt;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.auth.authentication.TokenCredentials;
import java.time.InstantSource;
import java.util.Base64;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Access tokens that are JWTs (RFC 9068). Who is refused does not learn why. Confined to the
 * context of its {@link KeyRing}.
 */
final class Tokens {

  /** Longer ones are nobody's, and are not even decoded. */
  private static final int MAX_LENGTH = 16 * 1024;

  private static final int MAX_NAME = 256;
  static final String PREFIX = "jwt:";

  /** A good token. */
  record Bearer(Principal principal, boolean hasScopes) {}

  private final Jwt options;
  private final KeyRing keys;
  private final InstantSource clock;

  Tokens(Jwt options, KeyRing keys, InstantSource clock) {
    this.options = options;
    this.keys = keys;
    this.clock = clock;
  }

  /** Never fails: null where the token is not good, for whatever reason. */
  Future<@Nullable Bearer> check(String token) {
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
                        .map(user -> bearer(user.attributes().getJsonObject("accessToken"))))
        .otherwise((Bearer) null);
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

  private @Nullable Bearer bearer(JsonObject claims) {
    long now = clock.instant().getEpochSecond();
    long leeway = options.leeway().toSeconds();
    boolean good =
        options.issuer().equals(claims.getValue("iss"))
            && isForUs(claims.getValue("aud"))
            && claims.getValue("exp") instanceof Number exp
            && now < exp.longValue() + leeway
            && hasBegun(claims.getValue("nbf"), now + leeway)
            && hasBegun(claims.getValue("iat"), now + leeway);
    if (!good
        || !(claims.getValue("sub") instanceof String subject)
        || subject.isEmpty()
        || subject.length() > MAX_NAME) {
      return null;
    }
    NavigableSet<String> scopes = scopes(claims);
    boolean admin = options.adminScopes().stream().anyMatch(scopes::contains);
    return new Bearer(
        new Principal(PREFIX + subject, scopes, admin),
        scopes.containsAll(options.requiredScopes()));
  }

  private boolean isForUs(@Nullable Object audience) {
    return audience instanceof JsonArray several
        ? several.stream().anyMatch(options.audience()::contains)
        : audience instanceof String one && options.audience().contains(one);
  }

  private static boolean hasBegun(@Nullable Object time, long now) {
    return time == null || (time instanceof Number number && number.longValue() <= now);
  }

  /** {@code scope} is a text (RFC 9068), {@code scp} what some servers write instead. */
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
