package dev.mcpbus.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.Signature;
import java.util.Base64;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class VerifiedSignaturesTest {

  /** Equal to a key, and of no use to check anything. */
  private record UselessKey(PublicKey real) implements PublicKey {
    @Override
    public String getAlgorithm() {
      return "EdDSA";
    }

    @Override
    public String getFormat() {
      return "none";
    }

    @Override
    public byte[] getEncoded() {
      return new byte[0];
    }

    @Override
    public boolean equals(Object other) {
      return real.equals(other);
    }

    @Override
    public int hashCode() {
      return real.hashCode();
    }
  }

  private long nanos;
  private final VerifiedSignatures verified = new VerifiedSignatures(() -> nanos);
  private final KeyPair one = pair();

  private static KeyPair pair() {
    try {
      return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static VerificationKey key(PublicKey of) {
    return new VerificationKey("EdDSA", false, of);
  }

  private static String part(String json) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(json.getBytes(UTF_8));
  }

  private UnverifiedToken token(String subject) {
    String signed =
        part("{\"alg\":\"EdDSA\"}") + "." + part(new JsonObject().put("sub", subject).encode());
    try {
      Signature signature = Signature.getInstance("EdDSA");
      signature.initSign(one.getPrivate());
      signature.update(signed.getBytes(UTF_8));
      String text =
          signed + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(signature.sign());
      return Objects.requireNonNull(UnverifiedToken.read(text));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void a_token_is_checked_once() {
    VerificationKey useless = key(new UselessKey(one.getPublic()));
    UnverifiedToken token = token("ada");
    assertThat(verified.hasSigned(useless, token, "there")).as("nobody has checked it").isFalse();
    assertThat(verified.hasSigned(key(one.getPublic()), token, "there")).isTrue();
    assertThat(verified.hasSigned(useless, token, "there")).isTrue();
    assertThat(verified.hasSigned(useless, token("bob"), "there")).isFalse();
  }

  @Test
  void what_one_key_has_signed_another_has_not() {
    UnverifiedToken token = token("ada");
    assertThat(verified.hasSigned(key(one.getPublic()), token, "there")).isTrue();
    assertThat(verified.hasSigned(key(pair().getPublic()), token, "there")).isFalse();
    assertThat(
            verified.hasSigned(
                new VerificationKey("ES256", false, one.getPublic()), token, "there"))
        .isFalse();
  }

  @Test
  void a_token_that_differs_in_any_part_is_checked_itself() {
    UnverifiedToken token = token("ada");
    assertThat(verified.hasSigned(key(one.getPublic()), token, "there")).isTrue();
    UnverifiedToken other = token("bob");
    UnverifiedToken mixed =
        new UnverifiedToken(other.header(), other.claims(), other.signed(), token.signature());
    assertThat(verified.hasSigned(key(one.getPublic()), mixed, "there")).isFalse();
    Buffer cut = token.signature().slice(1, token.signature().length());
    UnverifiedToken moved =
        new UnverifiedToken(token.header(), token.claims(), token.signed() + "A", cut);
    assertThat(verified.hasSigned(key(one.getPublic()), moved, "there")).isFalse();
  }

  @Test
  void who_shows_too_many_bad_ones_is_checked_no_more_for_a_while_and_others_are() {
    VerificationKey good = key(one.getPublic());
    assertThat(verified.hasSigned(good, token("known"), "flood")).isTrue();
    VerificationKey other = key(pair().getPublic());
    for (int i = 0; i < VerifiedSignatures.FAILURES; i++) {
      verified.hasSigned(other, token("bad"), "flood");
    }
    assertThat(verified.hasSigned(good, token("new"), "flood")).isFalse();
    assertThat(verified.hasSigned(good, token("known"), "flood")).isTrue();
    assertThat(verified.hasSigned(good, token("another"), "elsewhere")).isTrue();
    nanos += 1_000_000_000;
    assertThat(verified.hasSigned(good, token("new"), "flood")).isTrue();
  }

  @Test
  void it_remembers_valid_ones_alone_and_no_more_than_its_bound() {
    VerificationKey other = key(pair().getPublic());
    for (int i = 0; i < 20; i++) {
      verified.hasSigned(other, token("bad " + i), "there");
    }
    assertThat(verified.size()).isZero();
    for (int i = 0; i < VerifiedSignatures.MAX + 10; i++) {
      verified.hasSigned(key(one.getPublic()), token("p" + i), "there");
    }
    assertThat(verified.size()).isEqualTo(VerifiedSignatures.MAX);
  }
}
