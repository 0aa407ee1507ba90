package dev.mcpbus.internals;

import io.netty.util.collection.LongObjectHashMap;
import io.netty.util.collection.LongObjectMap;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * A map by {@code long} that makes no objects for its keys; Netty's, because one lookup is made for
 * each answer of a server. Confined to its owner's thread.
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

  /** The values, as they are now and later. */
  public Collection<V> values() {
    return entries.values();
  }

  /** Each key with its value; {@code visitor} must not change the map. */
  public void forEach(Visitor<? super V> visitor) {
    for (LongObjectMap.PrimitiveEntry<V> entry : entries.entries()) {
      visitor.visit(entry.key(), entry.value());
    }
  }

  /** Sees each entry. */
  public interface Visitor<V> {
    void visit(long key, V value);
  }
}
