package dev.mcpbus.bench.cluster;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import dev.mcpbus.config.ClusterOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;

/** A clustered Vert.x with nothing of mcpbus, on the members and ports of a node's file. */
final class PlainCluster {

  private PlainCluster() {}

  static Future<Vertx> start(VertxOptions options, ClusterOptions cluster) {
    Config config = new Config().setClusterName(cluster.name());
    config.setProperty("hazelcast.logging.type", "slf4j");
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.shutdownhook.enabled", "false");
    config.getNetworkConfig().setPort(cluster.port()).setPortAutoIncrement(false);
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface(cluster.host());
    JoinConfig join = config.getNetworkConfig().getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getTcpIpConfig().setEnabled(true).setMembers(cluster.members());
    options.getEventBusOptions().setHost(cluster.host());
    return Vertx.builder()
        .with(options)
        .withClusterManager(new HazelcastClusterManager(config))
        .buildClustered();
  }
}
