package dev.mcpbus.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.TestBus;
import dev.mcpbus.testing.TokenIssuer;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SigningKeysTest {

  private static final KeyPair PAIR = TokenIssuer.pair();

  private final AtomicLong now = new AtomicLong(7);
  private final AtomicInteger fetches = new AtomicInteger();
  private final List<JsonObject> set = new ArrayList<>();
  private SigningKeys ring;

  @BeforeEach
  void make() {
    set.add(TokenIssuer.jwk("one", PAIR));
    ring =
        new SigningKeys(
            () -> {
              fetches.incrementAndGet();
              return Future.succeededFuture(List.copyOf(set));
            },
            now::get);
  }

  private boolean has(String kid) {
    return TestBus.await(ring.find(kid)) != null;
  }

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  @Test
  void a_key_is_fetched_once() {
    assertThat(has("one")).isTrue();
    assertThat(has("one")).isTrue();
    assertThat(fetches).hasValue(1);
  }

  @Test
  void an_unknown_key_fetches_the_set_again_but_not_often() {
    assertThat(has("one")).isTrue();
    for (int i = 0; i < 100; i++) {
      assertThat(has("two-" + i)).isFalse();
    }
    assertThat(fetches).hasValue(1);
    set.add(TokenIssuer.jwk("two", PAIR));
    assertThat(has("two")).isFalse();
    pass(Duration.ofSeconds(31));
    assertThat(has("two")).isTrue();
    assertThat(fetches).hasValue(2);
  }

  @Test
  void a_fetch_that_failed_is_repeated_after_a_second_not_after_the_pause_of_unknown_keys() {
    AtomicInteger looks = new AtomicInteger();
    SigningKeys shaky =
        new SigningKeys(
            () ->
                looks.incrementAndGet() == 1
                    ? Future.failedFuture("HTTP 503")
                    : Future.succeededFuture(List.copyOf(set)),
            now::get);
    assertThat(TestBus.await(shaky.find("one"))).isNull();
    assertThat(TestBus.await(shaky.find("one"))).isNull();
    assertThat(looks).as("not for each token").hasValue(1);
    pass(Duration.ofSeconds(2));
    assertThat(TestBus.await(shaky.find("one"))).isNotNull();
    assertThat(TestBus.await(shaky.find("two"))).isNull();
    assertThat(looks).hasValue(2);
  }

  @Test
  void a_removed_key_stays_valid_until_its_tokens_have_expired() {
    assertThat(has("one")).isTrue();
    set.clear();
    set.add(TokenIssuer.jwk("two", PAIR));
    pass(Duration.ofMinutes(11));
    assertThat(has("two")).isTrue();
    assertThat(has("one")).isTrue();
    pass(Duration.ofMinutes(50));
    assertThat(has("one")).isFalse();
  }

  @Test
  void concurrent_searches_share_one_fetch() {
    Promise<List<JsonObject>> answer = Promise.promise();
    AtomicInteger looks = new AtomicInteger();
    SigningKeys slow =
        new SigningKeys(
            () -> {
              looks.incrementAndGet();
              return answer.future();
            },
            now::get);
    Future<?> first = slow.find("one");
    Future<?> second = slow.find("one");
    answer.complete(set);
    assertThat(TestBus.await(first)).isNotNull();
    assertThat(TestBus.await(second)).isNotNull();
    assertThat(looks).hasValue(1);
  }

  @Test
  void secrets_and_keys_for_encryption_sign_nothing() {
    set.add(new JsonObject().put("kty", "oct").put("kid", "shared").put("k", "c2VjcmV0"));
    set.add(TokenIssuer.jwk("enc", PAIR).put("use", "enc"));
    set.add(TokenIssuer.jwk("none", PAIR).put("alg", "none"));
    assertThat(has("one")).isTrue();
    for (String kid : List.of("shared", "enc", "none")) {
      assertThat(has(kid)).as(kid).isFalse();
    }
  }

  /** The name that the JDK has for the signature of each algorithm. */
  @ParameterizedTest
  @CsvSource({
    "RS256, SHA256withRSA, RSA, 2048",
    "RS512, SHA512withRSA, RSA, 2048",
    "ES256, SHA256withECDSAinP1363Format, EC, 256",
    "ES384, SHA384withECDSAinP1363Format, EC, 384",
    "ES512, SHA512withECDSAinP1363Format, EC, 521",
    "EdDSA, Ed25519, Ed25519, 255",
    "EdDSA, Ed448, Ed448, 448"
  })
  void each_algorithm_is_verified(String algorithm, String signature, String type, int bits)
      throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance(type);
    generator.initialize(bits);
    KeyPair pair = generator.generateKeyPair();
    set.add(jwk(pair.getPublic(), bits).put("kid", "it").put("alg", algorithm).put("x5c", 7));
    VerificationKey key = Objects.requireNonNull(TestBus.await(ring.find("it")));
    Signature signer = Signature.getInstance(signature);
    signer.initSign(pair.getPrivate());
    signer.update("text".getBytes(StandardCharsets.US_ASCII));
    byte[] signed = signer.sign();
    assertThat(key.algorithm()).isEqualTo(algorithm);
    assertThat(key.hasSigned("text", signed)).isTrue();
    assertThat(key.hasSigned("Text", signed)).isFalse();
    signed[7] ^= 1;
    assertThat(key.hasSigned("text", signed)).isFalse();
    assertThat(key.hasSigned("text", new byte[0])).isFalse();
  }

  @Test
  void what_is_no_key_is_left_out() {
    for (String odd :
        List.of(
            "{'kty':'EC','crv':'P-256','x':'AQ','y':'AQ'}",
            "{'kty':'EC','crv':'P-256'}",
            "{'kty':'RSA','n':7,'e':'AQAB'}",
            "{'kty':'OKP','crv':'X25519','x':'AQ'}",
            "{'kty':'OKP','crv':'Ed25519','x':'AQ'}",
            "{'kty':'OKP'}")) {
      set.add(new JsonObject(odd.replace('\'', '"')).put("kid", "odd-" + set.size()));
    }
    assertThat(has("one")).isTrue();
    for (int i = 1; i < set.size(); i++) {
      assertThat(has("odd-" + i)).as(set.get(i).encode()).isFalse();
    }
  }

  private static JsonObject jwk(PublicKey key, int bits) {
    if (key instanceof RSAPublicKey rsa) {
      return new JsonObject()
          .put("kty", "RSA")
          .put("n", text(rsa.getModulus().toByteArray()))
          .put("e", text(rsa.getPublicExponent().toByteArray()));
    }
    if (key instanceof ECPublicKey curve) {
      int bytes = (bits + 7) / 8;
      return new JsonObject()
          .put("kty", "EC")
          .put("crv", "P-" + bits)
          .put("x", text(fixed(curve.getW().getAffineX(), bytes)))
          .put("y", text(fixed(curve.getW().getAffineY(), bytes)));
    }
    byte[] x509 = key.getEncoded();
    int bytes = bits == 255 ? 32 : 57;
    return new JsonObject()
        .put("kty", "OKP")
        .put("crv", bits == 255 ? "Ed25519" : "Ed448")
        .put("x", text(Arrays.copyOfRange(x509, x509.length - bytes, x509.length)));
  }

  private static byte[] fixed(BigInteger number, int bytes) {
    byte[] padded = new byte[bytes];
    byte[] own = number.toByteArray();
    int length = Math.min(own.length, bytes);
    System.arraycopy(own, own.length - length, padded, bytes - length, length);
    return padded;
  }

  private static String text(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
