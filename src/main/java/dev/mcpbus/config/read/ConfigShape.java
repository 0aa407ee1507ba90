package dev.mcpbus.config.read;

import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.read.ConfigNode.ConfigMember;
import dev.mcpbus.config.read.ConfigNode.ValueType;
import dev.mcpbus.config.read.ConfigSchema.DeclaredKey;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What an editor refuses by {@code mcpbus.schema.json} and the readers take: a word in other
 * letters, a number in a list of texts, a mistake in a key that nobody reads. Reports the first of
 * the file's own settings, and the first of each server, where the readers have found nothing.
 *
 * @param server whose entry is looked at; null for the file's own settings
 */
record ConfigShape(ProblemCollector problems, @Nullable String server) {

  private static final Map<String, ValueType> TYPES =
      Map.of(
          "string", ValueType.STRING,
          "boolean", ValueType.BOOLEAN,
          "number", ValueType.NUMBER,
          "integer", ValueType.NUMBER,
          "array", ValueType.ARRAY,
          "object", ValueType.OBJECT,
          "null", ValueType.NULL);

  static void check(ConfigNode root, ProblemCollector problems) {
    ConfigShape file = new ConfigShape(problems, null);
    ConfigMember servers = root.member("mcpServers").orElseThrow();
    file.members(root.without(servers.name()), "", ConfigSchema.TOP);
    if (servers.value().is(ValueType.NULL)) {
      file.wrong(servers.line(), "\"mcpServers\" is null", "Write {} for none");
    }
    for (ConfigMember each : servers.value().members()) {
      new ConfigShape(problems, ServerNames.key(each.name()))
          .members(each.value(), "", ConfigSchema.SERVER);
    }
  }

  private void wrong(int line, String message, String remedy) {
    if (!problems.has(server)) {
      problems.add(line, server, message, remedy);
    }
  }

  private void members(ConfigNode object, String path, ConfigSchema schema) {
    for (ConfigMember member : object.members()) {
      String at = path + member.name();
      DeclaredKey key = schema.keys().get(member.name());
      if (key != null) {
        value(member.line(), member.value(), at, key.declared(), key.members());
      } else if (!schema.foreign().test(member.name())) {
        wrong(member.line(), "unknown key " + MessageTexts.quote(at), "Remove it");
      }
    }
  }

  private void value(
      int line, ConfigNode value, String path, JsonObject declared, ConfigSchema members) {
    String wrong = value.is(ValueType.NULL) ? null : wrong(value, declared);
    JsonObject inner = ConfigSchema.inner(declared);
    if (wrong != null) {
      wrong(line, MessageTexts.quote(path) + " " + wrong, "Compare it with mcpbus.schema.json");
    } else if (declared.containsKey("properties")) {
      members(value, path + ".", members);
    } else if (inner != null) {
      for (ConfigMember each : value.members()) {
        value(each.line(), each.value(), path + "." + each.name(), inner, members);
      }
      for (int i = 0; i < value.items().size(); i++) {
        ConfigNode item = value.items().get(i);
        value(item.line(), item, path + "[" + i + "]", inner, members);
      }
    } else {
      declared.getJsonArray("anyOf", new JsonArray()).stream()
          .map(JsonObject.class::cast)
          .filter(form -> wrong(value, form) == null)
          .findFirst()
          .ifPresent(form -> value(line, value, path, form, members));
    }
  }

  /** What is wrong with the value itself; null if it fits. */
  private static @Nullable String wrong(ConfigNode value, JsonObject declared) {
    JsonArray forms = declared.getJsonArray("anyOf", new JsonArray());
    List<String> wrongs =
        forms.stream().map(form -> String.valueOf(wrong(value, (JsonObject) form))).toList();
    if (!wrongs.isEmpty() && !wrongs.contains("null")) {
      return String.join(", or ", wrongs);
    }
    List<?> types =
        declared.getValue("type") instanceof JsonArray several
            ? several.getList()
            : List.of(declared.getString("type", ""));
    if (!types.contains("") && types.stream().noneMatch(type -> TYPES.get(type) == value.type())) {
      return "must be "
          + MessageTexts.alternatives(types.stream().map(ConfigShape::title).toList())
          + ", not "
          + value.type().title;
    }
    JsonArray words = declared.getJsonArray("enum");
    if (words != null && !words.contains(value.toJson())) {
      return words.stream()
          .map(String::valueOf)
          .collect(Collectors.joining(", ", "must be one of ", ""));
    }
    if (value.is(ValueType.NUMBER)) {
      double number = value.number().doubleValue();
      boolean fraction = number != Math.rint(number);
      return fraction && types.contains("integer")
          ? "must be a whole number"
          : number < declared.getDouble("minimum", number)
                  || number > declared.getDouble("maximum", number)
              ? "is out of range"
              : null;
    }
    if (value.is(ValueType.OBJECT)) {
      return lacking(value, declared);
    }
    if (!value.is(ValueType.STRING)) {
      return null;
    }
    if (value.text().length() < declared.getInteger("minLength", 0)) {
      return "is empty";
    }
    String pattern = declared.getString("pattern");
    return pattern == null || Pattern.compile(pattern).matcher(value.text()).find()
        ? null
        : "is not of the form that the schema has";
  }

  /** Which member an object must have and has not; null if it lacks none. */
  private static @Nullable String lacking(ConfigNode object, JsonObject declared) {
    for (Object name : declared.getJsonArray("required", new JsonArray())) {
      if (!has(object, (String) name)) {
        return "has no " + MessageTexts.quote((String) name);
      }
    }
    for (Map.Entry<String, Object> each :
        declared.getJsonObject("dependentRequired", new JsonObject())) {
      for (Object name : (JsonArray) each.getValue()) {
        if (has(object, each.getKey()) && !has(object, (String) name)) {
          return "has "
              + MessageTexts.quote(each.getKey())
              + " and no "
              + MessageTexts.quote((String) name);
        }
      }
    }
    return null;
  }

  /** A member that is null counts as absent. */
  private static boolean has(ConfigNode object, String name) {
    return object.member(name).filter(member -> !member.value().is(ValueType.NULL)).isPresent();
  }

  private static String title(Object type) {
    return Objects.requireNonNull(TYPES.get(type)).title;
  }
}
