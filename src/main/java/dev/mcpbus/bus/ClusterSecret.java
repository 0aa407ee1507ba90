package dev.mcpbus.bus;

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
 * What the nodes of a cluster know and nobody else. It never travels: what travels is made with
 * keys derived from it, one key for each purpose, so that nothing made for one purpose is valid for
 * another. Safe on every thread.
 */
public final class ClusterSecret implements Shareable {

  /** Fewer characters are refused. */
  public static final int LEAST = 32;

  private static final int MOST = 4_096;
  private static final String HASH = "HmacSHA256";
  private static final String PLACE = "dev.mcpbus.cluster-secret";
  private static final int NAME_BYTES = 8;

  private final byte[] root;

  private ClusterSecret(byte[] root) {
    this.root = root;
  }

  /**
   * @param text at least 32 characters that nobody can guess, such as what {@code openssl rand
   *     -base64 32} prints; white space around it does not count
   * @throws IllegalArgumentException where it is too short or too long; does not show it
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

  /** From now on it is that of this Vert.x. */
  public void register(Vertx vertx) {
    vertx.sharedData().<String, ClusterSecret>getLocalMap(PLACE).put(PLACE, this);
  }

  /** That of this Vert.x; null where none was registered. */
  public static @Nullable ClusterSecret find(Vertx vertx) {
    return vertx.sharedData().<String, ClusterSecret>getLocalMap(PLACE).get(PLACE);
  }

  /**
   * That of this Vert.x.
   *
   * @throws IllegalStateException where none was registered, with the remedy
   */
  public static ClusterSecret of(Vertx vertx) {
    ClusterSecret found = find(vertx);
    if (found == null) {
      throw missing();
    }
    return found;
  }

  /** What a clustered Vert.x without one fails with; says the remedy. */
  public static IllegalStateException missing() {
    return new IllegalStateException(
        "this Vert.x is clustered and has no cluster secret; make it with HazelcastCluster.start, or"
            + " call SignedMessages.install(vertx, ClusterSecret.of(...)) before mcpbus starts");
  }

  /**
   * A key of 32 bytes.
   *
   * @param purpose another key for each
   */
  public byte[] key(String purpose) {
    return hmac(root).doFinal(("key " + purpose).getBytes(StandardCharsets.UTF_8));
  }

  /**
   * The name under which the cluster's engine joins: clusters with different secrets never meet. It
   * is no secret itself; whoever hears the network reads it.
   *
   * @param name as it is configured
   */
  public String clusterName(String name) {
    byte[] mac = hmac(key("cluster name")).doFinal(name.getBytes(StandardCharsets.UTF_8));
    return name + "-" + HexFormat.of().formatHex(mac, 0, NAME_BYTES);
  }

  /**
   * What proves that somebody who knows the secret said this.
   *
   * @param purpose of the key
   * @param parts kept apart: {@code "a", "bc"} is something else than {@code "ab", "c"}
   * @return 43 characters of Base64
   */
  public String proof(String purpose, String... parts) {
    Mac mac = hmac(key(purpose));
    for (String part : parts) {
      update(mac, part.getBytes(StandardCharsets.UTF_8));
    }
    return Base64.getUrlEncoder().withoutPadding().encodeToString(mac.doFinal());
  }

  /** Whether {@link #proof} made this of the same; takes as long whatever differs. */
  public boolean isProof(String proof, String purpose, String... parts) {
    return MessageDigest.isEqual(
        proof.getBytes(StandardCharsets.UTF_8),
        proof(purpose, parts).getBytes(StandardCharsets.UTF_8));
  }

  /** Ready to use, by one thread. */
  public static Mac hmac(byte[] key) {
    try {
      Mac mac = Mac.getInstance(HASH);
      mac.init(new SecretKeySpec(key, HASH));
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(HASH + " is part of every Java", e);
    }
  }

  /** Adds a part with its length in front. */
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
    return HASH.hashCode(); // says nothing of the secret
  }

  @Override
  public String toString() {
    return "***";
  }
}
