package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.Events;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.client.McpServerClient;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The table of the seeds names nothing that is not there. */
class SeedsTest {

  private static final Path BASE = Path.of(System.getProperty("mcpbus.basedir", "."));
  private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

  private static Map<String, Path> tests;
  private static Map<String, Path> classes;
  private static String schema;
  private static String words;
  private static String rpcRoute;
  private static Set<String> addresses;
  private static Set<String> events;

  @BeforeAll
  static void read() throws IOException {
    tests = sources("src/test/java");
    classes = sources("src/main/java");
    schema = Files.readString(BASE.resolve("src/main/resources/mcpbus.schema.json"));
    words =
        Files.readString(classes.get("ConfigKeys")) + Files.readString(classes.get("ConfigReader"));
    rpcRoute = Files.readString(classes.get("RpcRoute"));
    addresses = constants(Addresses.class);
    events = constants(Events.class);
  }

  private static Map<String, Path> sources(String root) throws IOException {
    try (Stream<Path> files = Files.walk(BASE.resolve(root))) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> !file.endsWith("package-info.java"))
          .collect(
              Collectors.toMap(
                  file -> file.getFileName().toString().replace(".java", ""),
                  file -> file,
                  (one, other) -> one));
    }
  }

  private static Set<String> constants(Class<?> words) {
    Set<String> values = new HashSet<>();
    for (Field field : words.getFields()) {
      if (Modifier.isStatic(field.getModifiers()) && field.getType() == String.class) {
        try {
          values.add((String) field.get(null));
        } catch (IllegalAccessException e) {
          throw new AssertionError(e);
        }
      }
    }
    return values;
  }

  static List<String> rows() throws IOException {
    List<String> rows = new ArrayList<>();
    for (String line : Files.readAllLines(BASE.resolve("src/docs/seeds.md"))) {
      if (line.startsWith("|") && !line.startsWith("|---") && !line.startsWith("| seed |")) {
        rows.add(line);
      }
    }
    assertThat(rows).hasSizeGreaterThan(80);
    return rows;
  }

  private static List<String> quoted(String cell) {
    return QUOTED.matcher(cell).results().map((MatchResult found) -> found.group(1)).toList();
  }

  @ParameterizedTest
  @MethodSource("rows")
  void a_row_names_an_address_a_facade_and_a_test_that_exist(String row) throws IOException {
    List<String> cells = Arrays.stream(row.split("\\|", -1)).map(String::strip).toList();
    assertThat(cells).hasSize(6);
    assertThat(cells.subList(1, 5)).doesNotContain("");
    assertThat(quoted(cells.get(2)))
        .isNotEmpty()
        .allSatisfy(address -> assertThat(addresses).contains(suffix(address)));
    assertThat(quoted(cells.get(3))).isNotEmpty().allSatisfy(SeedsTest::exists);
    assertThat(quoted(cells.get(4))).isNotEmpty();
    for (String test : quoted(cells.get(4))) {
      String[] parts = test.split("\\.", -1);
      assertThat(tests).containsKey(parts[0]);
      if (parts.length > 1) {
        assertThat(Files.readString(tests.get(parts[0]))).contains(" void " + parts[1] + "(");
      }
    }
  }

  private static String suffix(String address) {
    return address.startsWith("mcp.<id>.") ? address.substring("mcp.<id>.".length()) : address;
  }

  private static void exists(String word) {
    if (word.startsWith("client.")) {
      assertThat(methods(McpClient.class)).contains(word.substring("client.".length()));
    } else if (word.startsWith("server.")) {
      assertThat(methods(McpServerClient.class)).contains(word.substring("server.".length()));
    } else if (word.startsWith("POST ")) {
      assertThat(rpcRoute).contains("\"" + word.substring("POST ".length()) + "\"");
    } else if (word.equals(word.toUpperCase(Locale.ROOT))) {
      assertThat(Arrays.stream(ConnectionState.values()).map(Enum::name)).contains(word);
    } else if (Character.isUpperCase(word.charAt(0))) {
      String name = word.replaceFirst("\\..*", "");
      assertThat(classes.containsKey(name) || name.equals("McpServer")).as(name).isTrue();
    } else {
      assertThat(
              schema.contains("\"" + word + "\"")
                  || events.contains(word)
                  || word.startsWith("--")
                  || words.contains(word))
          .as(word)
          .isTrue();
    }
  }

  private static Set<String> methods(Class<?> facade) {
    return Arrays.stream(facade.getMethods())
        .map(java.lang.reflect.Method::getName)
        .collect(Collectors.toSet());
  }
}
