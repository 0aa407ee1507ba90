package dev.mcpbus;

import dev.mcpbus.cluster.ClusterInputs;
import dev.mcpbus.cluster.ClusterServerHosting;
import dev.mcpbus.cluster.engine.HazelcastCluster;
import dev.mcpbus.cluster.engine.ProgramCluster;
import dev.mcpbus.config.ClusterOptions;
import dev.mcpbus.hosting.KeptServers;
import dev.mcpbus.hosting.ServerHosting;
import dev.mcpbus.input.InputOptions;
import dev.mcpbus.input.InputVerticle;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a node that differ in a cluster. A class of its own, so that a program without a
 * cluster loads none of its classes.
 */
final class ClusterParts {

  private ClusterParts() {}

  /** As {@link McpBus#clustered(Vertx, ClusterOptions)}. */
  static Future<Vertx> join(Vertx vertx, ClusterOptions options) {
    return ProgramCluster.join(vertx, options);
  }

  /** Why a clustered Vert.x is no node, with the remedy; null where it is one. */
  static @Nullable String missing(Vertx vertx) {
    return ProgramCluster.missing(vertx);
  }

  static ServerHosting.HostingFactory hosting(BusSettings options, KeptServers kept) {
    return (vertx, connections) ->
        new ClusterServerHosting(
            vertx, connections, options.reader(), kept, options.placement(), options.stateDir());
  }

  static Future<Vertx> hazelcast(VertxOptions vertx, ClusterOptions options) {
    return HazelcastCluster.start(vertx, options, null);
  }

  static InputVerticle inputs(Vertx vertx, InputOptions options) {
    return new InputVerticle(options, ownInputs -> new ClusterInputs(vertx, ownInputs));
  }
}
