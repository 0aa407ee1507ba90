package dev.mcpbus.gateway.request;

import dev.mcpbus.bus.ListKind;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.directory.DirectorySnapshot;
import dev.mcpbus.directory.DirectoryView;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The versions of the lists that a client has read, and whether they have changed since. Confined
 * to the context of its session or stream.
 */
public final class ListChangeTracker {

  /** No version that a list has: the list counts as changed as soon as it can be read. */
  private static final long UNREAD = -1;

  private DirectoryView view;
  private final Map<ListKind, Long> seen = new EnumMap<>(ListKind.class);

  /** Those of which the server itself has told the client, until the new list is read. */
  private final Set<ListKind> announced = EnumSet.noneOf(ListKind.class);

  public ListChangeTracker(DirectoryView view) {
    this.view = view;
  }

  /** The client reads the lists by this view from now on. */
  public void look(DirectoryView now) {
    view = now;
  }

  /** The client has read a list of {@code snapshot}. */
  public void saw(DirectorySnapshot snapshot, ListKind kind) {
    note(kind, snapshot.list(view, kind).version());
  }

  /** The client has got an error in place of a list. */
  public void missed(ListKind kind) {
    note(kind, UNREAD);
  }

  private void note(ListKind kind, long version) {
    if (kind != ListKind.TOOLS || !view.searches()) { // the three search tools never change
      seen.put(kind, version);
      announced.remove(kind);
    }
  }

  /**
   * The client gets the server's own {@code list_changed}: the list that it announces is no news.
   *
   * @return whether the client has read a list of that kind
   */
  public boolean announced(String method) {
    List<ListKind> known = ListKind.announcedBy(method).stream().filter(seen::containsKey).toList();
    announced.addAll(known);
    return !known.isEmpty();
  }

  /** Forgets which versions the client has: all lists count as changed. */
  public void forget() {
    for (ListKind kind : ListKind.values()) {
      missed(kind);
    }
  }

  /** The kinds of lists that the client has read. */
  public Set<ListKind> seen() {
    return seen.keySet();
  }

  /**
   * The notifications that are due; each is returned once. A list that cannot be read is no news;
   * it is when it is back. Nor is a list that the server itself has announced.
   */
  public Set<String> due(DirectorySnapshot snapshot) {
    Set<String> due = new LinkedHashSet<>();
    for (Map.Entry<ListKind, Long> one : seen.entrySet()) {
      ListKind kind = one.getKey();
      if (snapshot.refusal(view, kind) != null) {
        one.setValue(UNREAD);
        announced.remove(kind);
        continue;
      }
      boolean told = isOutdated(snapshot, kind) ? announced.contains(kind) : announced.remove(kind);
      long version = snapshot.list(view, kind).version();
      if (version != one.getValue()) {
        one.setValue(version);
        if (!told) {
          due.add(kind.notification);
        }
      }
    }
    return due;
  }

  private boolean isOutdated(DirectorySnapshot snapshot, ListKind kind) {
    DirectoryEntry server = view.server() ? snapshot.server(view.name()) : null;
    return server != null && server.isOutdated(kind);
  }
}
