package dev.mcpbus.security.oauth;

import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Seals bytes with AES-256-GCM: they can be neither read nor changed without the key. Thread-safe.
 */
public final class AesGcmSeal {

  private static final int NONCE = 12;
  private static final int TAG_BITS = 128;
  static final int KEY_BYTES = 32;

  private final SecretKeySpec key;

  private AesGcmSeal(SecretKeySpec key) {
    this.key = key;
  }

  /**
   * @param key 32 bytes in Base64
   * @throws IllegalArgumentException if the key is invalid; the message does not show it
   */
  public static AesGcmSeal of(String key) {
    return of(bytes(key));
  }

  /**
   * @param key 32 bytes
   */
  static AesGcmSeal of(byte[] key) {
    return new AesGcmSeal(new SecretKeySpec(key, "AES"));
  }

  /** The bytes of a key in Base64; throws as {@link #of(String)} does. */
  static byte[] bytes(String key) {
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(key.strip());
    } catch (IllegalArgumentException e) {
      bytes = new byte[0];
    }
    if (bytes.length != KEY_BYTES) {
      throw new IllegalArgumentException(
          "the token key must be 32 bytes in Base64: make one with \"openssl rand -base64 32\"");
    }
    return bytes;
  }

  /**
   * @param place bound to the sealed bytes: they open with the same place only
   */
  public byte[] seal(byte[] plain, byte[] place) throws GeneralSecurityException {
    byte[] nonce = OAuthDigests.random(NONCE);
    byte[] hidden = cipher(Cipher.ENCRYPT_MODE, nonce, place).doFinal(plain);
    byte[] sealed = Arrays.copyOf(nonce, NONCE + hidden.length);
    System.arraycopy(hidden, 0, sealed, NONCE, hidden.length);
    return sealed;
  }

  /**
   * @throws GeneralSecurityException if the bytes were sealed with another key or for another
   *     place, or were changed
   */
  public byte[] open(byte[] sealed, byte[] place) throws GeneralSecurityException {
    if (sealed.length < NONCE) {
      throw new GeneralSecurityException("too short");
    }
    return cipher(Cipher.DECRYPT_MODE, Arrays.copyOf(sealed, NONCE), place)
        .doFinal(sealed, NONCE, sealed.length - NONCE);
  }

  private Cipher cipher(int mode, byte[] nonce, byte[] place) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
    cipher.updateAAD(place);
    return cipher;
  }
}
