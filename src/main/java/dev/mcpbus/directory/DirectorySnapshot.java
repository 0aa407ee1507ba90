package dev.mcpbus.directory;

import dev.mcpbus.bus.ListKind;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.Via;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The lists of all servers at one moment. Immutable: a change makes a new snapshot. The lists of a
 * view are computed at their first use, on the thread that uses them, and kept.
 */
public final class DirectorySnapshot {

  public static final DirectorySnapshot EMPTY = new DirectorySnapshot(Collections.emptySortedMap());

  /**
   * Bound of {@link #lists}: each reload of the policies leaves the keys of the old rights behind.
   */
  private static final int MAX_LISTS = 1_000;

  private record ViewListKey(DirectoryView view, ListKind kind) {}

  private record First(ViewListKey key, int size, Era era) {}

  private final SortedMap<String, DirectoryEntry> servers;
  private final Map<ViewListKey, ViewList> lists = new ConcurrentHashMap<>();
  private final Map<DirectoryView, ViewUris> uris = new ConcurrentHashMap<>();
  private final Map<First, RawJson> pages = new ConcurrentHashMap<>();

  private DirectorySnapshot(SortedMap<String, DirectoryEntry> servers) {
    this.servers = servers;
  }

  public DirectorySnapshot with(DirectoryEntry facts) {
    SortedMap<String, DirectoryEntry> more = new TreeMap<>(servers);
    more.put(facts.id().value(), facts);
    return new DirectorySnapshot(more);
  }

  DirectorySnapshot without(String id) {
    SortedMap<String, DirectoryEntry> less = new TreeMap<>(servers);
    less.remove(id);
    return new DirectorySnapshot(less);
  }

  public @Nullable DirectoryEntry server(String id) {
    return servers.get(id);
  }

  /** Ids of all servers, in order. */
  public Collection<String> ids() {
    return Collections.unmodifiableCollection(servers.keySet());
  }

  /** Ordered by id. */
  public Collection<DirectoryEntry> servers() {
    return servers.values();
  }

  public ViewList list(DirectoryView view, ListKind kind) {
    if (lists.size() >= MAX_LISTS) {
      lists.clear();
      uris.clear();
      pages.clear();
    }
    return lists.computeIfAbsent(
        new ViewListKey(view, kind),
        key -> ViewList.of(view, kind, servers.values(), () -> uris(view)));
  }

  /** Which server a URI of the view leads to, and which URI leads to a server's resource. */
  public ViewUris uris(DirectoryView view) {
    if (uris.size() >= MAX_LISTS) {
      uris.clear();
    }
    return uris.computeIfAbsent(view, key -> ViewUris.of(view, servers.values()));
  }

  /** The ids of this mcpbus and of every mcpbus behind the servers of a view. */
  public Set<String> via(DirectoryView view, String own) {
    Set<String> all = new TreeSet<>(Set.of(own));
    for (DirectoryEntry server : servers.values()) {
      if (view.includes(server.id().value())) {
        all.addAll(server.behind());
      }
    }
    return all;
  }

  /**
   * One page of a list, with the mark of this mcpbus.
   *
   * @param era of the client
   * @param own the name of this mcpbus
   * @return null if the cursor is not valid
   */
  public @Nullable RawJson page(
      DirectoryView view, ListKind kind, @Nullable String cursor, int size, Era era, String own) {
    if (cursor != null) {
      RawJson page = list(view, kind).page(cursor, size, era);
      return page == null ? null : Via.put(page, via(view, own));
    }
    First wanted = new First(new ViewListKey(view, kind), size, era);
    RawJson first = pages.get(wanted);
    if (first == null) {
      first = list(view, kind).page(null, size, era);
      if (first != null) {
        first = Via.put(first, via(view, own));
        pages.put(wanted, first);
      }
    }
    return first;
  }

  /** The instructions of all servers of a view under headings; of a single server as they are. */
  public String instructions(DirectoryView view) {
    StringBuilder all = new StringBuilder();
    for (DirectoryEntry server : servers.values()) {
      if (!view.includes(server.id().value()) || server.instructions().isBlank()) {
        continue;
      }
      if (view.server()) {
        return server.instructions();
      }
      all.append(all.length() == 0 ? "" : "\n\n")
          .append("# ")
          .append(server.id())
          .append("\n\n")
          .append(server.instructions().strip());
    }
    return all.toString();
  }
}
