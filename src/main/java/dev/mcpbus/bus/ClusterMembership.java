package dev.mcpbus.bus;

import java.util.List;
import java.util.function.BiConsumer;

/** Which nodes there are; of {@link RequestSender#membership()}. Any thread may call. */
public interface ClusterMembership {

  /** This process's id in the cluster; empty on one node alone. */
  String self();

  /** The ids of all members of the cluster, this one included; none on one node alone. */
  List<String> nodes();

  /**
   * {@code listener} hears of every node that joins (true) or leaves (false), on a thread of the
   * cluster's engine; on one node alone never.
   */
  void onChange(BiConsumer<String, Boolean> listener);
}
