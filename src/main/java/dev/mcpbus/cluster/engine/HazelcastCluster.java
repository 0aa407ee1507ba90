package dev.mcpbus.cluster.engine;

import dev.mcpbus.bus.WireForm;
import dev.mcpbus.config.ClusterOptions;
import dev.mcpbus.internals.OptionalLibrary;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Starts a clustered Vert.x over Hazelcast, with the time-outs, the secret and the checks of
 * mcpbus. Any thread may call.
 */
public final class HazelcastCluster {

  /** The member of the event bus's metadata with a node's name, labels and weight. */
  public static final String METADATA = WireForm.METADATA;

  private HazelcastCluster() {}

  /**
   * Joins the cluster, or founds it.
   *
   * @param vertx the options of the new Vert.x; its event-bus options are replaced
   * @param options the configuration of the cluster
   * @param file Hazelcast's own configuration, XML or YAML, in place of the built-in one; null for
   *     the built-in one
   * @return fails where the file cannot be read, a port is taken, other users or machines could
   *     join without a secret, the other nodes refuse this one, or Hazelcast is not on the class
   *     path; the failure names the remedy
   */
  public static Future<Vertx> start(
      VertxOptions vertx, ClusterOptions options, @Nullable Path file) {
    return OptionalLibrary.HAZELCAST.isPresent()
        ? HazelcastStart.start(vertx, options, file)
        : Future.failedFuture(new IllegalStateException(OptionalLibrary.HAZELCAST.missing()));
  }
}
