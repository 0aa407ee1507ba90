package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.directory.DirectorySnapshot;
import dev.mcpbus.directory.ListFetcher;
import dev.mcpbus.directory.ServerList;
import dev.mcpbus.protocol.JsonRpcError;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
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
 * clients that answer questions, resources that a call has made. Where the server answers a
 * connection with an error, its client has that error in place of the list, and the list is fetched
 * again until it comes. Confined to the session's host.
 */
final class ClientLists {

  private static final long FIRST_RETRY_MILLIS = 1_000;
  private static final long LONGEST_RETRY_MILLIS = 30_000;
  private static final int MOST_DOUBLINGS = 5;

  private final Vertx vertx;
  private final Directory directory;
  private final Supplier<Set<ListKind>> wanted;
  private final Runnable changed;
  private final Set<ConnectionId> fresh = new HashSet<>();
  private final Map<String, ListFetcher> servers = new HashMap<>();
  private final Map<String, Map<ListKind, ServerList>> lists = new HashMap<>();

  /** The errors of servers whose last answer to that connection was one. */
  private final Map<String, Map<ListKind, McpFailure>> refusals = new HashMap<>();

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
    ListFetcher[] self = new ListFetcher[1];
    self[0] = new ListFetcher(vertx, own, (kind, list) -> fetched(id, self[0], kind, list));
    servers.put(id, self[0]);
    fresh.add(server);
    self[0].refresh(wanted.get()); // the answers come when it serves
  }

  /** Drops what a connection answers that has ended meanwhile. */
  @SuppressWarnings("ReferenceEquality") // each connection has a fetcher of its own
  private void fetched(
      String server, ListFetcher by, ListKind kind, AsyncResult<ServerList> result) {
    if (servers.get(server) != by) {
      return;
    }
    if (result.succeeded()) {
      listed(server, by, kind, result.result());
      return;
    }
    McpFailure failure = McpFailure.of(result.cause());
    if (failure.code() == FailureCode.UPSTREAM_ERROR) {
      refusals.computeIfAbsent(server, absent -> new EnumMap<>(ListKind.class)).put(kind, failure);
      base = null;
      changed.run();
      if (!failure.isUpstream(JsonRpcError.METHOD_NOT_FOUND)) {
        retry(server, by, kind);
      }
    }
  }

  @SuppressWarnings("ReferenceEquality") // each connection has a fetcher of its own
  private void retry(String server, ListFetcher by, ListKind kind) {
    vertx.setTimer(
        Math.min(
            LONGEST_RETRY_MILLIS,
            FIRST_RETRY_MILLIS << Math.min(by.failures(kind) - 1, MOST_DOUBLINGS)),
        timer -> {
          if (servers.get(server) == by && isRefused(server, kind) && !by.isFetching(kind)) {
            by.changed(kind);
          }
        });
  }

  private boolean isRefused(String server, ListKind kind) {
    return refusals.getOrDefault(server, Map.of()).containsKey(kind);
  }

  /** The private connection serves, for the first time or again. */
  void connected(ConnectionId server) {
    ListFetcher fetcher = servers.get(server.value());
    if (fetcher != null && !fresh.remove(server)) {
      fetcher.refresh(wanted.get());
    }
  }

  private void listed(String server, ListFetcher by, ListKind kind, ServerList serverList) {
    Map<ListKind, McpFailure> refused = refusals.get(server);
    if (refused != null) {
      refused.remove(kind);
    }
    ServerList before =
        lists
            .computeIfAbsent(server, absent -> new EnumMap<>(ListKind.class))
            .put(kind, by.isOutdated(kind) ? serverList.asOutdated() : serverList);
    if (before == null && differs(server, kind, serverList)) {
      directory.noteListsDiffer(server, kind);
    }
    base = null;
    changed.run();
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

  /**
   * The server sends a {@code list_changed} over the private connection: requests for that list
   * wait for the new one from now on.
   */
  void announced(ConnectionId server, String method) {
    ListFetcher fetcher = servers.get(server.value());
    if (fetcher != null) {
      Map<ListKind, ServerList> own = lists.getOrDefault(server.value(), new HashMap<>());
      for (ListKind kind : ListKind.announcedBy(method)) {
        fetcher.outdate(kind);
        own.computeIfPresent(kind, (same, list) -> list.asOutdated());
      }
      base = null;
    }
  }

  /** The private connection has ended: the common lists hold again. */
  void gone(ConnectionId server) {
    servers.remove(server.value());
    fresh.remove(server);
    boolean refused = refusals.remove(server.value()) != null;
    if (lists.remove(server.value()) != null || refused) {
      base = null;
      changed.run();
    }
  }

  /**
   * Completes when that list is known of every private connection.
   *
   * @param patienceNanos how long a running fetch is worth waiting for
   * @param whole whether a list that its server calls another one now is waited for in any case
   */
  Future<Void> ready(ListKind kind, long patienceNanos, boolean whole) {
    List<Future<Void>> fetches = new ArrayList<>();
    for (Map.Entry<String, ListFetcher> server : servers.entrySet()) {
      ServerList known = lists.getOrDefault(server.getKey(), Map.of()).get(kind);
      if (known == null || known.outdated()) {
        boolean waits = whole && known != null;
        fetches.add(server.getValue().ask(kind, waits ? Long.MAX_VALUE : patienceNanos));
      }
    }
    return fetches.isEmpty() ? Future.succeededFuture() : Future.join(fetches).mapEmpty();
  }

  /** The snapshot that this client sees: the common one itself if nothing differs. */
  DirectorySnapshot over(DirectorySnapshot shared) {
    if (lists.isEmpty() && refusals.isEmpty()) {
      return shared;
    }
    if (base != shared) {
      base = shared;
      seen = shared;
      lists.forEach((id, own) -> own.forEach((kind, serverList) -> put(id, kind, serverList)));
      refusals.forEach((id, own) -> own.forEach((kind, failure) -> put(id, kind, failure)));
    }
    return seen;
  }

  private void put(String id, ListKind kind, ServerList serverList) {
    DirectoryEntry facts = seen.server(id);
    ServerList common = facts == null ? null : facts.list(kind);
    if (facts != null && (common == null || serverList.outdated() || !serverList.lists(common))) {
      seen = seen.with(facts.with(kind, serverList));
    }
  }

  private void put(String id, ListKind kind, McpFailure failure) {
    DirectoryEntry facts = seen.server(id);
    if (facts != null) {
      seen = seen.with(facts.with(kind, failure));
    }
  }
}
