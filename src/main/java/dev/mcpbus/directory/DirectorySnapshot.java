package dev.mcpbus.directory;

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
 * What all servers list, at one moment. Immutable: a change makes a new one. What views make of it
 * is worked out when it is first asked for, by whichever thread asks.
 */
public final class DirectorySnapshot {

  public static final DirectorySnapshot EMPTY = new DirectorySnapshot(Collections.emptySortedMap());

  /** Of so many views, rights and kinds; policies that are read anew leave some behind. */
  private static final int MAX_LISTS = 1_000;

  private record Key(DirectoryView view, ListKind kind) {}

  private record First(Key key, int size, boolean modern) {}

  private final SortedMap<String, DirectoryEntry> servers;
  private final Map<Key, ViewList> lists = new ConcurrentHashMap<>();
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
      pages.clear();
    }
    return lists.computeIfAbsent(
        new Key(view, kind), key -> ViewList.of(view, kind, servers.values()));
  }

  /** Every mcpbus behind the servers of a view, and {@code own} among them. */
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
   * @param own the name of this mcpbus
   * @return null where the cursor is not good
   */
  public @Nullable RawJson page(
      DirectoryView view,
      ListKind kind,
      @Nullable String cursor,
      int size,
      boolean modern,
      String own) {
    if (cursor != null) {
      RawJson page = list(view, kind).page(cursor, size, modern);
      return page == null ? null : Via.put(page, via(view, own));
    }
    First wanted = new First(new Key(view, kind), size, modern);
    RawJson first = pages.get(wanted);
    if (first == null) {
      first = list(view, kind).page(null, size, modern);
      if (first != null) {
        first = Via.put(first, via(view, own));
        pages.put(wanted, first);
      }
    }
    return first;
  }

  /** Of all servers of a view, each under its name; of one server as it is. */
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
