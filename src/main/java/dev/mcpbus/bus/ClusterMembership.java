package dev.mcpbus.bus;

import java.util.List;
import java.util.function.BiConsumer;

/** The nodes of the cluster, from {@link RequestSender#membership()}. Any thread may call. */
public interface ClusterMembership {

  /** The id of this node in the cluster; empty on one node alone. */
  String self();

  /** The ids of all nodes of the cluster, also this one; empty on one node alone. */
  List<String> nodes();

  /**
   * Calls {@code listener} with the id of each node that joins (true) or leaves (false), on a
   * thread of Hazelcast. On one node alone it is never called.
   */
  void onChange(BiConsumer<String, Boolean> listener);
}
