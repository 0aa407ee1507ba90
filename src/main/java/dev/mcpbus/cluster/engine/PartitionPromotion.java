package dev.mcpbus.cluster.engine;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.HazelcastInstanceImpl;
import com.hazelcast.instance.impl.HazelcastInstanceProxy;
import com.hazelcast.internal.partition.InternalPartitionService;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Shortens Hazelcast's pause after a lost member. Where a partition was moving to or from that
 * member, Hazelcast pauses all work on partitions for 3 to 6 s, and with it the promotion of
 * backups: until then no node can read the claims and registrations that the member held. The pause
 * is meant for migrations that fail again and again; after a loss the next attempt runs without the
 * lost member. Uses internal classes of Hazelcast; runs on the common pool.
 */
final class PartitionPromotion {

  private static final int ATTEMPTS = 30;
  private static final long PAUSE_MILLIS = 100;

  private PartitionPromotion() {}

  /** For the next 3 s, ends each pause as soon as it has begun. */
  static void resumeMigrations(HazelcastInstance hazelcast) {
    if (hazelcast instanceof HazelcastInstanceProxy proxy
        && hazelcast.getLifecycleService().isRunning()) {
      resumeMigrations(proxy.getOriginal(), ATTEMPTS);
    }
  }

  private static void resumeMigrations(HazelcastInstanceImpl hazelcast, int attempts) {
    InternalPartitionService partitions = hazelcast.node.getPartitionService();
    if (attempts == 0 || !hazelcast.getLifecycleService().isRunning()) {
      return;
    }
    partitions.resumeMigration();
    CompletableFuture.delayedExecutor(PAUSE_MILLIS, TimeUnit.MILLISECONDS)
        .execute(() -> resumeMigrations(hazelcast, attempts - 1));
  }
}
