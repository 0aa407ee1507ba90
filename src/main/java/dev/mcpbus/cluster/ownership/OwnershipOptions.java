package dev.mcpbus.cluster.ownership;

import java.time.Duration;

/**
 * When a node looks at its claims.
 *
 * @param tick how often it notices that it runs, and is heard by others
 * @param verify how often the claims are read where nothing happens
 * @param ttl how long a reading holds; longer than a lost node hinders readings
 * @param pause a longer silence of its own ticks means that the process did not run
 * @param silence a node that is not heard for so long does not count for the quorum; shorter than
 *     the cluster needs to give its connections to others
 * @param settle how long after a join is waited, so that several move things once
 * @param quorum how many nodes must hear each other, 0 for no such rule
 */
public record OwnershipOptions(
    Duration tick,
    Duration verify,
    Duration ttl,
    Duration pause,
    Duration silence,
    Duration settle,
    int quorum) {

  public static final OwnershipOptions DEFAULT =
      new OwnershipOptions(
          Duration.ofMillis(500),
          Duration.ofSeconds(2),
          Duration.ofSeconds(20),
          Duration.ofSeconds(4),
          Duration.ofSeconds(7),
          Duration.ofMillis(300),
          0);

  public OwnershipOptions withQuorum(int value) {
    return new OwnershipOptions(tick, verify, ttl, pause, silence, settle, value);
  }
}
