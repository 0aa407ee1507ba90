package dev.mcpbus.directory;

import dev.mcpbus.bus.CallerFacts;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.AsyncResult;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * The lists of servers that act for their callers, for each caller that looks: what the server
 * lists to it, over its own connection. A request fetches them; a change that the connection
 * announces outdates them. Of the callers that looked longest ago the lists are forgotten. Confined
 * to the context of the {@link DirectoryVerticle}.
 */
final class CallerLists {

  /** Callers whose lists are kept. */
  static final int MAX = 1_000;

  private final Vertx vertx;
  private final Directory directory;
  private final Runnable listed;
  private final Map<CallerFacts, Map<String, ListFetcher>> fetchers =
      new LinkedHashMap<>(16, 0.75f, true);

  /**
   * @param listed runs when a caller may see other lists
   */
  CallerLists(Vertx vertx, Directory directory, Runnable listed) {
    this.vertx = vertx;
    this.directory = directory;
    this.listed = listed;
  }

  /** The fetcher of a caller's lists of a server. */
  ListFetcher fetcher(CallerFacts caller, ConnectionId server) {
    Map<String, ListFetcher> own = fetchers.computeIfAbsent(caller, first -> new HashMap<>());
    ListFetcher known = own.get(server.value());
    if (known == null) {
      ListFetcher[] self = new ListFetcher[1];
      self[0] =
          new ListFetcher(
              vertx, server, caller, (kind, list) -> fetched(caller, server, self[0], kind, list));
      known = self[0];
      own.put(server.value(), known);
      makeRoom();
    }
    return known;
  }

  private void makeRoom() {
    if (fetchers.size() > MAX) {
      CallerFacts oldest = fetchers.keySet().iterator().next();
      fetchers.remove(oldest);
      directory.replace(directory.snapshot().with(oldest, Map.of()));
    }
  }

  @SuppressWarnings("ReferenceEquality") // each caller has a fetcher of its own
  private void fetched(
      CallerFacts caller,
      ConnectionId server,
      ListFetcher by,
      ListKind kind,
      AsyncResult<ServerList> result) {
    Map<String, ListFetcher> own = fetchers.get(caller);
    DirectoryEntry common = directory.snapshot().server(server.value());
    if (own == null || own.get(server.value()) != by || common == null) {
      return;
    }
    DirectoryEntry before = entry(caller, common);
    if (result.failed()) {
      put(caller, before.with(kind, McpFailure.of(result.cause())));
      listed.run();
      return;
    }
    ServerList list = by.isOutdated(kind) ? result.result().asOutdated() : result.result();
    put(caller, before.with(kind, list));
    by.status()
        .onSuccess(
            status -> {
              if (own.get(server.value()) == by) {
                put(caller, described(entry(caller, common), status));
              }
              listed.run();
            })
        .onFailure(failure -> listed.run());
  }

  private DirectoryEntry entry(CallerFacts caller, DirectoryEntry common) {
    DirectoryEntry known = directory.snapshot().own(caller).get(common.id().value());
    return known == null ? DirectoryEntry.of(common.id()).withCallers(common.callers()) : known;
  }

  private static DirectoryEntry described(DirectoryEntry entry, JsonObject status) {
    return DirectoryLists.isServing(status.getString("state", ""))
        ? DirectoryLists.described(entry, status)
        : entry;
  }

  private void put(CallerFacts caller, DirectoryEntry entry) {
    Map<String, DirectoryEntry> all = new HashMap<>(directory.snapshot().own(caller));
    all.put(entry.id().value(), entry);
    directory.replace(directory.snapshot().with(caller, all));
  }

  /** A list of a server has changed for a principal: it is fetched again where it was fetched. */
  void changed(String principal, String server, ListKind kind) {
    each(principal, server, (caller, fetcher) -> fetcher.changed(kind));
  }

  /** The server announces to a principal that these lists are others now. */
  void announced(String principal, String server, Collection<ListKind> kinds) {
    each(
        principal,
        server,
        (caller, fetcher) -> {
          kinds.forEach(fetcher::outdate);
          DirectoryEntry own = directory.snapshot().own(caller).get(server);
          if (own != null) {
            put(caller, own.withOutdated(kinds));
          }
        });
  }

  /** What a principal sees of a server may be another thing altogether: its credential changed. */
  void forget(String principal, String server) {
    each(principal, server, (caller, fetcher) -> forget(caller, server));
    listed.run();
  }

  /** The server was removed, or is another one now. */
  void forget(String server) {
    List.copyOf(fetchers.keySet()).forEach(caller -> forget(caller, server));
  }

  private void forget(CallerFacts caller, String server) {
    Map<String, ListFetcher> own = fetchers.get(caller);
    if (own != null && own.remove(server) != null) {
      Map<String, DirectoryEntry> all = new HashMap<>(directory.snapshot().own(caller));
      all.remove(server);
      directory.replace(directory.snapshot().with(caller, all));
    }
  }

  private void each(String principal, String server, BiConsumer<CallerFacts, ListFetcher> task) {
    List<CallerFacts> same = new ArrayList<>();
    fetchers.forEach(
        (caller, own) -> {
          if (caller.principal().equals(principal) && own.containsKey(server)) {
            same.add(caller);
          }
        });
    for (CallerFacts caller : same) {
      ListFetcher fetcher = fetchers.getOrDefault(caller, Map.of()).get(server);
      if (fetcher != null) {
        task.accept(caller, fetcher);
      }
    }
  }
}
