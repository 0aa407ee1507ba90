package dev.mcpbus.bus;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.shareddata.LocalMap;
import io.vertx.core.shareddata.Shareable;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The names by which the clients of every edge know tasks of servers: each says which connection
 * holds the task, and is sealed for the principal that was given it, so that nothing has to be
 * remembered and nobody else but an admin can use it. On the bus a task has its server's own id.
 * The key comes from the cluster's secret; a node on its own makes one. One for each Vert.x, safe
 * on every thread.
 */
public final class SealedTaskIds implements Shareable {

  /**
   * A task of a server.
   *
   * @param connection that holds it: a server's, or a lease
   * @param tool that became the task, by its server's name; empty where that is not told
   * @param own the server's id of it
   */
  public record Named(String connection, String tool, String own) {}

  private static final String KEY = "mcpbus.task-ids";
  private static final String HASH = "HmacSHA256";
  private static final int KEY_BYTES = 32;
  private static final int SEAL_BYTES = 16;
  private static final int MAX_LENGTH = 4_096;
  private static final String SEPARATOR = "\n";

  /** Of a node of its own. */
  private final byte[] own = new byte[KEY_BYTES];

  private volatile byte[] key = new byte[0];

  private SealedTaskIds() {
    new SecureRandom().nextBytes(own);
  }

  public static SealedTaskIds of(Vertx vertx) {
    LocalMap<String, SealedTaskIds> map = vertx.sharedData().getLocalMap(KEY);
    return map.computeIfAbsent(KEY, absent -> new SealedTaskIds());
  }

  /** Completes when names can be made. Idempotent: whoever needs them calls it. */
  public Future<Void> open(Vertx vertx) {
    if (key.length > 0) {
      return Future.succeededFuture();
    }
    // The first use of a hash loads and checks its provider.
    return vertx
        .executeBlocking(() -> mac(secret(vertx), new byte[0]))
        .onSuccess(ready -> key = secret(vertx))
        .mapEmpty();
  }

  private byte[] secret(Vertx vertx) {
    return vertx.isClustered() ? ClusterSecret.of(vertx).key("tasks of the gateway") : own;
  }

  /**
   * @param owner name of the principal that is given the task
   */
  public String seal(String owner, Named task) {
    byte[] text =
        String.join(
                SEPARATOR,
                written(owner),
                task.connection(),
                task.tool().replace('\n', ' '),
                task.own())
            .getBytes(StandardCharsets.UTF_8);
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(Buffer.buffer(mac(ready(), text)).appendBytes(text).getBytes());
  }

  /** Null for what was never given to this principal; an admin may use what others were given. */
  public @Nullable Named open(Requester who, String id) {
    byte[] all = decoded(id);
    if (all.length <= SEAL_BYTES) {
      return null;
    }
    byte[] text = Arrays.copyOfRange(all, SEAL_BYTES, all.length);
    if (!MessageDigest.isEqual(Arrays.copyOf(all, SEAL_BYTES), mac(ready(), text))) {
      return null;
    }
    String[] parts = new String(text, StandardCharsets.UTF_8).split(SEPARATOR, 4);
    boolean his = parts.length == 4 && (who.admin() || parts[0].equals(written(who.name())));
    return his ? new Named(parts[1], parts[2], parts[3]) : null;
  }

  /** Without a separator. */
  private static String written(String owner) {
    return URLEncoder.encode(owner, StandardCharsets.UTF_8);
  }

  private static byte[] decoded(String id) {
    try {
      return id.length() > MAX_LENGTH ? new byte[0] : Base64.getUrlDecoder().decode(id);
    } catch (IllegalArgumentException e) {
      return new byte[0];
    }
  }

  private byte[] ready() {
    byte[] secret = key;
    if (secret.length == 0) {
      throw new IllegalStateException("names of tasks are made after open() has completed");
    }
    return secret;
  }

  private static byte[] mac(byte[] secret, byte[] text) {
    try {
      Mac mac = Mac.getInstance(HASH);
      mac.init(new SecretKeySpec(secret, HASH));
      return Arrays.copyOf(mac.doFinal(text), SEAL_BYTES);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(HASH + " is part of every Java", e);
    }
  }
}
