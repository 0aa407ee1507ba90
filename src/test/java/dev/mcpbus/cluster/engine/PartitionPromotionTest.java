package dev.mcpbus.cluster.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.HazelcastInstanceProxy;
import com.hazelcast.internal.partition.impl.InternalPartitionServiceImpl;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Fails if an upgrade of Hazelcast moves what ends a pause of migrations. */
class PartitionPromotionTest {

  private static HazelcastInstance start() {
    Config config = new Config().setClusterName("partition-promotion");
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.logging.type", "slf4j");
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    config.getNetworkConfig().getJoin().getAutoDetectionConfig().setEnabled(false);
    return Hazelcast.newHazelcastInstance(config);
  }

  @Test
  void a_pause_of_migrations_ends_at_once_and_so_does_the_next() {
    HazelcastInstance hazelcast = start();
    try {
      InternalPartitionServiceImpl partitions =
          (InternalPartitionServiceImpl)
              ((HazelcastInstanceProxy) hazelcast).getOriginal().node.getPartitionService();
      partitions.pauseMigration();
      assertThat(partitions.areMigrationTasksAllowed()).isFalse();

      PartitionPromotion.resumeMigrations(hazelcast);

      assertThat(partitions.areMigrationTasksAllowed()).isTrue();
      partitions.pauseMigration();
      Awaitility.await().until(partitions::areMigrationTasksAllowed);
    } finally {
      hazelcast.shutdown();
    }
  }
}
