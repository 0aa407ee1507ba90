package dev.mcpbus.cluster.definitions;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.hosting.KeptServer;
import dev.mcpbus.hosting.KeptServers;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what callers add and remove at run time in this node's state directory, and gives it back
 * to a cluster that has forgotten it because all nodes have ended. Where two nodes' copies of a
 * server differ, the higher revision counts; a removal has one, too. A definition that comes from a
 * file counts, unless it is the very entry that was removed. Confined to the context of {@code
 * ServersVerticle}.
 */
public final class DefinitionKeeper {

  private static final Logger LOG = LoggerFactory.getLogger(DefinitionKeeper.class);

  private final DefinitionRegistry definitions;
  private final KeptServers kept;

  /** Whether what this node kept has met what the cluster has. */
  private boolean met;

  public DefinitionKeeper(DefinitionRegistry definitions, KeptServers kept) {
    this.definitions = definitions;
    this.kept = kept;
  }

  /** Keeps these servers as the cluster has them now; succeeds when that is on the disk. */
  public Future<Void> keep(Collection<ConnectionId> ids) {
    return Future.join(ids.stream().map(this::keep).toList()).mapEmpty();
  }

  private Future<Void> keep(ConnectionId id) {
    if (!met) {
      return Future.succeededFuture(); // additions() keeps everything at its end
    }
    if (definitions.revision(id) > 0) {
      ServerDefinition added = definitions.isAdded(id) ? definitions.all().get(id) : null;
      // What this node cannot read, others keep.
      return added == null ? kept.forget(id) : kept.added(added, definitions.revision(id));
    }
    return definitions
        .removals()
        .get(id)
        .compose(removal -> removal == null ? kept.forget(id) : kept.removed(id, removal));
  }

  /** Gives the removals back, before the files of this node are applied. */
  public Future<Void> removals() {
    List<Future<Void>> steps = new ArrayList<>();
    kept.all()
        .forEach(
            (id, change) -> {
              if (change.origin() == null) {
                steps.add(removal(id, change));
              }
            });
    return Future.join(steps).mapEmpty();
  }

  private Future<Void> removal(ConnectionId id, KeptServer mine) {
    return definitions
        .removals()
        .get(id)
        .compose(
            theirs -> {
              if (theirs != null && theirs.revision() >= mine.revision()) {
                return kept.removed(id, theirs);
              }
              if (definitions.revision(id) == 0) {
                return definitions.removals().put(id, mine);
              }
              boolean older = definitions.isAdded(id) && definitions.revision(id) < mine.revision();
              boolean same =
                  !definitions.isAdded(id)
                      && mine.digest() != null
                      && mine.digest().equals(definitions.digest(id));
              if (!older && !same) {
                return kept.forget(id);
              }
              LOG.info("server '{}' was removed at run time, and is removed from the cluster", id);
              return definitions.remove(id, false);
            });
  }

  /**
   * Gives the additions back, after the files of this node were applied.
   *
   * @return the ids of the servers that the cluster did not have
   */
  public Future<List<ConnectionId>> additions() {
    List<ConnectionId> restored = new ArrayList<>();
    List<Future<Void>> steps = new ArrayList<>();
    for (Map.Entry<ConnectionId, KeptServer> one : kept.all().entrySet()) {
      if (one.getValue().origin() != null) {
        steps.add(addition(one.getKey(), one.getValue(), restored));
      }
    }
    return Future.join(steps)
        .transform(
            written -> {
              met = true;
              Set<ConnectionId> all = new HashSet<>(definitions.all().keySet());
              all.addAll(kept.all().keySet());
              return keep(all).map(restored);
            });
  }

  private Future<Void> addition(ConnectionId id, KeptServer mine, List<ConnectionId> restored) {
    boolean there = definitions.revision(id) > 0;
    if (there && !definitions.isAdded(id)) {
      LOG.info("server '{}': the file counts now, not what was added at run time", id);
      return kept.forget(id);
    }
    return definitions
        .removals()
        .get(id)
        .compose(
            removal ->
                removal != null && removal.revision() >= mine.revision()
                    ? kept.removed(id, removal)
                    : definitions
                        .restore(id, mine)
                        .compose(
                            written -> {
                              if (written && !there) {
                                restored.add(id);
                              }
                              return Future.<Void>succeededFuture();
                            }));
  }
}
