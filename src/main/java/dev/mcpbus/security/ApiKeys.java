package dev.mcpbus.security;

import dev.mcpbus.protocol.Sha256;
import dev.mcpbus.security.AuthOptions.ApiKey;
import dev.mcpbus.security.PresentedCredential.CredentialHolder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The configured API keys, known by their hashes. {@link AuthState} owns it; immutable, safe on
 * every thread.
 */
public final class ApiKeys {

  /** The beginning of every key, by which mcpbus tells its keys from other credentials. */
  public static final String PREFIX = "mcpbus_";

  private static final String ALGORITHM = "sha256:";
  private static final int BYTES = 32;

  /**
   * A new key and its hash for the configuration. mcpbus shows the key once and does not store it.
   */
  public record Fresh(String key, String hash) {

    @Override
    public String toString() {
      return "Fresh[" + hash + "]";
    }
  }

  private static final class KnownKey {
    private final byte[] hash;
    private final CredentialHolder holder;

    KnownKey(byte[] hash, CredentialHolder holder) {
      this.hash = hash;
      this.holder = holder;
    }
  }

  private final List<KnownKey> keys = new ArrayList<>();

  ApiKeys(List<ApiKey> keys) {
    for (ApiKey key : keys) {
      byte[] hash = HexFormat.of().parseHex(key.hash().substring(ALGORITHM.length()));
      Principal principal = new Principal(key.name(), new TreeSet<>(key.roles()), key.admin());
      this.keys.add(new KnownKey(hash, new CredentialHolder(principal, key.expires(), true)));
    }
  }

  /** Generates a key of 256 random bits. */
  public static Fresh generate(SecureRandom random) {
    byte[] bytes = new byte[BYTES];
    random.nextBytes(bytes);
    String key = PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    return new Fresh(key, ALGORITHM + HexFormat.of().formatHex(hash(key)));
  }

  /**
   * The holder of the key with this hash; null if the key is unknown. Compares with every known
   * key, so the time does not show whether there is a match.
   */
  @Nullable CredentialHolder holder(byte[] hash) {
    CredentialHolder found = null;
    for (KnownKey known : keys) {
      if (MessageDigest.isEqual(known.hash, hash)) {
        found = known.holder;
      }
    }
    return found;
  }

  /** The hash of a key that a caller presented. */
  static PresentedCredential credential(String key) {
    return new PresentedCredential.PresentedKey(hash(key));
  }

  private static byte[] hash(String key) {
    return Sha256.of(key.getBytes(StandardCharsets.UTF_8));
  }
}
