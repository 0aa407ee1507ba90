package dev.mcpbus.gateway;

import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.security.Principal;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The names by which clients know tasks of servers: each says which connection holds the task, and
 * is sealed for the principal that was given it, so that nothing has to be remembered and nobody
 * else can use it. The key comes from the cluster's secret; a node on its own makes one. Safe on
 * every thread.
 */
final class TaskIds {

  /**
   * A task of a server.
   *
   * @param connection that holds it: a server's, or a lease
   * @param tool that became the task, by its server's name
   * @param own the server's id of it
   */
  record Named(String connection, String tool, String own) {}

  private static final String HASH = "HmacSHA256";
  private static final int SEAL_BYTES = 16;
  private static final int MAX_LENGTH = 4_096;
  private static final String SEPARATOR = "\n";

  private volatile byte[] key = new byte[0];

  /** Completes when names can be made. */
  Future<Void> open(Vertx vertx) {
    key =
        vertx.isClustered()
            ? ClusterSecret.of(vertx).key("tasks of the gateway")
            : vertx
                .sharedData()
                .<String, String>getLocalMap("mcpbus.gateway")
                .computeIfAbsent("tasks", absent -> Gateway.random(32))
                .getBytes(StandardCharsets.US_ASCII);
    // The first use of a hash loads and checks its provider.
    return vertx.executeBlocking(() -> mac(Principal.LOCAL, new byte[0])).mapEmpty();
  }

  String seal(Principal principal, Named task) {
    byte[] text =
        String.join(SEPARATOR, task.connection(), task.tool().replace('\n', ' '), task.own())
            .getBytes(StandardCharsets.UTF_8);
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(Buffer.buffer(mac(principal, text)).appendBytes(text).getBytes());
  }

  /** Null for what was not given to this principal. */
  @Nullable Named open(Principal principal, String id) {
    byte[] all = decoded(id);
    if (all.length <= SEAL_BYTES) {
      return null;
    }
    byte[] text = Arrays.copyOfRange(all, SEAL_BYTES, all.length);
    if (!MessageDigest.isEqual(Arrays.copyOf(all, SEAL_BYTES), mac(principal, text))) {
      return null;
    }
    String[] parts = new String(text, StandardCharsets.UTF_8).split(SEPARATOR, 3);
    return parts.length < 3 ? null : new Named(parts[0], parts[1], parts[2]);
  }

  private static byte[] decoded(String id) {
    try {
      return id.length() > MAX_LENGTH ? new byte[0] : Base64.getUrlDecoder().decode(id);
    } catch (IllegalArgumentException e) {
      return new byte[0];
    }
  }

  private byte[] mac(Principal principal, byte[] text) {
    byte[] secret = key;
    if (secret.length == 0) {
      throw new IllegalStateException("the gateway has not started");
    }
    try {
      Mac mac = Mac.getInstance(HASH);
      mac.init(new SecretKeySpec(secret, HASH));
      byte[] name = principal.name().getBytes(StandardCharsets.UTF_8);
      mac.update(Buffer.buffer().appendInt(name.length).getBytes());
      mac.update(name);
      return Arrays.copyOf(mac.doFinal(text), SEAL_BYTES);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(HASH + " is part of every Java", e);
    }
  }
}
