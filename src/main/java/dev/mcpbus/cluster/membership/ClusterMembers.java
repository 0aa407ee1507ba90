package dev.mcpbus.cluster.membership;

import io.vertx.core.Future;
import java.util.List;
import java.util.Set;

/** The processes of the cluster, as this one sees them. */
public interface ClusterMembers {

  /** The id of this process. */
  String self();

  /** All that live, also those that may own nothing. */
  Set<String> alive();

  /** Those that may own connections. */
  Future<List<ClusterNode>> nodes();

  /**
   * Whether nobody listens any more where a node was that is no member: true says that it has
   * ended, false says nothing.
   */
  Future<Boolean> hasClosedItsBusPort(String node);

  /** Whether the engine refused because too few nodes see each other. */
  boolean isQuorumLost(Throwable failure);
}
