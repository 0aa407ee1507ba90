package dev.mcpbus.cluster.engine;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.HazelcastInstanceImpl;
import com.hazelcast.instance.impl.HazelcastInstanceProxy;
import com.hazelcast.internal.partition.InternalPartitionService;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Where a partition was on its way to or from a member when that is lost, Hazelcast pauses all work
 * on partitions for 3 to 6 s, and with it the promotion of backups: until then nothing that the
 * member held can be read, neither claims nor addresses. The pause is there for migrations that
 * fail again and again; after a loss the next attempt is made without the lost member.
 */
final class PartitionPromotion {

  private static final int STEPS = 30;
  private static final long STEP_MILLIS = 100;

  private PartitionPromotion() {}

  /** For the next 3 s a pause ends as soon as it has begun. */
  static void resumeMigrations(HazelcastInstance hazelcast) {
    if (hazelcast instanceof HazelcastInstanceProxy proxy
        && hazelcast.getLifecycleService().isRunning()) {
      resumeMigrations(proxy.getOriginal(), STEPS);
    }
  }

  private static void resumeMigrations(HazelcastInstanceImpl hazelcast, int steps) {
    InternalPartitionService partitions = hazelcast.node.getPartitionService();
    if (steps == 0 || !hazelcast.getLifecycleService().isRunning()) {
      return;
    }
    partitions.resumeMigration();
    CompletableFuture.delayedExecutor(STEP_MILLIS, TimeUnit.MILLISECONDS)
        .execute(() -> resumeMigrations(hazelcast, steps - 1));
  }
}
