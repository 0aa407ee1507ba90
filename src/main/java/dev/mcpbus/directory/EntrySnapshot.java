package dev.mcpbus.directory;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * An immutable map by id, in order, that is cheap to change one entry at a time: a new one shares a
 * sorted base with the last, and copies no more than {@link #MAX_CHANGES} changes of it. The
 * changes are merged into a base of its own where the whole map is read. Any thread may call.
 */
final class EntrySnapshot<V> {

  private static final int MAX_CHANGES = 64;

  private final SortedMap<String, V> base;

  /** What differs from the base; null is an entry that was removed. */
  private final Map<String, @Nullable V> changes;

  private volatile @Nullable SortedMap<String, V> merged;

  private EntrySnapshot(SortedMap<String, V> base, Map<String, @Nullable V> changes) {
    this.base = base;
    this.changes = changes;
  }

  static <V> EntrySnapshot<V> empty() {
    return new EntrySnapshot<>(Collections.emptySortedMap(), Map.of());
  }

  @Nullable V get(String id) {
    return changes.containsKey(id) ? changes.get(id) : base.get(id);
  }

  /**
   * @param entry null to remove it
   */
  EntrySnapshot<V> with(String id, @Nullable V entry) {
    SortedMap<String, V> whole = changes.size() < MAX_CHANGES ? merged : all();
    Map<String, @Nullable V> more = whole == null ? new HashMap<>(changes) : new HashMap<>();
    more.put(id, entry);
    return new EntrySnapshot<>(whole == null ? base : whole, more);
  }

  /** All entries; the same object each time. */
  SortedMap<String, V> all() {
    SortedMap<String, V> known = merged;
    if (known == null) {
      TreeMap<String, V> whole = new TreeMap<>(base);
      changes.forEach(
          (id, entry) -> {
            if (entry == null) {
              whole.remove(id);
            } else {
              whole.put(id, entry);
            }
          });
      known = Collections.unmodifiableSortedMap(whole);
      merged = known;
    }
    return known;
  }
}
