package dev.mcpbus.security.signin;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.interfaces.EdECPrivateKey;
import java.security.spec.NamedParameterSpec;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The keys that sign access tokens: one of Ed25519 for each day (UTC), derived from the secret, so
 * all nodes have it without a message. The key of the day before verifies what is still valid, that
 * of the next day what a node with a faster clock signed. Thread-safe.
 */
final class TokenKeys {

  private static final String CURVE = "Ed25519";
  private static final int BYTES = 32;

  /**
   * The key of one day.
   *
   * @param id the date
   * @param jwk the public key (RFC 8037)
   */
  record DayKey(String id, PrivateKey secret, PublicKey open, JsonObject jwk) {

    @Override
    public String toString() {
      return "DayKey[" + id + "]";
    }
  }

  private final Function<String, byte[]> secret;
  private final InstantSource clock;
  private final Map<String, DayKey> keys = new ConcurrentHashMap<>();

  /**
   * @param secret the key of 32 bytes for a purpose, the same on all nodes
   */
  TokenKeys(Function<String, byte[]> secret, InstantSource clock) {
    this.secret = secret;
    this.clock = clock;
  }

  /** The key that signs now. */
  DayKey signing() {
    return of(today());
  }

  /** The key with this id; null if no token that is signed with it can be valid. */
  @Nullable DayKey verifying(String id) {
    try {
      LocalDate day = LocalDate.parse(id);
      LocalDate today = today();
      return day.isBefore(today.minusDays(1)) || day.isAfter(today.plusDays(1)) ? null : of(day);
    } catch (DateTimeParseException e) {
      return null;
    }
  }

  /** The public keys of yesterday, today and tomorrow: a JWK set (RFC 7517). */
  JsonObject set() {
    LocalDate today = today();
    JsonArray all = new JsonArray();
    for (int i = -1; i <= 1; i++) {
      all.add(of(today.plusDays(i)).jwk());
    }
    return new JsonObject().put("keys", all);
  }

  private LocalDate today() {
    return LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
  }

  private DayKey of(LocalDate day) {
    String id = day.toString();
    DayKey known = keys.get(id);
    if (known != null) {
      return known;
    }
    DayKey made = made(id, secret.apply("signin token " + id));
    if (keys.size() > 8) {
      keys.clear();
    }
    keys.put(id, made);
    return made;
  }

  private static DayKey made(String id, byte[] seed) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance(CURVE);
      generator.initialize(NamedParameterSpec.ED25519, new SeedRandom(seed));
      KeyPair pair = generator.generateKeyPair();
      byte[] used = ((EdECPrivateKey) pair.getPrivate()).getBytes().orElse(new byte[0]);
      if (!Arrays.equals(used, seed)) {
        throw new IllegalStateException(
            "this Java makes keys of Ed25519 in another way: mcpbus cannot derive one");
      }
      byte[] encoded = pair.getPublic().getEncoded();
      String point =
          Base64.getUrlEncoder()
              .withoutPadding()
              .encodeToString(Arrays.copyOfRange(encoded, encoded.length - BYTES, encoded.length));
      JsonObject jwk =
          new JsonObject()
              .put("kty", "OKP")
              .put("crv", CURVE)
              .put("x", point)
              .put("kid", id)
              .put("use", "sig")
              .put("alg", "EdDSA");
      return new DayKey(id, pair.getPrivate(), pair.getPublic(), jwk);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(CURVE + " is missing; every Java runtime has it", e);
    }
  }

  /** Gives the seed: Java computes a public key only while it generates a pair. */
  private static final class SeedRandom extends SecureRandom {
    private static final long serialVersionUID = 1;
    private final byte[] seed;

    SeedRandom(byte[] seed) {
      this.seed = seed.clone();
    }

    @Override
    public void nextBytes(byte[] bytes) {
      System.arraycopy(seed, 0, bytes, 0, bytes.length);
    }
  }
}
