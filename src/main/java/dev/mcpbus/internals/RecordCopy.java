package dev.mcpbus.internals;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Copies of records with other components, by their canonical constructor. By reflection: for
 * options, which are made a few times, never on the way of a call. Thread-safe.
 */
public final class RecordCopy {

  private static final ClassValue<Canonical> FORMS =
      new ClassValue<>() {
        @Override
        protected Canonical computeValue(Class<?> type) {
          return Canonical.of(type);
        }
      };

  private RecordCopy() {}

  /** The copy of {@code record} in which one component has another value. */
  public static <R extends Record> R with(R record, String component, @Nullable Object value) {
    Map<String, @Nullable Object> changes = new HashMap<>();
    changes.put(component, value);
    return with(record, changes);
  }

  /**
   * The copy of {@code record} in which the named components have other values. What the
   * constructor throws comes out as it is; an unknown name is an {@link IllegalArgumentException}.
   */
  @SuppressWarnings("unchecked")
  public static <R extends Record> R with(
      R record, Map<String, ? extends @Nullable Object> changes) {
    return (R) FORMS.get(record.getClass()).copy(record, changes);
  }

  /** The components of a record's class, in their order. */
  public static List<RecordComponent> components(Class<? extends Record> type) {
    return FORMS.get(type).components;
  }

  /** The value of one component. */
  public static @Nullable Object get(Record record, RecordComponent component) {
    try {
      return component.getAccessor().invoke(record);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(component.getName() + " cannot be read", e);
    }
  }

  private record Canonical(List<RecordComponent> components, Constructor<?> constructor) {

    static Canonical of(Class<?> type) {
      RecordComponent[] components = type.getRecordComponents();
      try {
        Constructor<?> constructor =
            type.getDeclaredConstructor(
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
        constructor.setAccessible(true);
        Arrays.stream(components).forEach(each -> each.getAccessor().setAccessible(true));
        return new Canonical(List.of(components), constructor);
      } catch (NoSuchMethodException e) {
        throw new IllegalStateException(e);
      }
    }

    Object copy(Record record, Map<String, ? extends @Nullable Object> changes) {
      Map<String, @Nullable Object> left = new HashMap<>(changes);
      Object[] values =
          components.stream()
              .map(
                  each ->
                      left.containsKey(each.getName())
                          ? left.remove(each.getName())
                          : get(record, each))
              .toArray();
      if (!left.isEmpty()) {
        throw new IllegalArgumentException(record.getClass() + " has no " + left.keySet());
      }
      try {
        return constructor.newInstance(values);
      } catch (InvocationTargetException e) {
        if (e.getCause() instanceof RuntimeException wrong) {
          throw wrong;
        }
        throw new IllegalStateException(e);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
