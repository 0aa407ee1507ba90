package dev.mcpbus.bus;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
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
 * The task ids that clients of the doors receive. A sealed id holds the connection of the task, its
 * tool and the server's own task id, with a message authentication code over them and over the name
 * of the principal that received it. So mcpbus stores nothing, and only that principal and admins
 * can use the id. On the bus a task has the server's own id. The key is derived from the cluster's
 * secret; a node without a cluster creates a random one. One instance for each Vert.x; any thread
 * may call.
 */
public final class SealedTaskIds implements Shareable {

  /**
   * A task of a server.
   *
   * @param connection the id of the connection that holds the task: a server's id, or the id of a
   *     private connection
   * @param tool the server's own name of the called tool; empty if not known
   * @param own the server's own task id
   */
  public record Named(String connection, String tool, String own) {}

  private static final String KEY = "mcpbus.task-ids";
  private static final String HASH = "HmacSHA256";
  private static final int KEY_BYTES = 32;
  private static final int SEAL_BYTES = 16;
  private static final int MAX_LENGTH = 4_096;
  private static final String SEPARATOR = "\n";

  /** The key of a node without a cluster. */
  private final byte[] own = new byte[KEY_BYTES];

  private volatile byte[] key = new byte[0];

  private SealedTaskIds() {
    new SecureRandom().nextBytes(own);
  }

  public static SealedTaskIds of(Vertx vertx) {
    LocalMap<String, SealedTaskIds> map = vertx.sharedData().getLocalMap(KEY);
    return map.computeIfAbsent(KEY, absent -> new SealedTaskIds());
  }

  /**
   * Completes when ids can be sealed and opened. Idempotent: each component that needs it calls it.
   */
  public Future<Void> open(Vertx vertx) {
    if (key.length > 0) {
      return Future.succeededFuture();
    }
    // The first use of the algorithm loads and checks its provider: not on an event loop.
    return vertx
        .executeBlocking(() -> mac(secret(vertx), new byte[0]))
        .onSuccess(ready -> key = secret(vertx))
        .mapEmpty();
  }

  private byte[] secret(Vertx vertx) {
    return vertx.isClustered() ? ClusterSecret.of(vertx).key("tasks of the gateway") : own;
  }

  /**
   * The id of a task for one principal.
   *
   * @param owner name of the principal that receives the id
   * @throws IllegalStateException before {@link #open(Vertx)} has completed
   */
  public String seal(String owner, Named task) {
    byte[] text =
        String.join(
                SEPARATOR,
                encoded(owner),
                task.connection(),
                task.tool().replace('\n', ' '),
                task.own())
            .getBytes(StandardCharsets.UTF_8);
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(Buffer.buffer(mac(requireKey(), text)).appendBytes(text).getBytes());
  }

  /**
   * The task of an id that {@link #seal} made for {@code requester}; an admin may also open the ids
   * of other principals. Null for any other text.
   *
   * @throws IllegalStateException before {@link #open(Vertx)} has completed
   */
  public @Nullable Named open(Requester requester, String id) {
    byte[] all = decoded(id);
    if (all.length <= SEAL_BYTES) {
      return null;
    }
    byte[] text = Arrays.copyOfRange(all, SEAL_BYTES, all.length);
    if (!MessageDigest.isEqual(Arrays.copyOf(all, SEAL_BYTES), mac(requireKey(), text))) {
      return null;
    }
    String[] parts = new String(text, StandardCharsets.UTF_8).split(SEPARATOR, 4);
    boolean allowed =
        parts.length == 4 && (requester.admin() || parts[0].equals(encoded(requester.name())));
    return allowed ? new Named(parts[1], parts[2], parts[3]) : null;
  }

  /**
   * The failure as the principal sees it that knows the task by another id: with that id in the
   * data, and between quotation marks in the message and in the message of the server's error.
   *
   * @param own the server's own id of the task
   * @param id the id that {@link #seal} made of it
   */
  public static McpFailure renamed(McpFailure failure, String own, String id) {
    JsonObject data = failure.data().copy();
    if (data.containsKey("taskId")) {
      data.put("taskId", id);
    }
    if (data.getValue("error") instanceof JsonObject error
        && error.getValue("message") instanceof String text) {
      error.put("message", renamed(text, own, id));
    }
    return new McpFailure(
        failure.code(),
        failure.sent(),
        renamed(String.valueOf(failure.getMessage()), own, id),
        failure.retryAfterMillis(),
        data.isEmpty() ? null : data);
  }

  private static String renamed(String text, String own, String id) {
    return text.replace("'" + own + "'", "'" + id + "'");
  }

  /** The name without a separator. */
  private static String encoded(String owner) {
    return URLEncoder.encode(owner, StandardCharsets.UTF_8);
  }

  private static byte[] decoded(String id) {
    try {
      return id.length() > MAX_LENGTH ? new byte[0] : Base64.getUrlDecoder().decode(id);
    } catch (IllegalArgumentException e) {
      return new byte[0];
    }
  }

  private byte[] requireKey() {
    byte[] secret = key;
    if (secret.length == 0) {
      throw new IllegalStateException(
          "SealedTaskIds.open(vertx) must complete before an id is sealed or opened");
    }
    return secret;
  }

  private static byte[] mac(byte[] secret, byte[] text) {
    try {
      Mac mac = Mac.getInstance(HASH);
      mac.init(new SecretKeySpec(secret, HASH));
      return Arrays.copyOf(mac.doFinal(text), SEAL_BYTES);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(HASH + " is missing; every Java runtime has it", e);
    }
  }
}
