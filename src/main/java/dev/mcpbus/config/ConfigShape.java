package dev.mcpbus.config;

import dev.mcpbus.config.ConfigNode.ConfigMember;
import dev.mcpbus.config.ConfigNode.ValueType;
import dev.mcpbus.config.ConfigSchema.DeclaredKey;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What an editor refuses by {@code mcpbus.schema.json} and the readers take: a word in other
 * letters, a number in a list of texts, a mistake in a key that nobody reads. Reports the first of
 * the file's own settings, and the first of each server, where the readers have found nothing.
 */
final class ConfigShape {

  private static final Map<String, ValueType> TYPES =
      Map.of(
          "string", ValueType.STRING,
          "boolean", ValueType.BOOLEAN,
          "number", ValueType.NUMBER,
          "integer", ValueType.NUMBER,
          "array", ValueType.ARRAY,
          "object", ValueType.OBJECT);

  private record Misfit(int line, String message, String remedy) {}

  private ConfigShape() {}

  static void check(ConfigNode root, ProblemCollector problems) {
    ConfigMember servers = root.member("mcpServers").orElseThrow();
    report(members(root.without(servers.name()), "", ConfigSchema.TOP), null, problems);
    if (servers.value().is(ValueType.NULL)) {
      report(
          Stream.of(new Misfit(servers.line(), "\"mcpServers\" is null", "Write {} for none")),
          null,
          problems);
    }
    for (ConfigMember server : servers.value().members()) {
      report(
          members(server.value(), "", ConfigSchema.SERVER),
          ServerNames.key(server.name()),
          problems);
    }
  }

  private static void report(
      Stream<Misfit> found, @Nullable String server, ProblemCollector problems) {
    if (!problems.has(server)) {
      found
          .findFirst()
          .ifPresent(one -> problems.add(one.line(), server, one.message(), one.remedy()));
    }
  }

  private static Stream<Misfit> members(ConfigNode object, String path, ConfigSchema schema) {
    return object.members().stream()
        .flatMap(
            member -> {
              String at = path + member.name();
              DeclaredKey key = schema.keys().get(member.name());
              if (key != null) {
                return misfits(member.line(), member.value(), at, key.declared(), key.members());
              }
              return schema.foreign().test(member.name())
                  ? Stream.empty()
                  : Stream.of(
                      new Misfit(
                          member.line(), "unknown key " + MessageTexts.quote(at), "Remove it"));
            });
  }

  private static Stream<Misfit> misfits(
      int line, ConfigNode value, String path, JsonObject declared, ConfigSchema members) {
    String wrong = value.is(ValueType.NULL) ? null : wrong(value, declared);
    if (wrong != null) {
      return Stream.of(
          new Misfit(
              line, MessageTexts.quote(path) + " " + wrong, "Compare it with mcpbus.schema.json"));
    }
    if (declared.containsKey("properties")) {
      return members(value, path + ".", members);
    }
    JsonObject inner = ConfigSchema.inner(declared);
    return inner == null
        ? Stream.empty()
        : Stream.concat(
            value.members().stream()
                .flatMap(
                    each ->
                        misfits(
                            each.line(), each.value(), path + "." + each.name(), inner, members)),
            IntStream.range(0, value.items().size())
                .boxed()
                .flatMap(
                    i -> {
                      ConfigNode item = value.items().get(i);
                      return misfits(item.line(), item, path + "[" + i + "]", inner, members);
                    }));
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
          + MessageTexts.alternatives(types.stream().map(type -> TYPES.get(type).title).toList())
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
    String pattern = declared.getString("pattern", "");
    return value.is(ValueType.STRING) && value.text().length() < declared.getInteger("minLength", 0)
        ? "is empty"
        : value.is(ValueType.STRING) && !Pattern.compile(pattern).matcher(value.text()).find()
            ? "is not of the form that the schema has"
            : null;
  }
}
