package dev.mcpbus.cluster;

import dev.mcpbus.bus.Wire;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How this process joins a cluster.
 *
 * @param name of the cluster; processes of another name are never joined
 * @param node what people call this node; null: its host and port
 * @param host address of this machine that the other nodes reach, for Hazelcast and the event bus;
 *     null: Hazelcast looks for one
 * @param port of Hazelcast; the next free one of a hundred where it is taken, and exactly this one
 *     where {@code members} is set
 * @param busPort of the event bus, 0 for any free one
 * @param members {@code host:port} of nodes to join by TCP; empty for another way
 * @param kubernetes DNS name of a headless service whose addresses are the members; null for none
 * @param quorum how many nodes must see each other so that a connection may be owned; 0 for no such
 *     rule
 * @param labels what this node has; a server may want some
 * @param weight its share of the connections beside other nodes
 * @param wire the newest form of {@link Wire} that it reads and writes; an older one keeps the way
 *     back to an older mcpbus open
 */
public record ClusterOptions(
    String name,
    @Nullable String node,
    @Nullable String host,
    int port,
    int busPort,
    List<String> members,
    @Nullable String kubernetes,
    int quorum,
    Set<String> labels,
    double weight,
    int wire) {

  public static final ClusterOptions DEFAULT =
      new ClusterOptions(
          "mcpbus", null, null, 5701, 0, List.of(), null, 0, Set.of(), 1, Wire.NEWEST);

  public ClusterOptions {
    members = List.copyOf(members);
    labels = Set.copyOf(labels);
    if (!(weight > 0 && weight <= 1_000)) {
      throw new IllegalArgumentException("a weight must be above 0 and at most 1000");
    }
    if (wire < Wire.OLDEST || wire > Wire.NEWEST) {
      throw new IllegalArgumentException(
          "the wire form must be " + Wire.OLDEST + " to " + Wire.NEWEST + ", not " + wire);
    }
  }
}
