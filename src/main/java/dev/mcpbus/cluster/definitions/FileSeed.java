package dev.mcpbus.cluster.definitions;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.config.ServerDefinition;
import io.vertx.core.Future;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the definitions of a node's file that the cluster lacks, a few dozen at a time. Nodes that
 * start together begin at different places, and skip what another has written meanwhile. Confined
 * to the context of its {@link DefinitionRegistry}.
 */
final class FileSeed {

  private static final Logger LOG = LoggerFactory.getLogger(FileSeed.class);
  private static final int TOGETHER = 48;

  /** After a failure: a cluster whose nodes start together is slow for a while. */
  private static final int ATTEMPTS = 5;

  private final Deque<ServerDefinition> rest;
  private final Predicate<ConnectionId> isDefined;
  private final Function<ServerDefinition, Future<Boolean>> write;
  private final List<ConnectionId> added = new ArrayList<>();

  /**
   * @param node the name of this node; the place at which it begins depends on it
   * @param isDefined whether the cluster has a definition, as far as this node has read
   * @param write adds a definition; false where the cluster has one, or a caller removed it
   */
  FileSeed(
      List<ServerDefinition> definitions,
      String node,
      Predicate<ConnectionId> isDefined,
      Function<ServerDefinition, Future<Boolean>> write) {
    List<ServerDefinition> turned = new ArrayList<>(definitions);
    Collections.rotate(turned, -Math.floorMod(node.hashCode(), Math.max(1, turned.size())));
    this.rest = new ArrayDeque<>(turned);
    this.isDefined = isDefined;
    this.write = write;
  }

  /**
   * Writes all.
   *
   * @return the ids that this node has added; fails with the last failure after several attempts
   */
  Future<List<ConnectionId>> run() {
    return next(ATTEMPTS).map(added);
  }

  private Future<Void> next(int attempts) {
    Map<ServerDefinition, Future<Boolean>> writes = new LinkedHashMap<>();
    while (writes.size() < TOGETHER && !rest.isEmpty()) {
      ServerDefinition one = rest.remove();
      if (!isDefined.test(one.id())) {
        writes.put(one, write.apply(one));
      }
    }
    if (writes.isEmpty()) {
      return Future.succeededFuture();
    }
    return Future.join(List.copyOf(writes.values()))
        .transform(
            over -> {
              writes.forEach(this::written);
              if (over.succeeded()) {
                return next(ATTEMPTS);
              }
              if (attempts == 0) {
                return Future.failedFuture(over.cause());
              }
              LOG.warn(
                  "this node could not write all of its file's definitions, and tries again: {}",
                  over.cause().toString());
              return next(attempts - 1);
            });
  }

  private void written(ServerDefinition one, Future<Boolean> write) {
    if (write.failed()) {
      rest.addLast(one);
    } else if (write.result()) {
      added.add(one.id());
    }
  }
}
