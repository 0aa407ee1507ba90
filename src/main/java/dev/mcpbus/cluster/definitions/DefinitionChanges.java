package dev.mcpbus.cluster.definitions;

import dev.mcpbus.bus.ClusterMap;
import dev.mcpbus.cluster.membership.NodeMessage;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.shareddata.AsyncMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out which definitions other nodes have changed. Each node numbers the messages that it
 * publishes about its changes, and keeps its last number in a map of the cluster. A node that has
 * received every number of every node is up to date; a node that missed one sees the gap without
 * reading the definitions. Confined to the context of {@code ServersVerticle}.
 */
final class DefinitionChanges {

  private static final Logger LOG = LoggerFactory.getLogger(DefinitionChanges.class);

  /** Changes within this time are published as one message. */
  private static final long COLLECT_MILLIS = 5;

  private static final int MAX_IDS = 500;

  private final Vertx vertx;
  private final String self;
  private final Consumer<NodeMessage> publish;
  private final Future<AsyncMap<String, Long>> map;

  private final Set<String> collected = new LinkedHashSet<>();

  /** By node id the last received number, when all numbers before it were received too. */
  private final Map<String, Long> received = new HashMap<>();

  private long count;

  /**
   * @param publish publishes a message to all nodes
   */
  DefinitionChanges(Vertx vertx, String self, Consumer<NodeMessage> publish) {
    this.vertx = vertx;
    this.self = self;
    this.publish = publish;
    this.map = ClusterMap.CHANGES.of(vertx);
  }

  /** Publishes, in a moment, that this node has written a definition. */
  void announce(String id) {
    if (collected.isEmpty()) {
      vertx.setTimer(COLLECT_MILLIS, now -> publishChanges());
    }
    collected.add(id);
  }

  private void publishChanges() {
    List<String> ids = List.copyOf(collected);
    collected.clear();
    for (int from = 0; from < ids.size(); from += MAX_IDS) {
      publishChanges(ids.subList(from, Math.min(ids.size(), from + MAX_IDS)));
    }
  }

  /** The number is in the map before it is published, so it is not lost with this node. */
  private void publishChanges(List<String> ids) {
    long number = ++count;
    received.put(self, number);
    map.compose(counts -> counts.put(self, number))
        .onFailure(
            failure ->
                LOG.warn(
                    "this node could not write the number of a changed definition; other nodes find"
                        + " the change at their next full reading: {}",
                    failure.toString()))
        .onComplete(
            counted -> publish.accept(new NodeMessage.DefinitionsChanged(self, ids, number)));
  }

  /**
   * Takes the message of another node about its changes.
   *
   * @return the changed ids; empty where they are not known, so that all definitions have to be
   *     read
   */
  Optional<List<String>> received(NodeMessage.DefinitionsChanged change) {
    if (change.count() == 0 || change.count() > received.getOrDefault(change.node(), 0L) + 1) {
      return Optional.empty();
    }
    received.merge(change.node(), change.count(), Math::max);
    return Optional.of(change.ids());
  }

  /** Whether this node has, or may have, missed a change; fails where the map cannot be read. */
  Future<Boolean> isBehind() {
    return map.compose(AsyncMap::entries)
        .map(
            counts ->
                counts.entrySet().stream()
                    .anyMatch(one -> one.getValue() > received.getOrDefault(one.getKey(), 0L)));
  }

  /** Removes the number of a node that has left the cluster. */
  void left(String node) {
    map.compose(counts -> counts.remove(node))
        .onFailure(
            failure ->
                LOG.debug(
                    "this node could not remove the number of node {}: {}",
                    node,
                    failure.toString()));
  }

  /** Reads everything; afterwards all changes counted before the reading are known. */
  Future<Map<String, String>> whole(Supplier<Future<Map<String, String>>> read) {
    return map.compose(AsyncMap::entries)
        .compose(
            counts ->
                read.get()
                    .onSuccess(
                        all ->
                            counts.forEach(
                                (node, number) -> received.merge(node, number, Math::max))));
  }
}
