package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bridge.options.BridgeLimitOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bridge.options.BridgeTlsOptions;
import dev.mcpbus.bus.TelemetryOptions;
import dev.mcpbus.cluster.ownership.OwnershipOptions;
import dev.mcpbus.config.ClusterOptions;
import dev.mcpbus.connection.options.BreakerOptions;
import dev.mcpbus.connection.options.PinOptions;
import dev.mcpbus.connection.options.ToolPolicy;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.supervisor.RestartPolicy;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.StdioOptions;
import dev.mcpbus.transport.TlsOptions;
import io.vertx.core.json.JsonObject;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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

  private static final Map<Class<?>, Object> VALUES =
      Map.ofEntries(
          Map.entry(String.class, "localhost"),
          Map.entry(Path.class, Path.of("folder")),
          Map.entry(Sensitive.class, Sensitive.of("text")),
          Map.entry(JsonObject.class, new JsonObject().put("roots", new JsonObject())),
          Map.entry(ParseLimits.class, new ParseLimits(1_024, 8, 16)),
          Map.entry(PinOptions.class, PinOptions.FIRST_USE),
          Map.entry(BreakerOptions.class, BreakerOptions.DEFAULT),
          Map.entry(ToolPolicy.class, new ToolPolicy(List.of(), List.of("a"))),
          Map.entry(TlsOptions.class, new TlsOptions(Path.of("ca"), null, null)),
          Map.entry(BridgeTlsOptions.class, new BridgeTlsOptions(Path.of("c"), Path.of("k"))),
          Map.entry(
              BridgeLimitOptions.class,
              new BridgeLimitOptions(
                  2_048, 2, BridgeLimitOptions.share(2), 2, Duration.ZERO.plusSeconds(1), 0)),
          Map.entry(
              ClusterOptions.Tls.class,
              new ClusterOptions.Tls(Path.of("c"), Path.of("k"), Path.of("a"))),
          Map.entry(AuthOptions.Limits.class, new AuthOptions.Limits(1, 1, 1)));

  /** Methods of other names, or for values that cannot be made here. */
  private static final Set<String> OTHERS =
      Set.of(
          "withRemote",
          "withMajorityOf",
          "withJwt",
          "withOAuth",
          "withBackoff",
          "withIntensity",
          "withStrategy",
          "withPolicies");

  static Stream<Record> options() {
    return Stream.of(
        AuthOptions.NONE,
        BridgeOptions.DEFAULT,
        ClusterOptions.DEFAULT,
        GatewayOptions.DEFAULT,
        HttpOptions.of(URI.create("https://h/mcp")),
        OwnershipOptions.DEFAULT,
        RestartPolicy.DEFAULT,
        StdioOptions.of("run", List.of()),
        TelemetryOptions.DEFAULT);
  }

  @ParameterizedTest
  @MethodSource("options")
  void each_copy_differs_in_the_component_of_its_name(Record options) throws Exception {
    for (Method method : options.getClass().getMethods()) {
      if (method.getName().matches("with[A-Z].*")
          && method.getParameterCount() == 1
          && !OTHERS.contains(method.getName())) {
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
  private static @Nullable Object other(Class<?> type, @Nullable Object current) {
    if (type == boolean.class || type == Boolean.class) {
      return !Boolean.TRUE.equals(current);
    }
    if (type == int.class) {
      return (Integer) Objects.requireNonNull(current) + 1;
    }
    if (type == Duration.class) {
      return current == null ? Duration.ofSeconds(1) : ((Duration) current).plusSeconds(1);
    }
    if (type.isEnum()) {
      return Arrays.stream(type.getEnumConstants()).filter(one -> one != current).findFirst().get();
    }
    if (type == Map.class) {
      return current instanceof Map<?, ?> ? Map.of("a", "b") : null;
    }
    if (type == List.class) {
      return List.of(Sensitive.of("a"));
    }
    return Objects.requireNonNull(VALUES.get(type), type.toString());
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
