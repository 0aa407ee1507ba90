package dev.mcpbus.bus;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Vertx;
import io.vertx.core.shareddata.Shareable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The secret that only the nodes of a cluster have. It is never sent. The nodes derive one key for
 * each purpose from it, so that a proof for one purpose is not valid for another. Immutable; any
 * thread may call.
 */
@PublicApi
public final class ClusterSecret implements Shareable {

  /** The least number of characters of a secret. */
  public static final int LEAST = 32;

  private static final int MOST = 4_096;
  private static final String HASH = "HmacSHA256";
  private static final String KEY = "dev.mcpbus.cluster-secret";
  private static final int NAME_BYTES = 8;

  private final byte[] root;

  private ClusterSecret(byte[] root) {
    this.root = root;
  }

  /**
   * @param text at least 32 random characters, such as the output of {@code openssl rand -base64
   *     32}; white space around them is ignored
   * @throws IllegalArgumentException if the text is too short or too long; the message does not
   *     contain the text
   */
  public static ClusterSecret of(String text) {
    String stripped = text.strip();
    if (stripped.length() < LEAST || stripped.length() > MOST) {
      throw new IllegalArgumentException(
          "a cluster secret has "
              + LEAST
              + " to "
              + MOST
              + " characters, and this one has "
              + stripped.length()
              + "; make one with: openssl rand -base64 32");
    }
    return new ClusterSecret(
        hmac("mcpbus cluster 1".getBytes(StandardCharsets.US_ASCII))
            .doFinal(stripped.getBytes(StandardCharsets.UTF_8)));
  }

  /** Makes this the secret of a Vert.x; {@link #of(Vertx)} returns it from now on. */
  public void register(Vertx vertx) {
    vertx.sharedData().<String, ClusterSecret>getLocalMap(KEY).put(KEY, this);
  }

  /** The secret of a Vert.x; null if none was registered. */
  public static @Nullable ClusterSecret find(Vertx vertx) {
    return vertx.sharedData().<String, ClusterSecret>getLocalMap(KEY).get(KEY);
  }

  /**
   * The secret of a Vert.x.
   *
   * @throws IllegalStateException if none was registered, with the remedy
   */
  public static ClusterSecret of(Vertx vertx) {
    ClusterSecret found = find(vertx);
    if (found == null) {
      throw missing();
    }
    return found;
  }

  /** The failure of a clustered Vert.x without a secret, with the remedy. */
  public static IllegalStateException missing() {
    return new IllegalStateException(
        "this Vert.x is clustered and has no cluster secret; call McpBus.clustered(vertx,"
            + " ClusterSecret.of(...)) before McpBus.start, or make it with HazelcastCluster.start; a"
            + " process that is no node calls SignedMessages.install");
  }

  /**
   * A derived key of 32 bytes.
   *
   * @param purpose each purpose has its own key
   */
  public byte[] key(String purpose) {
    return hmac(root).doFinal(("key " + purpose).getBytes(StandardCharsets.UTF_8));
  }

  /**
   * The name of the Hazelcast cluster. It depends on the secret, so nodes with different secrets
   * form different clusters. The name itself is not secret: it is sent in clear text.
   *
   * @param name the configured name
   */
  public String clusterName(String name) {
    byte[] mac = hmac(key("cluster name")).doFinal(name.getBytes(StandardCharsets.UTF_8));
    return name + "-" + HexFormat.of().formatHex(mac, 0, NAME_BYTES);
  }

  /**
   * The proof that the author of a message has the secret.
   *
   * @param purpose the purpose of the key
   * @param parts the message; its division counts: {@code "a", "bc"} is not {@code "ab", "c"}
   * @return 43 characters of Base64
   */
  public String proof(String purpose, String... parts) {
    Mac mac = hmac(key(purpose));
    for (String part : parts) {
      update(mac, part.getBytes(StandardCharsets.UTF_8));
    }
    return Base64.getUrlEncoder().withoutPadding().encodeToString(mac.doFinal());
  }

  /** Whether {@code proof} is the proof of these parts. Compares in constant time. */
  public boolean isProof(String proof, String purpose, String... parts) {
    return MessageDigest.isEqual(
        proof.getBytes(StandardCharsets.UTF_8),
        proof(purpose, parts).getBytes(StandardCharsets.UTF_8));
  }

  /** A new HMAC-SHA256 with this key, for use by one thread. */
  public static Mac hmac(byte[] key) {
    try {
      Mac mac = Mac.getInstance(HASH);
      mac.init(new SecretKeySpec(key, HASH));
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(HASH + " is missing; every Java runtime has it", e);
    }
  }

  /** Adds a part to an HMAC, with its length in front. */
  public static void update(Mac mac, byte[] part) {
    mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).array());
    mac.update(part);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ClusterSecret secret && MessageDigest.isEqual(root, secret.root);
  }

  @Override
  public int hashCode() {
    return HASH.hashCode(); // reveals nothing about the secret
  }

  @Override
  public String toString() {
    return "***";
  }
}
