package dev.mcpbus.security;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.auth.JWTOptions;
import io.vertx.ext.auth.jwt.JWTAuth;
import io.vertx.ext.auth.jwt.JWTAuthOptions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys that tokens may be signed with. A key that is not known makes it look again, but no
 * oftener than every {@value #PAUSE_SECONDS} s, whatever callers send; a key that was taken off the
 * set stays good until the tokens are old that it may have signed. Confined to one context.
 */
final class SigningKeys {

  static final int PAUSE_SECONDS = 30;

  private static final Duration PAUSE = Duration.ofSeconds(PAUSE_SECONDS);

  /** A set that nobody missed a key of is still looked at, for keys that were taken off. */
  private static final Duration REFRESH = Duration.ofMinutes(10);

  /** Access tokens seldom live longer. */
  private static final Duration RETIRED = Duration.ofHours(1);

  private static final int MAX_KEYS = 100;
  private static final Logger LOG = LoggerFactory.getLogger(SigningKeys.class);

  /** No algorithm with a secret that we would share, and none without a signature. */
  private static final Map<String, Set<String>> ALGORITHMS =
      Map.of(
          "RSA", Set.of("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
          "EC", Set.of("ES256", "ES384", "ES512"),
          "OKP", Set.of("EdDSA"));

  private static final Map<String, String> CURVES =
      Map.of("P-256", "ES256", "P-384", "ES384", "P-521", "ES512");

  /**
   * One key.
   *
   * @param verifier of signatures alone: what a token says is looked at elsewhere
   */
  record Key(String algorithm, JWTAuth verifier) {}

  private record Held(Key key, long seen) {}

  private final Vertx vertx;
  private final Supplier<Future<List<JsonObject>>> source;
  private final LongSupplier nanos;
  private final Map<String, Held> keys = new HashMap<>();
  private @Nullable Future<Void> looking;
  private boolean asked;
  private long askedAt;

  /**
   * @param source gives the current set
   */
  SigningKeys(Vertx vertx, Supplier<Future<List<JsonObject>>> source, LongSupplier nanos) {
    this.vertx = vertx;
    this.source = source;
    this.nanos = nanos;
  }

  /** Never fails: null where there is no such key, or nobody can say. */
  Future<@Nullable Key> find(String id) {
    long now = nanos.getAsLong();
    Held held = keys.get(id);
    boolean old = held != null && now - held.seen() > REFRESH.toNanos();
    if (held != null && !old) {
      return Future.succeededFuture(held.key());
    }
    Future<Void> look = looking;
    if (look == null) {
      if (asked && now - askedAt < PAUSE.toNanos()) {
        return Future.succeededFuture(current(id, now));
      }
      look = look(now);
    }
    return held != null && current(id, now) != null
        ? Future.succeededFuture(held.key())
        : look.map(looked -> current(id, nanos.getAsLong()));
  }

  private @Nullable Key current(String id, long now) {
    Held held = keys.get(id);
    return held == null || now - held.seen() > RETIRED.toNanos() ? null : held.key();
  }

  private Future<Void> look(long now) {
    asked = true;
    askedAt = now;
    Future<Void> look =
        source
            .get()
            .onSuccess(this::take)
            .onFailure(
                failure ->
                    LOG.warn(
                        "auth: the keys of the token issuer cannot be had: {}",
                        failure.getMessage()))
            .<Void>mapEmpty()
            .otherwiseEmpty();
    if (!look.isComplete()) {
      looking = look;
      look.onComplete(done -> looking = null);
    }
    return look;
  }

  private void take(List<JsonObject> set) {
    long now = nanos.getAsLong();
    keys.values().removeIf(held -> now - held.seen() > RETIRED.toNanos());
    for (JsonObject jwk : set) {
      if (keys.size() < MAX_KEYS
          && jwk.getValue("kid") instanceof String id
          && jwk.getValue("use", "sig").equals("sig")) {
        Key key = key(jwk);
        if (key != null) {
          keys.put(id, new Held(key, now));
        }
      }
    }
  }

  /** Null for a key that no token may be signed with. */
  private @Nullable Key key(JsonObject jwk) {
    String type = String.valueOf(jwk.getValue("kty"));
    String algorithm =
        switch (type) {
          case "RSA" -> String.valueOf(jwk.getValue("alg", "RS256"));
          case "EC" -> CURVES.getOrDefault(String.valueOf(jwk.getValue("crv")), "");
          case "OKP" -> "EdDSA";
          default -> "";
        };
    if (!ALGORITHMS.getOrDefault(type, Set.of()).contains(algorithm)) {
      return null;
    }
    try {
      JWTAuthOptions options =
          new JWTAuthOptions()
              .addJwk(jwk.copy().put("alg", algorithm))
              .setJWTOptions(new JWTOptions().setIgnoreExpiration(true));
      return new Key(algorithm, JWTAuth.create(vertx, options));
    } catch (RuntimeException e) {
      LOG.warn("auth: a key of the token issuer cannot be used: {}", e.getClass().getSimpleName());
      return null;
    }
  }
}
