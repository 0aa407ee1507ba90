package dev.mcpbus.security;

import dev.mcpbus.bus.ClusterSecret;
import io.vertx.core.Vertx;
import io.vertx.core.shareddata.LocalMap;
import io.vertx.core.shareddata.Shareable;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Mac;

/**
 * Nonces for proofs of keys (RFC 9449, section 9): the time and a message authentication code over
 * it, so that nothing is stored and each node of a cluster takes those of the others. The key is
 * derived from the cluster's secret; a node without a cluster makes a random one. A nonce says that
 * a proof is fresh whatever the client's clock says, not that it is used once. One instance for
 * each Vert.x; any thread may call.
 */
final class DpopNonces implements Shareable {

  /** How long a nonce is good; in the second half of it clients get the next one. */
  static final Duration LIFE = Duration.ofMinutes(5);

  /** By how much the clocks of nodes may differ. */
  private static final long SKEW_SECONDS = 30;

  private static final String KEY = "mcpbus.dpop-nonces";
  private static final String PURPOSE = "dpop nonces";
  private static final int MAC_BYTES = 16;
  private static final int KEY_BYTES = 32;

  private final byte[] key;

  /**
   * @param key the same on all nodes
   */
  DpopNonces(byte[] key) {
    this.key = key.clone();
  }

  static DpopNonces of(Vertx vertx) {
    LocalMap<String, DpopNonces> map = vertx.sharedData().getLocalMap(KEY);
    return map.computeIfAbsent(
        KEY,
        absent -> {
          ClusterSecret secret = ClusterSecret.find(vertx);
          byte[] random = new byte[KEY_BYTES];
          new SecureRandom().nextBytes(random);
          return new DpopNonces(secret == null ? random : secret.key(PURPOSE));
        });
  }

  /** A nonce of this moment: 32 characters. */
  String fresh(Instant now) {
    byte[] time = ByteBuffer.allocate(Long.BYTES).putLong(now.getEpochSecond()).array();
    Mac mac = ClusterSecret.hmac(key);
    byte[] nonce = Arrays.copyOf(time, Long.BYTES + MAC_BYTES);
    System.arraycopy(mac.doFinal(time), 0, nonce, Long.BYTES, MAC_BYTES);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(nonce);
  }

  /** How old a nonce of ours is, in seconds; -1 for one that is over, or not of ours. */
  long age(String nonce, Instant now) {
    byte[] bytes;
    try {
      bytes = Base64.getUrlDecoder().decode(nonce);
    } catch (IllegalArgumentException e) {
      return -1;
    }
    if (bytes.length != Long.BYTES + MAC_BYTES) {
      return -1;
    }
    long made = ByteBuffer.wrap(bytes).getLong();
    byte[] own =
        Arrays.copyOf(ClusterSecret.hmac(key).doFinal(Arrays.copyOf(bytes, Long.BYTES)), MAC_BYTES);
    long age = now.getEpochSecond() - made;
    return MessageDigest.isEqual(own, Arrays.copyOfRange(bytes, Long.BYTES, bytes.length))
            && age <= LIFE.toSeconds()
            && age >= -SKEW_SECONDS
        ? Math.max(0, age)
        : -1;
  }
}
