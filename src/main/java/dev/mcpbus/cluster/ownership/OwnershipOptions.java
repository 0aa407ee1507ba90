package dev.mcpbus.cluster.ownership;

import dev.mcpbus.internals.RecordCopy;
import java.time.Duration;
import java.util.Map;

/**
 * The intervals of ownership.
 *
 * @param tick how often a node announces itself and checks its claim lease
 * @param verify how often it reads the claims while no event asks for it
 * @param ttl how long the claim lease holds after a reading; longer than a lost node can delay
 *     readings
 * @param pause a longer gap between ticks means that the process was paused
 * @param silence how long a node may act after the last announcement that another node received
 *     from it (quorum lease); shorter than the cluster needs to give its connections to other nodes
 * @param settle pause after a join, so that nodes that join together cause one redistribution
 * @param rollout how long the files of nodes may differ before that is a warning
 * @param quorum how many nodes must grant each other the right to act; 0 or 1 for no such rule
 * @param majorityOf where the quorum follows the cluster, the smallest size that it counts with; 0
 *     where it is a fixed number
 */
public record OwnershipOptions(
    Duration tick,
    Duration verify,
    Duration ttl,
    Duration pause,
    Duration silence,
    Duration settle,
    Duration rollout,
    int quorum,
    int majorityOf) {

  public static final OwnershipOptions DEFAULT =
      new OwnershipOptions(
          Duration.ofMillis(500),
          Duration.ofSeconds(2),
          Duration.ofSeconds(20),
          Duration.ofSeconds(4),
          Duration.ofSeconds(7),
          Duration.ofMillis(300),
          Duration.ofSeconds(60),
          0,
          0);

  public OwnershipOptions withQuorum(int value) {
    return RecordCopy.with(this, Map.of("quorum", value, "majorityOf", 0));
  }

  /** A copy whose quorum is a majority of the cluster, which counts with at least this size. */
  public OwnershipOptions withMajorityOf(int least) {
    return RecordCopy.with(this, Map.of("quorum", least / 2 + 1, "majorityOf", least));
  }

  /** A copy with another grace period for files that differ. */
  public OwnershipOptions withRollout(Duration value) {
    return RecordCopy.with(this, "rollout", value);
  }
}
