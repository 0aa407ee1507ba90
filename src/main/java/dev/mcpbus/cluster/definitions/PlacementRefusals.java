package dev.mcpbus.cluster.definitions;

import dev.mcpbus.bus.ClusterMap;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.shareddata.AsyncMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which node cannot run which server, in a map of the cluster. All nodes leave such a node out when
 * they compute the owner, so they compute the same one. Each node writes its own refusals; all
 * other nodes remove those of a node that has left. Confined to the context of {@code
 * ServersVerticle}.
 */
final class PlacementRefusals {

  private static final Logger LOG = LoggerFactory.getLogger(PlacementRefusals.class);

  private final String self;
  private final Future<AsyncMap<String, String>> map;

  /** By server id the nodes that cannot run it; this node's refusals are in {@link #own} too. */
  private Map<String, Set<String>> all = new HashMap<>();

  private final Map<String, String> own = new TreeMap<>();

  PlacementRefusals(Vertx vertx, String self) {
    this.self = self;
    this.map = ClusterMap.REFUSALS.of(vertx);
  }

  Map<String, Set<String>> all() {
    return all;
  }

  /**
   * This node cannot run the server.
   *
   * @return true where it did not refuse it before
   */
  boolean refuse(String id, String why) {
    String before = own.put(id, why);
    add(id, self);
    if (!why.equals(before)) {
      write(map.compose(refusals -> refusals.put(key(id, self), why)));
    }
    return before == null;
  }

  /**
   * This node can run the server, or the server was removed.
   *
   * @return true where it refused it before
   */
  boolean accept(String id) {
    if (own.remove(id) == null) {
      return false;
    }
    drop(id, self);
    write(map.compose(refusals -> refusals.remove(key(id, self))));
    return true;
  }

  /** Takes the refusal of another node, or its end. */
  void received(String id, String node, boolean refused) {
    if (!node.equals(self)) {
      if (refused) {
        add(id, node);
      } else {
        drop(id, node);
      }
    }
  }

  /**
   * Reads all refusals, and writes this node's again where they were lost.
   *
   * @param alive the ids of all nodes
   */
  Future<Void> read(Set<String> alive) {
    return map.compose(
        refusals ->
            refusals
                .entries()
                .map(
                    entries -> {
                      Map<String, Set<String>> fresh = new HashMap<>();
                      for (String key : List.copyOf(entries.keySet())) {
                        int space = key.indexOf(' ');
                        String id = key.substring(0, Math.max(0, space));
                        String node = key.substring(space + 1);
                        if (!alive.contains(node) || (node.equals(self) && !own.containsKey(id))) {
                          write(refusals.remove(key));
                        } else {
                          fresh.computeIfAbsent(id, one -> new HashSet<>()).add(node);
                        }
                      }
                      all = fresh;
                      own.forEach(
                          (id, why) -> {
                            if (!entries.containsKey(key(id, self))) {
                              write(refusals.put(key(id, self), why));
                            }
                            add(id, self);
                          });
                      return null;
                    }));
  }

  private void add(String id, String node) {
    all.computeIfAbsent(id, one -> new HashSet<>()).add(node);
  }

  private void drop(String id, String node) {
    Set<String> nodes = all.get(id);
    if (nodes != null && nodes.remove(node) && nodes.isEmpty()) {
      all.remove(id);
    }
  }

  private static String key(String id, String node) {
    return id + " " + node;
  }

  /** What fails here is written at the next {@link #read}. */
  private static void write(Future<?> write) {
    write.onFailure(
        failure ->
            LOG.warn(
                "this node could not write its refusal of a server, and tries again: {}",
                failure.toString()));
  }
}
