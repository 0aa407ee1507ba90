package dev.mcpbus.security;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.factories.DefaultJWSVerifierFactory;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.util.Base64URL;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The public keys of the token issuer. An unknown key id makes it fetch the set again, but at most
 * every {@value #PAUSE_SECONDS} s, whatever callers send; every second while fetches fail. A key
 * that the issuer removed stays valid for {@link #RETIRED}, as tokens that it signed are still in
 * use. Confined to one context.
 */
public final class SigningKeys {

  public static final int PAUSE_SECONDS = 30;

  private static final Duration PAUSE = Duration.ofSeconds(PAUSE_SECONDS);

  /** After a fetch that failed: its source has asked several times already. */
  private static final Duration SHORT_PAUSE = Duration.ofSeconds(1);

  /** Even without unknown key ids the set is fetched again, to notice removed keys. */
  private static final Duration REFRESH = Duration.ofMinutes(10);

  /** Access tokens seldom live longer. */
  private static final Duration RETIRED = Duration.ofHours(1);

  private static final int MAX_KEYS = 100;
  private static final Logger LOG = LoggerFactory.getLogger(SigningKeys.class);

  /** Asymmetric signatures only: no shared secret, and no token without a signature. */
  private static final Map<String, Set<String>> ALGORITHMS =
      Map.of(
          "RSA", Set.of("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
          "EC", Set.of("ES256", "ES384", "ES512"),
          "OKP", Set.of("EdDSA"));

  private static final Map<String, String> CURVES =
      Map.of("P-256", "ES256", "P-384", "ES384", "P-521", "ES512");

  /** What stands before the bytes of a key of EdDSA in X.509 (RFC 8410), by its curve. */
  private static final Map<String, String> EDWARDS =
      Map.of("Ed25519", "302a300506032b6570032100", "Ed448", "3043300506032b6571033a00");

  /** One key. */
  public record SigningKey(String algorithm, PublicKey key) {

    /** Checks the signature alone; {@link TokenRules} checks the claims. */
    public boolean hasSigned(String text, byte[] signature) {
      byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
      try {
        if (algorithm.equals("EdDSA")) { // which Nimbus does with another library only
          Signature check = Signature.getInstance(algorithm);
          check.initVerify(key);
          check.update(bytes);
          return check.verify(signature);
        }
        JWSHeader header = new JWSHeader(JWSAlgorithm.parse(algorithm));
        return new DefaultJWSVerifierFactory()
            .createJWSVerifier(header, key)
            .verify(header, bytes, Base64URL.encode(signature));
      } catch (JOSEException | GeneralSecurityException e) {
        return false;
      }
    }
  }

  private record CachedKey(SigningKey key, long seen) {}

  private final Supplier<Future<List<JsonObject>>> source;
  private final LongSupplier nanos;
  private final Map<String, CachedKey> keys = new HashMap<>();
  private @Nullable Future<Void> fetching;
  private Duration pause = PAUSE;
  private boolean fetched;
  private long fetchedAt;

  /**
   * @param source fetches the present set
   */
  public SigningKeys(Supplier<Future<List<JsonObject>>> source, LongSupplier nanos) {
    this.source = source;
    this.nanos = nanos;
  }

  /**
   * The key with this id; completes with null if there is no such key or the set cannot be fetched.
   * Never fails.
   */
  public Future<@Nullable SigningKey> find(String id) {
    long now = nanos.getAsLong();
    CachedKey held = keys.get(id);
    boolean old = held != null && now - held.seen() > REFRESH.toNanos();
    if (held != null && !old) {
      return Future.succeededFuture(held.key());
    }
    Future<Void> fetch = fetching;
    if (fetch == null) {
      if (fetched && now - fetchedAt < pause.toNanos()) {
        return Future.succeededFuture(current(id, now));
      }
      fetch = fetch(now);
    }
    return held != null && current(id, now) != null
        ? Future.succeededFuture(held.key())
        : fetch.map(done -> current(id, nanos.getAsLong()));
  }

  private @Nullable SigningKey current(String id, long now) {
    CachedKey held = keys.get(id);
    return held == null || now - held.seen() > RETIRED.toNanos() ? null : held.key();
  }

  private Future<Void> fetch(long now) {
    fetched = true;
    fetchedAt = now;
    pause = PAUSE;
    Future<Void> fetch =
        source
            .get()
            .onSuccess(this::take)
            .onFailure(
                failure -> {
                  pause = SHORT_PAUSE;
                  LOG.warn(
                      "auth: cannot fetch the keys of the token issuer: {}", failure.getMessage());
                })
            .<Void>mapEmpty()
            .otherwiseEmpty();
    if (!fetch.isComplete()) {
      fetching = fetch;
      fetch.onComplete(done -> fetching = null);
    }
    return fetch;
  }

  private void take(List<JsonObject> set) {
    long now = nanos.getAsLong();
    keys.values().removeIf(held -> now - held.seen() > RETIRED.toNanos());
    for (JsonObject jwk : set) {
      if (keys.size() < MAX_KEYS
          && jwk.getValue("kid") instanceof String id
          && jwk.getValue("use", "sig").equals("sig")) {
        SigningKey key = key(jwk);
        if (key != null) {
          keys.put(id, new CachedKey(key, now));
        }
      }
    }
  }

  /** Null for a key of an algorithm that is not allowed. */
  private static @Nullable SigningKey key(JsonObject jwk) {
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
    JsonObject bare = jwk.copy(); // what else the set says of a key does not count
    bare.fieldNames().retainAll(Set.of("kty", "crv", "x", "y", "n", "e"));
    try {
      PublicKey key =
          switch (type) {
            case "RSA" -> RSAKey.parse(bare.encode()).toPublicKey();
            case "EC" -> ECKey.parse(bare.encode()).toPublicKey();
            default -> edwards(bare);
          };
      return new SigningKey(algorithm, key);
    } catch (Exception e) { // of many kinds, for what is no key
      LOG.warn("auth: a key of the token issuer cannot be used: {}", e.getClass().getSimpleName());
      return null;
    }
  }

  private static PublicKey edwards(JsonObject jwk) throws GeneralSecurityException {
    byte[] point = Base64.getUrlDecoder().decode(jwk.getString("x"));
    String whole = EDWARDS.get(jwk.getString("crv")) + HexFormat.of().formatHex(point);
    return KeyFactory.getInstance("EdDSA")
        .generatePublic(new X509EncodedKeySpec(HexFormat.of().parseHex(whole)));
  }
}
