package dev.mcpbus.cluster.membership;

/** The maps of the cluster that all nodes share, by name. */
public final class ClusterMaps {

  /** Who owns which connection: {@code "<epoch> <node>"} by the key of its replica. */
  public static final String OWNERS = "mcpbus.owners";

  /** The definitions of all servers: JSON by server id. */
  public static final String SERVERS = "mcpbus.servers";

  private ClusterMaps() {}
}
