package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.cluster.ownership.OwnershipOptions;
import dev.mcpbus.internals.RecordCopy;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Methods that copy options name a component in a text: each changes the one of its name. */
class OptionsCopiesTest {

  static Stream<Record> options() {
    return Stream.of(BridgeOptions.DEFAULT, OwnershipOptions.DEFAULT);
  }

  @ParameterizedTest
  @MethodSource("options")
  void each_copy_differs_in_the_component_of_its_name(Record options) throws Exception {
    for (Method method : options.getClass().getMethods()) {
      if (method.getName().matches("with[A-Z].*") && !method.getName().equals("withMajorityOf")) {
        String name =
            method.getName().substring(4, 5).toLowerCase(Locale.ROOT)
                + method.getName().substring(5);
        Object copy =
            method.invoke(options, other(method.getParameterTypes()[0], value(options, name)));
        assertThat(changed(options, (Record) copy)).as(method.toString()).containsExactly(name);
      }
    }
  }

  private static @Nullable Object value(Record options, String name) {
    return RecordCopy.components(options.getClass()).stream()
        .filter(component -> component.getName().equals(name))
        .findFirst()
        .map(component -> Optional.ofNullable(RecordCopy.get(options, component)))
        .orElseThrow(() -> new AssertionError("no component " + name))
        .orElse(null);
  }

  /** A value of this type other than {@code current}. */
  private static Object other(Class<?> type, @Nullable Object current) {
    if (type == int.class) {
      return (Integer) Objects.requireNonNull(current) + 1;
    }
    if (type == Duration.class) {
      return ((Duration) Objects.requireNonNull(current)).plusSeconds(1);
    }
    assertThat(type).isEqualTo(String.class);
    return "localhost";
  }

  private static Set<String> changed(Record before, Record after) {
    Set<String> names = new TreeSet<>();
    for (RecordComponent component : RecordCopy.components(before.getClass())) {
      if (!Objects.equals(RecordCopy.get(before, component), RecordCopy.get(after, component))) {
        names.add(component.getName());
      }
    }
    return names;
  }
}
