package dev.mcpbus.hosting.credentials;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Objects by their keys, each as long as somebody else holds it. Thread-safe. */
final class WeakValues<K, V> {

  private static final class KeyedReference<K, V> extends WeakReference<V> {
    private final K key;

    private KeyedReference(K key, V value, ReferenceQueue<V> over) {
      super(value, over);
      this.key = key;
    }
  }

  private final Map<K, KeyedReference<K, V>> held = new HashMap<>();
  private final ReferenceQueue<V> over = new ReferenceQueue<>();

  /** The object of a key, made where there is none. */
  synchronized V get(K key, Supplier<V> made) {
    sweep();
    KeyedReference<K, V> known = held.get(key);
    V value = known == null ? null : known.get();
    if (value == null) {
      value = made.get();
      held.put(key, new KeyedReference<>(key, value, over));
    }
    return value;
  }

  /** Removes and gives the objects of some keys that are still there. */
  synchronized List<V> take(Predicate<K> which) {
    List<V> taken = new ArrayList<>();
    held.entrySet()
        .removeIf(
            entry -> {
              boolean goes = which.test(entry.getKey());
              V value = goes ? entry.getValue().get() : null;
              if (value != null) {
                taken.add(value);
              }
              return goes;
            });
    return taken;
  }

  private void sweep() {
    for (Reference<? extends V> gone = over.poll(); gone != null; gone = over.poll()) {
      if (gone instanceof KeyedReference<?, ?> one && held.get(one.key) == one) {
        held.remove(one.key);
      }
    }
  }
}
