package dev.mcpbus.gateway.session;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.directory.DirectorySnapshot;
import dev.mcpbus.directory.ListFetcher;
import dev.mcpbus.directory.ServerList;
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
 * The lists of one client's private connections, where they differ from the common lists: tools for
 * clients that answer questions, resources that a call has made. Confined to the session's host.
 */
final class ClientLists {

  private final Vertx vertx;
  private final Directory directory;
  private final Supplier<Set<ListKind>> wanted;
  private final Runnable changed;
  private final Set<ConnectionId> fresh = new HashSet<>();
  private final Map<String, ListFetcher> servers = new HashMap<>();
  private final Map<String, Map<ListKind, ServerList>> lists = new HashMap<>();
  private @Nullable DirectorySnapshot base;
  private DirectorySnapshot seen = DirectorySnapshot.EMPTY;

  /**
   * @param wanted the kinds of lists that the client has read
   * @param changed runs when a list may have changed
   */
  ClientLists(Vertx vertx, Directory directory, Supplier<Set<ListKind>> wanted, Runnable changed) {
    this.vertx = vertx;
    this.directory = directory;
    this.wanted = wanted;
    this.changed = changed;
  }

  /** The client has a private connection to a server now. */
  void begun(ConnectionId server, ConnectionId own) {
    String id = server.value();
    ListFetcher fetcher =
        new ListFetcher(vertx, own, (kind, list) -> listed(id, kind, list.result()));
    servers.put(id, fetcher);
    fresh.add(server);
    fetcher.refresh(wanted.get()); // the answers come when it serves
  }

  /** The private connection serves, for the first time or again. */
  void connected(ConnectionId server) {
    ListFetcher fetcher = servers.get(server.value());
    if (fetcher != null && !fresh.remove(server)) {
      fetcher.refresh(wanted.get());
    }
  }

  private void listed(String server, ListKind kind, @Nullable ServerList serverList) {
    if (serverList != null && servers.containsKey(server)) {
      ServerList before =
          lists
              .computeIfAbsent(server, absent -> new EnumMap<>(ListKind.class))
              .put(kind, serverList);
      if (before == null && differs(server, kind, serverList)) {
        directory.noteListsDiffer(server, kind);
      }
      base = null;
      changed.run();
    }
  }

  /** Whether the shared connection lists something else, as far as that is known. */
  private boolean differs(String server, ListKind kind, ServerList own) {
    DirectoryEntry facts = directory.snapshot().server(server);
    ServerList common = facts == null ? null : facts.list(kind);
    return common != null && !own.lists(common);
  }

  /** The private connection reports that a list has changed. */
  void changed(ConnectionId server, ListKind kind) {
    ListFetcher fetcher = servers.get(server.value());
    if (fetcher != null) {
      fetcher.changed(kind);
    }
  }

  /** The private connection has ended: the common lists hold again. */
  void gone(ConnectionId server) {
    servers.remove(server.value());
    fresh.remove(server);
    if (lists.remove(server.value()) != null) {
      base = null;
      changed.run();
    }
  }

  /** Completes when the lists of those kinds are known of every private connection. */
  Future<Void> ready(Collection<ListKind> kinds, long patienceNanos) {
    List<Future<Void>> fetches = new ArrayList<>();
    for (Map.Entry<String, ListFetcher> server : servers.entrySet()) {
      for (ListKind kind : kinds) {
        if (!lists.getOrDefault(server.getKey(), Map.of()).containsKey(kind)) {
          fetches.add(server.getValue().ask(kind, patienceNanos));
        }
      }
    }
    return fetches.isEmpty() ? Future.succeededFuture() : Future.join(fetches).mapEmpty();
  }

  /** The snapshot that this client sees: the common one itself if nothing differs. */
  DirectorySnapshot over(DirectorySnapshot shared) {
    if (lists.isEmpty()) {
      return shared;
    }
    if (base != shared) {
      base = shared;
      seen = shared;
      lists.forEach((id, own) -> own.forEach((kind, serverList) -> put(id, kind, serverList)));
    }
    return seen;
  }

  private void put(String id, ListKind kind, ServerList serverList) {
    DirectoryEntry facts = seen.server(id);
    ServerList common = facts == null ? null : facts.list(kind);
    if (facts != null && (common == null || !serverList.lists(common))) {
      seen = seen.with(facts.with(kind, serverList));
    }
  }
}
