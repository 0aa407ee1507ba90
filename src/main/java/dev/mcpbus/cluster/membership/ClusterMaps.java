package dev.mcpbus.cluster.membership;

import org.jspecify.annotations.Nullable;

/** The maps of the cluster that all nodes share, by name. */
public final class ClusterMaps {

  /** The claims, {@code ownership.OwnershipClaim}, by the key of a replica. */
  public static final String OWNERS = "mcpbus.owners";

  /** The definitions of all servers, {@code definitions.SignedEntry}, by server id. */
  public static final String SERVERS = "mcpbus.servers";

  /**
   * Digests of entries that callers removed at run time, {@code definitions.RemovalMap}, by server
   * id: files that have them do not bring the server back.
   */
  public static final String REMOVALS = "mcpbus.servers.removals";

  /**
   * With this an entry of {@link #SERVERS} ends after a removal; a definition ends with a brace.
   */
  public static final String REMOVED = "removed";

  private ClusterMaps() {}

  /** Whether an entry of {@link #SERVERS} defines a server; null for no entry. */
  public static boolean isDefinition(@Nullable String entry) {
    return entry != null && !entry.endsWith(REMOVED);
  }
}
