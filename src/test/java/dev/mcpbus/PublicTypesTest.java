package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import dev.mcpbus.config.ServerOrigin;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Types that a program can build: small constructors, and immutable where they say so. */
class PublicTypesTest {

  private static final int MOST_COMPONENTS = 8;

  /** A description above a record, as the sources have it. */
  private static final Pattern CLAIM =
      Pattern.compile("(?s)/\\*\\*((?:(?!\\*/).)*)\\*/\\s*(?:@\\w+\\s*)*[a-z ]*record (\\w+)");

  private static final Set<String> COPIES =
      Set.of(
          "copy",
          "copyOf",
          "toList", // of a stream
          "toUnmodifiableMap",
          "unmodifiableList",
          "unmodifiableSet",
          "unmodifiableMap",
          "unmodifiableCollection");

  /** What models get of a result, which is not copied for each call. */
  private static final Set<String> RESULTS = Set.of("ModelTool", "ToolOutput");

  @Test
  void no_record_of_the_public_api_has_a_constructor_that_breaks_with_each_new_component() {
    assertThat(
            records()
                .filter(PublicTypesTest::isApi)
                .filter(type -> components(type).size() > MOST_COMPONENTS)
                .map(JavaClass::getSimpleName))
        .isEmpty();
  }

  @Test
  void what_claims_to_be_immutable_copies_what_could_be_changed() throws IOException {
    Set<String> claims = claims();
    assertThat(claims).hasSizeGreaterThan(30).contains("ServerDefinition", "ServerOrigin");
    Set<String> shared =
        records()
            .filter(type -> isApi(type) || isFilled(type))
            .filter(type -> claims.contains(type.getSimpleName()))
            .filter(type -> !RESULTS.contains(type.getSimpleName()))
            .flatMap(PublicTypesTest::shared)
            .collect(Collectors.toCollection(TreeSet::new));

    assertThat(shared).as("components that a caller can change").isEmpty();
  }

  @Test
  void a_caller_changes_no_default_of_the_process() {
    ConnectionOptions.DEFAULT.capabilities().put("roots", new JsonObject());
    assertThat(ConnectionOptions.DEFAULT.capabilities()).isEmpty();

    JsonObject entry = new JsonObject().put("env", new JsonObject());
    ServerOrigin origin = new ServerOrigin("s", entry, null, false);
    entry.getJsonObject("env").put("A", "b");
    origin.entry().put("command", "x");
    origin.toJson().getJsonObject("entry").put("command", "x");
    assertThat(origin.entry()).isEqualTo(new JsonObject().put("env", new JsonObject()));
  }

  private static Stream<JavaClass> records() {
    return BuiltClasses.ALL.stream().filter(JavaClass::isRecord);
  }

  private static boolean isApi(JavaClass type) {
    return type.isAnnotatedWith(PublicApi.class)
        || (type.getModifiers().contains(JavaModifier.PUBLIC)
            && type.getEnclosingClass().map(PublicTypesTest::isApi).orElse(false));
  }

  /** What a configuration comes to. */
  private static boolean isFilled(JavaClass type) {
    String place = type.getPackageName();
    return place.endsWith(".config") || place.endsWith(".options") || place.endsWith(".ownership");
  }

  private static List<RecordComponent> components(JavaClass type) {
    return Arrays.asList(type.reflect().getRecordComponents());
  }

  /** The names of the records whose description says that they are immutable. */
  private static Set<String> claims() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
      Set<String> all = new TreeSet<>();
      for (Path file : files.filter(one -> one.toString().endsWith(".java")).toList()) {
        CLAIM
            .matcher(Files.readString(file))
            .results()
            .filter(
                found -> found.group(1).toLowerCase(java.util.Locale.ROOT).contains("immutable"))
            .forEach(found -> all.add(found.group(2)));
      }
      return all;
    }
  }

  /** The components whose values a caller and the record would share. */
  private static Stream<String> shared(JavaClass type) {
    List<RecordComponent> open =
        components(type).stream().filter(one -> isOpen(one.getType())).toList();
    JavaConstructor canonical =
        type.getConstructor(
            components(type).stream().map(RecordComponent::getType).toArray(Class<?>[]::new));
    Stream<String> in =
        copies(canonical) < open.size()
            ? Stream.of(type.getSimpleName() + ": the constructor copies " + copies(canonical))
            : Stream.empty();
    Stream<String> out =
        open.stream()
            .filter(one -> isJson(one.getType()))
            .filter(one -> copies(type.getMethod(one.getName())) == 0)
            .map(one -> type.getSimpleName() + "." + one.getName() + "() gives its own");
    return open.isEmpty() ? Stream.empty() : Stream.concat(in, out);
  }

  private static boolean isOpen(Class<?> type) {
    return Collection.class.isAssignableFrom(type)
        || Map.class.isAssignableFrom(type)
        || isJson(type);
  }

  private static boolean isJson(Class<?> type) {
    return type == JsonObject.class || type == JsonArray.class;
  }

  /** How often a constructor or accessor copies, itself or by a method of its class. */
  private static long copies(JavaCodeUnit unit) {
    return unit.getMethodCallsFromSelf().stream().filter(PublicTypesTest::isCopy).count();
  }

  private static boolean isCopy(JavaMethodCall call) {
    return COPIES.contains(call.getName());
  }
}
