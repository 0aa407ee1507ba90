package dev.mcpbus.bus;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.shareddata.LocalMap;
import java.util.UUID;

/**
 * The id of this mcpbus: a random text that all nodes of a cluster share. The results of handshakes
 * and lists carry it ({@link dev.mcpbus.protocol.LoopMark}). A server whose result carries this id
 * leads back to this mcpbus, and its connection fails the request with {@code LOOP_DETECTED}. Any
 * thread may call.
 */
public final class InstanceId {

  private static final String KEY = "dev.mcpbus.instance";

  private InstanceId() {}

  /** Agrees with the other nodes on one id; then {@link #of} returns it. */
  public static Future<Void> open(Vertx vertx) {
    if (!vertx.isClustered()) {
      of(vertx);
      return Future.succeededFuture();
    }
    String fresh = of(vertx);
    return ClusterMap.INSTANCE
        .<String>of(vertx)
        .compose(map -> map.putIfAbsent(KEY, fresh))
        .onSuccess(
            present -> {
              if (present != null) {
                names(vertx).put(KEY, present);
              }
            })
        .mapEmpty();
  }

  /** Gives {@code to}, before its first use, the id of another Vert.x instance of this process. */
  public static void share(Vertx from, Vertx to) {
    names(to).put(KEY, of(from));
  }

  /** The id; before {@link #open} has completed, an id of this node alone. */
  public static String of(Vertx vertx) {
    return names(vertx).computeIfAbsent(KEY, absent -> UUID.randomUUID().toString());
  }

  private static LocalMap<String, String> names(Vertx vertx) {
    return vertx.sharedData().getLocalMap(KEY);
  }
}
