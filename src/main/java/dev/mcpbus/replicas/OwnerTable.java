package dev.mcpbus.replicas;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.ReplicaId;
import dev.mcpbus.bus.ServerOperation;
import dev.mcpbus.bus.ServerOperation.Replicas;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Which node owns which replica, as far as this node has received it, and the state of each
 * replica. Any thread may call.
 */
public final class OwnerTable {

  /**
   * Requests that any replica can answer alone, so they are spread over the replicas. All others go
   * to one of them.
   */
  private static final Set<String> SPREAD =
      ServerOperation.suffixes(row -> row.replicas == Replicas.ANY);

  /** The replicas of one server, by number. */
  private static final class Group {
    private final NavigableMap<Integer, ReplicaOwner> owners = new ConcurrentSkipListMap<>();
    private final AtomicInteger turn = new AtomicInteger();
  }

  private final Map<ConnectionId, Group> groups = new ConcurrentHashMap<>();
  private final Map<ReplicaId, Runnable> listeners = new ConcurrentHashMap<>();

  public static boolean isSpread(String suffix) {
    return SPREAD.contains(suffix);
  }

  /**
   * Runs {@code listener} after every change of the replicas of this replica's server, on any
   * thread.
   */
  public void listen(ReplicaId replica, Runnable listener) {
    listeners.put(replica, listener);
  }

  public void forget(ReplicaId replica) {
    listeners.remove(replica);
  }

  public void put(ReplicaOwner owner) {
    groups.compute(
        owner.replica().server(),
        (server, present) -> {
          Group group = present == null ? new Group() : present;
          group.owners.put(owner.replica().number(), owner);
          return group;
        });
    changed(owner.replica().server());
  }

  /**
   * Takes an owner from the map of claims. Where the same owner is known already its state is kept.
   */
  public void learn(ReplicaOwner owner) {
    Group group = groups.get(owner.replica().server());
    ReplicaOwner known = group == null ? null : group.owners.get(owner.replica().number());
    if (known == null || !known.node().equals(owner.node())) {
      put(owner);
    }
  }

  /** Whether the server has owners of more than its one default replica. */
  public boolean isReplicated(ConnectionId server) {
    Group group = groups.get(server);
    return group != null && !group.owners.isEmpty() && group.owners.lastKey() > 0;
  }

  /** Sets the state of a known replica; of an unknown one nothing is kept. */
  public void state(ReplicaId replica, String node, ConnectionState state, String version) {
    Group group = groups.get(replica.server());
    if (group != null) {
      group.owners.computeIfPresent(
          replica.number(),
          (number, before) ->
              before.node().equals(node)
                  ? new ReplicaOwner(replica, node, state, version)
                  : before);
      changed(replica.server());
    }
  }

  public void remove(ReplicaId replica, String node) {
    groups.computeIfPresent(
        replica.server(),
        (server, group) -> {
          group.owners.computeIfPresent(
              replica.number(), (number, owner) -> owner.node().equals(node) ? null : owner);
          return group.owners.isEmpty() ? null : group;
        });
    changed(replica.server());
  }

  /** Removes the replicas of a node that is no member any more. */
  public void lost(String node) {
    for (Group group : List.copyOf(groups.values())) {
      for (ReplicaOwner owner : List.copyOf(group.owners.values())) {
        if (owner.node().equals(node)) {
          remove(owner.replica(), node);
        }
      }
    }
  }

  private void changed(ConnectionId server) {
    listeners.forEach(
        (replica, listener) -> {
          if (replica.server().equals(server)) {
            listener.run();
          }
        });
  }

  /** Lowest number first. */
  public List<ReplicaOwner> all(ConnectionId server) {
    Group group = groups.get(server);
    return group == null ? List.of() : new ArrayList<>(group.owners.values());
  }

  /**
   * The speaker of a server: its first replica that serves, else its first replica; null where no
   * owner is known.
   */
  public @Nullable ReplicaOwner speaker(ConnectionId server) {
    List<ReplicaOwner> all = all(server);
    return all.stream()
        .filter(ReplicaOwner::serves)
        .findFirst()
        .orElse(all.isEmpty() ? null : all.get(0));
  }

  /** The owner of a server with one replica; null where there are several, or none is known. */
  public @Nullable ReplicaOwner only(ConnectionId server) {
    Group group = groups.get(server);
    if (group == null) {
      return null;
    }
    Iterator<ReplicaOwner> all = group.owners.values().iterator();
    ReplicaOwner first = all.hasNext() ? all.next() : null;
    return all.hasNext() ? null : first;
  }

  /**
   * The owner to which the next request goes: in turn where requests are spread, replicas that take
   * calls first.
   *
   * @param spread whether any replica can answer alone
   * @param tried replicas that are left out
   * @param key requests with the same one go to the same replica; null for none
   * @return null where no other owner is known
   */
  public @Nullable ReplicaOwner next(
      ConnectionId server, boolean spread, Set<ReplicaId> tried, @Nullable String key) {
    Group group = groups.get(server);
    if (group == null) {
      return null;
    }
    if (!spread && tried.isEmpty()) {
      return speaker(server);
    }
    List<ReplicaOwner> left =
        group.owners.values().stream().filter(one -> !tried.contains(one.replica())).toList();
    List<ReplicaOwner> ready = left.stream().filter(ReplicaOwner::takesCalls).toList();
    List<ReplicaOwner> from = ready.isEmpty() ? left : ready;
    if (key != null) {
      return from.stream().max(Comparator.comparingLong(one -> one.score(key))).orElse(null);
    }
    return from.isEmpty()
        ? null
        : from.get(Math.floorMod(group.turn.getAndIncrement(), from.size()));
  }
}
