package dev.mcpbus.gateway;

import dev.mcpbus.bus.ConnectionId;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What servers list to one session over its own connections, where that differs from what they list
 * to everybody: tools for clients that can be asked, resources that a call has made. Confined to
 * the session's host.
 */
final class LeasedLists implements Leases.Listener {

  private final Vertx vertx;
  private final Supplier<Set<Kind>> wanted;
  private final Runnable changed;
  private final Set<ConnectionId> fresh = new HashSet<>();
  private final Map<String, ServerLists> servers = new HashMap<>();
  private final Map<String, Map<Kind, Listing>> lists = new HashMap<>();
  private @Nullable Snapshot base;
  private Snapshot seen = Snapshot.EMPTY;

  /**
   * @param wanted the kinds that the client has listed
   * @param changed runs when a list may be another one
   */
  LeasedLists(Vertx vertx, Supplier<Set<Kind>> wanted, Runnable changed) {
    this.vertx = vertx;
    this.wanted = wanted;
    this.changed = changed;
  }

  @Override
  public void begun(ConnectionId server, ConnectionId lease) {
    String id = server.value();
    ServerLists asked = new ServerLists(vertx, lease, (kind, listing) -> listed(id, kind, listing));
    servers.put(id, asked);
    fresh.add(server);
    asked.connected(wanted.get()); // the answers come when it serves
  }

  /** The connection serves, for the first time or once more. */
  void connected(ConnectionId server) {
    ServerLists asked = servers.get(server.value());
    if (asked != null && !fresh.remove(server)) {
      asked.connected(wanted.get());
    }
  }

  private void listed(String server, Kind kind, Listing listing) {
    if (servers.containsKey(server)) {
      lists.computeIfAbsent(server, absent -> new EnumMap<>(Kind.class)).put(kind, listing);
      base = null;
      changed.run();
    }
  }

  /** That connection says that a list has changed. */
  void changed(ConnectionId server, Kind kind) {
    ServerLists asked = servers.get(server.value());
    if (asked != null) {
      asked.changed(kind);
    }
  }

  /** What everybody sees holds again. */
  @Override
  public void gone(ConnectionId server) {
    servers.remove(server.value());
    fresh.remove(server);
    if (lists.remove(server.value()) != null) {
      base = null;
      changed.run();
    }
  }

  /** Completes when those kinds are known of every connection that the session has. */
  Future<Void> ready(Collection<Kind> kinds, long patienceNanos) {
    List<Future<Void>> asked = new ArrayList<>();
    for (Map.Entry<String, ServerLists> server : servers.entrySet()) {
      for (Kind kind : kinds) {
        if (!lists.getOrDefault(server.getKey(), Map.of()).containsKey(kind)) {
          asked.add(server.getValue().ask(kind, patienceNanos));
        }
      }
    }
    return asked.isEmpty() ? Future.succeededFuture() : Future.join(asked).mapEmpty();
  }

  /** What this session sees: the common snapshot itself where nothing differs. */
  Snapshot over(Snapshot shared) {
    if (lists.isEmpty()) {
      return shared;
    }
    if (base != shared) {
      base = shared;
      seen = shared;
      lists.forEach((id, own) -> own.forEach((kind, listing) -> put(id, kind, listing)));
    }
    return seen;
  }

  private void put(String id, Kind kind, Listing listing) {
    ServerFacts facts = seen.server(id);
    Listing common = facts == null ? null : facts.list(kind);
    if (facts != null && (common == null || !listing.lists(common))) {
      seen = seen.with(facts.with(kind, listing));
    }
  }
}
