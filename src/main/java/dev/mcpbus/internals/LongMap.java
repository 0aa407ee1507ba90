package dev.mcpbus.internals;

import io.netty.util.collection.LongObjectHashMap;
import io.netty.util.collection.LongObjectMap;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * A map by {@code long} that allocates no key objects; it is Netty's, because each answer of a
 * server costs one lookup. Confined to its owner's thread.
 */
public final class LongMap<V> {

  private final LongObjectHashMap<V> entries = new LongObjectHashMap<>();

  public @Nullable V get(long key) {
    return entries.get(key);
  }

  public @Nullable V put(long key, V value) {
    return entries.put(key, value);
  }

  public @Nullable V remove(long key) {
    return entries.remove(key);
  }

  public int size() {
    return entries.size();
  }

  public void clear() {
    entries.clear();
  }

  /** A live view of the values. */
  public Collection<V> values() {
    return entries.values();
  }

  /** Visits each entry; {@code visitor} must not change the map. */
  public void forEach(Visitor<? super V> visitor) {
    for (LongObjectMap.PrimitiveEntry<V> entry : entries.entries()) {
      visitor.visit(entry.key(), entry.value());
    }
  }

  /** Receives each entry. */
  public interface Visitor<V> {
    void visit(long key, V value);
  }
}
