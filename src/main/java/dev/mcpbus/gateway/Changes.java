package dev.mcpbus.gateway;

import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** Which lists a client has seen, and whether they are others now. Confined to its owner. */
final class Changes {

  private View view;
  private final Map<Kind, Long> seen = new EnumMap<>(Kind.class);

  Changes(View view) {
    this.view = view;
  }

  /** The client sees the lists by these rights from now on. */
  void look(View now) {
    view = now;
  }

  /** The client has what {@code snapshot} lists. */
  void saw(Snapshot snapshot, Kind kind) {
    if (kind != Kind.TOOLS || !view.searches()) { // the tools to search with are always the same
      seen.put(kind, snapshot.list(view, kind).version());
    }
  }

  /** What the client has seen is not known any more: it is told to look again. */
  void forget() {
    for (Kind kind : Kind.values()) {
      if (kind != Kind.TOOLS || !view.searches()) {
        seen.put(kind, -1L);
      }
    }
  }

  /** What the client has asked for. */
  Set<Kind> seen() {
    return seen.keySet();
  }

  /** Notifications that are due; each only once. */
  Set<String> due(Snapshot snapshot) {
    Set<String> due = new LinkedHashSet<>();
    for (Map.Entry<Kind, Long> one : seen.entrySet()) {
      long version = snapshot.list(view, one.getKey()).version();
      if (version != one.getValue()) {
        one.setValue(version);
        due.add(one.getKey().notification);
      }
    }
    return due;
  }
}
