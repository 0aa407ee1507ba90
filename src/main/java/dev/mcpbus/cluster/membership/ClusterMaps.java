package dev.mcpbus.cluster.membership;

/** The maps of the cluster that all nodes share, by name. */
public final class ClusterMaps {

  /** The claims: {@code "<epoch> <node>"} by the key of a replica. */
  public static final String OWNERS = "mcpbus.owners";

  /** The definitions of all servers: JSON by server id. */
  public static final String SERVERS = "mcpbus.servers";

  private ClusterMaps() {}
}
