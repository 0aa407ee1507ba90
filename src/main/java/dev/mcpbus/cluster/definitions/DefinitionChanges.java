package dev.mcpbus.cluster.definitions;

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
 * Which definitions have changed. Each node counts the facts that it publishes about its changes,
 * on the fact and in a map of the cluster with one small entry for each node: who has heard every
 * number knows everything, and whoever has missed one finds out without reading the definitions.
 * Confined to the context of {@code ServersVerticle}.
 */
final class DefinitionChanges {

  /** Node to the number of its last fact. */
  static final String MAP = "mcpbus.servers.changes";

  private static final Logger LOG = LoggerFactory.getLogger(DefinitionChanges.class);

  /** What is changed together is told together. */
  private static final long GATHER_MILLIS = 5;

  private static final int MOST = 500;

  private final Vertx vertx;
  private final String self;
  private final Consumer<NodeMessage> publish;
  private final Future<AsyncMap<String, Long>> map;

  private final Set<String> gathered = new LinkedHashSet<>();

  /** Node to the last number that was heard, with all before it. */
  private final Map<String, Long> heard = new HashMap<>();

  private long count;

  /**
   * @param publish tells all nodes
   */
  DefinitionChanges(Vertx vertx, String self, Consumer<NodeMessage> publish) {
    this.vertx = vertx;
    this.self = self;
    this.publish = publish;
    this.map = vertx.sharedData().getClusterWideMap(MAP);
  }

  /** A definition has been written. */
  void announce(String id) {
    if (gathered.isEmpty()) {
      vertx.setTimer(GATHER_MILLIS, now -> tell());
    }
    gathered.add(id);
  }

  private void tell() {
    List<String> ids = List.copyOf(gathered);
    gathered.clear();
    for (int from = 0; from < ids.size(); from += MOST) {
      tell(ids.subList(from, Math.min(ids.size(), from + MOST)));
    }
  }

  /** The number is in the map before it is published, so that it is not lost with this node. */
  private void tell(List<String> ids) {
    long number = ++count;
    heard.put(self, number);
    map.compose(counts -> counts.put(self, number))
        .onFailure(failure -> LOG.warn("a change was not counted: {}", failure.toString()))
        .onComplete(
            counted -> publish.accept(new NodeMessage.DefinitionsChanged(self, ids, number)));
  }

  /**
   * Another node has told of changes.
   *
   * @return what has changed; empty where that is not known, and everything has to be read
   */
  Optional<List<String>> heard(NodeMessage.DefinitionsChanged told) {
    if (told.count() == 0 || told.count() > heard.getOrDefault(told.node(), 0L) + 1) {
      return Optional.empty();
    }
    heard.merge(told.node(), told.count(), Math::max);
    return Optional.of(told.ids());
  }

  /** Whether a change was missed, or may have been; fails where that cannot be read. */
  Future<Boolean> isBehind() {
    return map.compose(AsyncMap::entries)
        .map(
            counts ->
                counts.entrySet().stream()
                    .anyMatch(one -> one.getValue() > heard.getOrDefault(one.getKey(), 0L)));
  }

  /** A node is no member any more: nobody counts on. */
  void left(String node) {
    map.compose(counts -> counts.remove(node))
        .onFailure(failure -> LOG.debug("the count of {} stays: {}", node, failure.toString()));
  }

  /** Reads everything; what was counted before is known after it. */
  Future<Map<String, String>> whole(Supplier<Future<Map<String, String>>> read) {
    return map.compose(AsyncMap::entries)
        .compose(
            counts ->
                read.get()
                    .onSuccess(
                        all ->
                            counts.forEach(
                                (node, number) -> heard.merge(node, number, Math::max))));
  }
}
