package dev.mcpbus.config.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.config.read.ConfigSchema.DeclaredKey;
import dev.mcpbus.testing.Compared;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The tables of keys in the pages are what {@code mcpbus.schema.json} says. After a change of it
 * run this test with {@code -Dmcpbus.write=true}: it writes what stands between the marks.
 */
class ConfigurationTablesTest {

  private static final Pattern BLOCK =
      Pattern.compile("(?s)(<!-- keys: ([a-z-]+) -->\n)(.*?)(<!-- end -->)");

  /** Sections with a table of their own. */
  private static final Set<String> SECTIONS =
      Set.of("bridge", "cluster", "gateway", "auth", "defaults", "mcpServers");

  @ParameterizedTest
  @ValueSource(strings = {"configuration", "http"})
  void each_table_has_what_the_schema_says(String name) throws IOException {
    Path page = Path.of(System.getProperty("mcpbus.basedir", "."), "src/docs/" + name + ".md");
    String text = Files.readString(page);
    List<String> blocks = new ArrayList<>();
    String made =
        BLOCK
            .matcher(text)
            .replaceAll(
                found -> {
                  blocks.add(found.group(2));
                  return Matcher.quoteReplacement(
                      found.group(1) + "\n" + table(found.group(2)) + "\n" + found.group(4));
                });
    assertThat(blocks).isNotEmpty().doesNotHaveDuplicates();
    Compared.page(page, made, ConfigurationTablesTest.class);
  }

  private static String table(String block) {
    return switch (block) {
      case "server" -> server();
      case "top" -> keys(ConfigSchema.TOP, SECTIONS);
      case "oauth" -> keys(ConfigSchema.OAUTH, Set.of());
      case "restart" -> restart();
      default -> keys(ConfigSchema.TOP.key(block).members(), Set.of());
    };
  }

  /** What the server is first, then how it behaves; {@code oauth} has a table of its own. */
  private static String server() {
    Set<String> elsewhere = new HashSet<>(ConfigSchema.SETTINGS.names());
    elsewhere.addAll(Set.of("oauth", "auth"));
    List<String> rows = new ArrayList<>();
    rows(ConfigSchema.SETTINGS, "", Set.of(), rows);
    return keys(ConfigSchema.SERVER, elsewhere) + String.join("", rows);
  }

  private static String keys(ConfigSchema schema, Set<String> elsewhere) {
    List<String> rows = new ArrayList<>();
    rows(schema, "", elsewhere, rows);
    return "| key | value | default | |\n|---|---|---|---|\n" + String.join("", rows);
  }

  private static void rows(
      ConfigSchema schema, String path, Set<String> elsewhere, List<String> rows) {
    schema
        .keys()
        .forEach(
            (name, key) -> {
              boolean ours = key.rules().isEmpty() || ConfigKeys.SERVER.contains(name);
              if (elsewhere.contains(name) || name.equals("$schema") || !ours) {
                return;
              }
              JsonObject declared = key.declared();
              if (declared.containsKey("properties") && declared.containsKey("x-same-as")) {
                rows.add(row("`" + path + name + "`", "object", "", says(key)));
              } else if (declared.containsKey("properties")) {
                rows(key.members(), path + name + ".", Set.of(), rows);
              } else if (inner(declared).containsKey("properties")) {
                String item = declared.containsKey("items") ? "[]." : ".<name>.";
                rows(key.members(), path + name + item, Set.of(), rows);
              } else {
                rows.add(
                    row("`" + path + name + "`", value(declared), standard(declared), says(key)));
              }
            });
  }

  private static String row(String... cells) {
    return "| "
        + List.of(cells).stream()
            .map(cell -> cell.replace("|", "\\|"))
            .collect(Collectors.joining(" | "))
        + " |\n";
  }

  private static JsonObject inner(JsonObject declared) {
    JsonObject inner = ConfigSchema.inner(declared);
    return inner == null ? new JsonObject() : inner;
  }

  /** What may stand there. */
  private static String value(JsonObject declared) {
    List<String> parts = new ArrayList<>();
    parts.add(kind(declared));
    if (declared.containsKey("minimum") && !declared.containsKey("anyOf")) {
      parts.add(declared.getValue("minimum") + " to " + declared.getValue("maximum"));
    }
    if (declared.getBoolean("x-positive", false)) {
      parts.add("more than 0");
    }
    if (declared.containsKey("x-unit")) {
      parts.add(declared.getString("x-unit"));
    }
    if (declared.getBoolean("x-secret", false)) {
      parts.add("secret");
    }
    return parts.stream().filter(part -> !part.isEmpty()).collect(Collectors.joining(", "));
  }

  private static String kind(JsonObject declared) {
    if (declared.getString("$ref", "").endsWith("/duration")) {
      return "duration";
    }
    if (declared.containsKey("enum")) {
      return words(declared.getJsonArray("enum"));
    }
    JsonArray forms = declared.getJsonArray("anyOf");
    if (forms != null) {
      return forms.stream()
          .map(form -> kind((JsonObject) form))
          .distinct()
          .collect(Collectors.joining("; or "));
    }
    if (declared.getValue("type") instanceof JsonArray types) {
      return types.stream()
          .map(type -> kind(new JsonObject().put("type", type)))
          .collect(Collectors.joining(" or "));
    }
    JsonObject items = inner(declared);
    return switch (declared.getString("type", "")) {
      case "string" -> "text";
      case "boolean" -> "`true`, `false`";
      case "integer" -> "whole number";
      case "number" -> "number";
      case "array" -> items.containsKey("enum") ? "list of " + kind(items) : "list of texts";
      case "object" -> "object of texts";
      default -> "";
    };
  }

  /** Each word once, of two spellings the first. */
  private static String words(JsonArray words) {
    Map<String, String> first = new LinkedHashMap<>();
    words.forEach(word -> first.putIfAbsent(word.toString().replace('-', '_'), "`" + word + "`"));
    return String.join(", ", first.values());
  }

  private static String standard(JsonObject declared) {
    if (declared.containsKey("x-default")) {
      return declared.getString("x-default");
    }
    Object value = declared.getValue("default");
    if (value == null || value.equals(new JsonArray())) {
      return "";
    }
    boolean duration = declared.getString("$ref", "").endsWith("/duration");
    return "`"
        + (duration && value instanceof Number ms
            ? duration(ms.longValue())
            : value instanceof Number bytes && declared.getString("x-unit", "").equals("bytes")
                ? bytes(bytes.longValue())
                : value)
        + "`";
  }

  private static String duration(long ms) {
    Map<Long, String> units = new LinkedHashMap<>();
    units.put(60_000L, "m");
    units.put(1_000L, "s");
    for (Map.Entry<Long, String> unit : units.entrySet()) {
      if (ms > 0 && ms % unit.getKey() == 0) {
        return ms / unit.getKey() + unit.getValue();
      }
    }
    return ms == 0 ? "0" : ms + "ms";
  }

  private static String bytes(long bytes) {
    return bytes % 1_048_576 == 0 ? bytes / 1_048_576 + " MiB" : bytes / 1_024 + " KiB";
  }

  /** The text for the page, else that for editors. */
  private static String says(DeclaredKey key) {
    JsonObject declared = key.declared();
    String same = declared.getString("x-same-as");
    return declared.containsKey("x-page")
        ? declared.getString("x-page")
        : same != null
            ? "the same as `" + same + "`"
            : plain(Objects.requireNonNull(declared.getString("description")));
  }

  /** A sentence of the schema as a cell of a table. */
  private static String plain(String description) {
    String text = description.replaceFirst("\\.$", "");
    boolean word = text.matches("(?s)[A-Z]([a-z]| [a-z]).*");
    return word && !text.contains(". ")
        ? Character.toLowerCase(text.charAt(0)) + text.substring(1)
        : text;
  }

  private static String restart() {
    List<String> keys = new ArrayList<>();
    restart(ConfigSchema.TOP, "", keys);
    return String.join(", ", keys) + "\n";
  }

  private static void restart(ConfigSchema schema, String path, List<String> keys) {
    schema
        .keys()
        .forEach(
            (name, key) -> {
              if (key.declared().containsKey("x-restart")) {
                keys.add("`" + path + name + "`");
              } else {
                restart(key.members(), path + name + ".", keys);
              }
            });
  }
}
