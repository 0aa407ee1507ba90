package dev.mcpbus.security.oauth;

import dev.mcpbus.protocol.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;

/** Random values and digests in the forms of OAuth. Thread-safe. */
public final class OAuthDigests {

  private static final SecureRandom RANDOM = new SecureRandom();

  private OAuthDigests() {}

  public static byte[] random(int length) {
    byte[] bytes = new byte[length];
    RANDOM.nextBytes(bytes);
    return bytes;
  }

  /** A random value of 256 bits, 43 characters: for a state or a code verifier. */
  public static String secret() {
    return base64Url(random(32));
  }

  /** The S256 code challenge (RFC 7636) of a verifier. */
  public static String s256(String verifier) {
    return base64Url(Sha256.of(verifier.getBytes(StandardCharsets.US_ASCII)));
  }

  public static String base64Url(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** Compares in a time that does not depend on the position of the difference. */
  public static boolean same(String a, String b) {
    return MessageDigest.isEqual(
        a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
  }
}
