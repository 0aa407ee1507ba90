package dev.mcpbus.config.read;

import dev.mcpbus.internals.RecordCopy;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Fills a record from an object of the configuration. Each key goes into the component of its name,
 * or of the name in {@code x-into}; the component belongs to the record, or to a record that is one
 * of its components. An absent or wrong key keeps the component of the base. Members of an object
 * without a component, such as {@code ping}, go into the same record. Keys are read in the order of
 * the schema, which is the order of problems on one line. Owned by one read.
 */
final class Filling<R extends Record> {

  private static final Map<Class<?>, BiFunction<ConfigEntry, String, Optional<?>>> READERS =
      Map.ofEntries(
          Map.entry(boolean.class, ConfigEntry::flag),
          Map.entry(Boolean.class, ConfigEntry::flag),
          Map.entry(int.class, ConfigEntry::whole),
          Map.entry(long.class, (entry, key) -> entry.number(key).map(Double::longValue)),
          Map.entry(double.class, ConfigEntry::number),
          Map.entry(Double.class, ConfigEntry::number),
          Map.entry(Duration.class, ConfigEntry::duration),
          Map.entry(String.class, ConfigEntry::word),
          Map.entry(Path.class, ConfigEntry::path),
          Map.entry(List.class, (entry, key) -> entry.texts(key).map(ConfigEntry::words)),
          Map.entry(
              Set.class,
              (entry, key) ->
                  entry.texts(key).map(texts -> new LinkedHashSet<>(ConfigEntry.words(texts)))));

  /**
   * Where a value goes.
   *
   * @param outer the component that is the record of {@code component}; empty for the record itself
   */
  private record FillTarget(String outer, RecordComponent component, @Nullable Object current) {}

  private final ConfigEntry entry;
  private final R base;
  private final Map<String, FillTarget> targets = new LinkedHashMap<>();
  private final Map<String, Function<ConfigEntry, ? extends Optional<?>>> byHand = new HashMap<>();
  private final Map<String, Map<String, @Nullable Object>> read = new HashMap<>();

  private Filling(ConfigEntry entry, R base) {
    this.entry = entry;
    this.base = base;
    targets("", base);
    for (FillTarget each : List.copyOf(targets.values())) {
      if (each.current() instanceof Record inner) {
        targets(each.component().getName(), inner);
      }
    }
  }

  private void targets(String outer, Record of) {
    for (RecordComponent each : RecordCopy.components(of.getClass())) {
      targets.putIfAbsent(each.getName(), new FillTarget(outer, each, RecordCopy.get(of, each)));
    }
  }

  /**
   * @param base has the values of keys that are absent
   */
  static <R extends Record> Filling<R> of(ConfigEntry entry, R base) {
    return new Filling<>(entry, base);
  }

  /**
   * How a key that the schema marks with {@code x-hand} is read, at its place in the order.
   *
   * @param key with the objects in which it stands: {@code restart.strategy}
   */
  Filling<R> hand(String key, Function<ConfigEntry, ? extends Optional<?>> reader) {
    byHand.put(key, reader);
    return this;
  }

  /** A component that was read elsewhere; empty keeps that of the base. */
  Filling<R> set(String component, Optional<?> value) {
    value.ifPresent(found -> put(component, found));
    return this;
  }

  /** The value of a component as far as it is read. */
  @Nullable Object value(String component) {
    FillTarget target = target(component);
    return read.getOrDefault(target.outer(), Map.of()).getOrDefault(component, target.current());
  }

  /** Reads all keys. What the record's constructor throws comes out as it is. */
  R done() {
    fill(entry, "");
    Map<String, @Nullable Object> own = new HashMap<>(read.getOrDefault("", Map.of()));
    read.forEach(
        (outer, changes) -> {
          if (!outer.isEmpty() && target(outer).current() instanceof Record inner) {
            own.put(outer, RecordCopy.with(inner, changes));
          }
        });
    return RecordCopy.with(base, own);
  }

  private void fill(ConfigEntry of, String path) {
    of.schema()
        .keys()
        .forEach(
            (name, key) -> {
              var hand = byHand.get(path + name);
              if (hand != null) {
                hand.apply(of).ifPresent(found -> put(key.into(), found));
              } else if (!key.byHand()) {
                FillTarget target = targets.get(key.into());
                if (target == null && key.members().keys().isEmpty()) {
                  throw new IllegalStateException(base.getClass() + " has no " + key.into());
                } else if (target == null) {
                  of.object(name).ifPresent(inner -> fill(inner, path + name + "."));
                } else {
                  value(of, path, name, target).ifPresent(found -> put(key.into(), found));
                }
              }
            });
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private Optional<?> value(ConfigEntry of, String path, String name, FillTarget target) {
    Class<?> type = target.component().getType();
    if (type.isEnum()) {
      return of.choice(name, (Class) type);
    }
    if (target.current() instanceof Record inner) {
      return of.object(name).map(object -> inner(object, path + name + ".", inner));
    }
    BiFunction<ConfigEntry, String, Optional<?>> reader = READERS.get(type);
    if (reader == null) {
      throw new IllegalStateException("nothing reads a " + type + " for " + name);
    }
    return reader.apply(of, name);
  }

  private Record inner(ConfigEntry object, String path, Record current) {
    Filling<Record> filling = new Filling<>(object, current);
    byHand.forEach(
        (key, reader) -> {
          if (key.startsWith(path)) {
            filling.hand(key.substring(path.length()), reader);
          }
        });
    return filling.done();
  }

  private void put(String component, Object value) {
    read.computeIfAbsent(target(component).outer(), outer -> new HashMap<>()).put(component, value);
  }

  private FillTarget target(String component) {
    FillTarget found = targets.get(component);
    if (found == null) {
      throw new IllegalStateException(base.getClass() + " has no " + component);
    }
    return found;
  }
}
