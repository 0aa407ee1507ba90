package dev.mcpbus.bus;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.shareddata.LocalMap;
import java.util.UUID;

/**
 * The name of an mcpbus among all others, a random one that all nodes of a cluster share. By it an
 * mcpbus finds that a server leads back to itself. Thread-safe.
 */
public final class InstanceId {

  private static final String KEY = "dev.mcpbus.instance";

  /** Map of the cluster. */
  private static final String MAP = "mcpbus.instance";

  private InstanceId() {}

  /** Finds the name out, for {@link #of}. */
  public static Future<Void> open(Vertx vertx) {
    if (!vertx.isClustered()) {
      of(vertx);
      return Future.succeededFuture();
    }
    String fresh = of(vertx);
    return vertx
        .sharedData()
        .<String, String>getClusterWideMap(MAP)
        .compose(map -> map.putIfAbsent(KEY, fresh))
        .onSuccess(
            present -> {
              if (present != null) {
                names(vertx).put(KEY, present);
              }
            })
        .mapEmpty();
  }

  /** The name, of this node alone before it has been found out. */
  public static String of(Vertx vertx) {
    return names(vertx).computeIfAbsent(KEY, absent -> UUID.randomUUID().toString());
  }

  private static LocalMap<String, String> names(Vertx vertx) {
    return vertx.sharedData().getLocalMap(KEY);
  }
}
