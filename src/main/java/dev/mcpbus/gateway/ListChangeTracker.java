package dev.mcpbus.gateway;

import dev.mcpbus.directory.DirectorySnapshot;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.directory.ListKind;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** Which lists a client has seen, and whether they are others now. Confined to its owner. */
final class ListChangeTracker {

  private DirectoryView view;
  private final Map<ListKind, Long> seen = new EnumMap<>(ListKind.class);

  ListChangeTracker(DirectoryView view) {
    this.view = view;
  }

  /** The client sees the lists by these rights from now on. */
  void look(DirectoryView now) {
    view = now;
  }

  /** The client has what {@code snapshot} lists. */
  void saw(DirectorySnapshot snapshot, ListKind kind) {
    if (kind != ListKind.TOOLS
        || !view.searches()) { // the tools to search with are always the same
      seen.put(kind, snapshot.list(view, kind).version());
    }
  }

  /** What the client has seen is not known any more: it is told to look again. */
  void forget() {
    for (ListKind kind : ListKind.values()) {
      if (kind != ListKind.TOOLS || !view.searches()) {
        seen.put(kind, -1L);
      }
    }
  }

  /** What the client has asked for. */
  Set<ListKind> seen() {
    return seen.keySet();
  }

  /** Notifications that are due; each only once. */
  Set<String> due(DirectorySnapshot snapshot) {
    Set<String> due = new LinkedHashSet<>();
    for (Map.Entry<ListKind, Long> one : seen.entrySet()) {
      long version = snapshot.list(view, one.getKey()).version();
      if (version != one.getValue()) {
        one.setValue(version);
        due.add(one.getKey().notification);
      }
    }
    return due;
  }
}
