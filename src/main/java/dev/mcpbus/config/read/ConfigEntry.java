package dev.mcpbus.config.read;

import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.read.ConfigNode.ConfigMember;
import dev.mcpbus.config.read.ConfigNode.ValueType;
import dev.mcpbus.config.read.Substitution.EntryVariables;
import dev.mcpbus.config.read.Substitution.Filled;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads an object of the configuration key by key. Each method returns the value, or empty if the
 * key is absent, null or wrong; a wrong value is reported to {@code problems}. Ranges and the keys
 * of inner objects are those of the schema. Owned by one read.
 *
 * @param schema of the object; a number, a duration or an object must be one of its keys
 * @param path of the object inside its server or file, for messages; empty at the top
 * @param server the server to which problems belong, null for the file's own settings
 */
record ConfigEntry(
    ConfigNode node,
    ConfigSchema schema,
    String path,
    @Nullable String server,
    ProblemCollector problems,
    Substitution substitution) {

  /** A message lists all known keys if they are no more than this. */
  private static final int MAX_LISTED = 14;

  private static final int MAX_MEANT = 3;

  /** Reports every key that the schema does not have. */
  private void check() {
    for (ConfigMember member : node.members()) {
      if (!schema.keys().containsKey(member.name()) && !schema.foreign().test(member.name())) {
        unknown(member, schema.names());
      }
    }
  }

  void unknown(ConfigMember member, Collection<String> known) {
    wrong(
        member.line(),
        "unknown key " + MessageTexts.quote(path + member.name()),
        remedy(meant(member.name(), known), known));
  }

  private String remedy(List<String> meant, Collection<String> known) {
    if (!meant.isEmpty()) {
      List<String> keys = meant.stream().map(key -> "\"" + path + key + "\"").toList();
      return "Did you mean " + MessageTexts.alternatives(keys) + "?";
    }
    return known.size() <= MAX_LISTED
        ? "Remove it; known are " + String.join(", ", known.stream().sorted().toList())
        : "Remove it; configuration.md lists the keys, and an editor completes them from"
            + " mcpbus.schema.json";
  }

  /** Our word for another program's, else the most similar keys, at most 3. */
  static List<String> meant(String name, Collection<String> known) {
    List<String> similar =
        ConfigKeys.HINTS.containsKey(name)
            ? List.of()
            : MessageTexts.similar(name, known, MAX_MEANT);
    String elsewhere = MessageTexts.nearest(name, ConfigKeys.HINTS.keySet());
    String hint = elsewhere == null ? null : ConfigKeys.HINTS.get(elsewhere);
    return similar.isEmpty() && hint != null && known.contains(hint) ? List.of(hint) : similar;
  }

  /** Whether one of these keys is there under an unknown name, which is reported as that. */
  boolean hasMisspelt(Collection<String> known, String... keys) {
    return node.members().stream()
        .map(ConfigMember::name)
        .filter(name -> !schema.keys().containsKey(name) && !schema.foreign().test(name))
        .anyMatch(name -> meant(name, known).stream().anyMatch(List.of(keys)::contains));
  }

  /**
   * Whether a needed key is not there. False where a key that is reported already was meant: one
   * mistake has one problem.
   */
  boolean lacks(String... needed) {
    return !Stream.of(needed).allMatch(this::has) && !hasMisspelt(schema.names(), needed);
  }

  /** Whether none of several keys is there, of which one is needed; else as {@link #lacks}. */
  boolean lacksEach(String... ways) {
    return Stream.of(ways).noneMatch(this::has) && !hasMisspelt(schema.names(), ways);
  }

  /** Reports a setting that mcpbus ignores; the server is used all the same. */
  void note(int line, String message, String remedy) {
    problems.note(line, server, message, remedy);
  }

  void wrong(int line, String message, String remedy) {
    problems.add(line, server, message, remedy);
  }

  private void wrong(ConfigMember member, String should, String remedy) {
    wrong(
        member.line(),
        MessageTexts.quote(path + member.name())
            + " must be "
            + should
            + ", not "
            + member.value().type().title,
        remedy);
  }

  boolean has(String key) {
    return member(key).isPresent();
  }

  int line(String key) {
    return node.member(key).map(ConfigMember::line).orElse(node.line());
  }

  private Optional<ConfigMember> member(String key) {
    return node.member(key).filter(member -> !member.value().is(ValueType.NULL));
  }

  /** Whether a value is a string, where it may be something else as well. */
  boolean isText(String key) {
    return member(key).filter(member -> member.value().is(ValueType.STRING)).isPresent();
  }

  /** Whether a value is a list, or is not there. */
  boolean isListOrAbsent(String key) {
    return member(key).filter(member -> !member.value().is(ValueType.ARRAY)).isEmpty();
  }

  Optional<Filled> text(String key) {
    Optional<ConfigMember> found = member(key);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    ConfigMember member = found.get();
    if (!member.value().is(ValueType.STRING)) {
      wrong(member, "a string", "Put it in quotes");
      return Optional.empty();
    }
    return substitution.fill(member.value().text(), member.value().line(), server);
  }

  /** The plain text, for values that need no masking in the reader: a name, a host, a time. */
  Optional<String> word(String key) {
    return text(key).map(text -> text.value().reveal());
  }

  /**
   * Parses a word with {@code reader}; reports a problem if that returns empty.
   *
   * @param wrong the beginning of the problem; the text follows, masked if needed
   */
  <T> Optional<T> word(
      String key, Function<String, Optional<T>> reader, String wrong, Supplier<String> remedy) {
    Optional<Filled> text = text(key).filter(each -> !each.open());
    Optional<T> found = text.flatMap(each -> reader.apply(each.value().reveal()));
    if (text.isPresent() && found.isEmpty()) {
      wrong(line(key), wrong + " " + MessageTexts.quote(text.get().shown()), remedy.get());
    }
    return found;
  }

  /** A path, relative to the workspace folder; a leading {@code ~/} is the user's home. */
  Optional<Path> path(String key) {
    Optional<Filled> text = text(key);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    String raw = text.get().value().reveal();
    if (raw.isBlank() || raw.indexOf('\0') >= 0) {
      wrong(line(key), MessageTexts.quote(path + key) + " is empty or not a path", "Name a path");
      return Optional.empty();
    }
    try {
      Path found =
          raw.equals("~") || raw.startsWith("~/")
              ? substitution.userHome().resolve(raw.substring(Math.min(2, raw.length())))
              : substitution.folder().resolve(raw);
      return Optional.of(found.normalize());
    } catch (InvalidPathException e) {
      wrong(line(key), MessageTexts.quote(path + key) + " is not a valid path", "Correct it");
      return Optional.empty();
    }
  }

  /** The path of a file that mcpbus is to read for the server, where the entry may name it. */
  Optional<Path> file(String key) {
    return path(key)
        .filter(
            file -> {
              List<String> why = substitution.whyNotRead(file);
              if (why != null) {
                wrong(line(key), MessageTexts.quote(path + key) + " " + why.get(0), why.get(1));
              }
              return why == null;
            });
  }

  /** The same object, for texts that stay in this process: they may name any variable. */
  ConfigEntry withOwn() {
    return new ConfigEntry(node, schema, path, server, problems, substitution.withOwn());
  }

  /** The same object, for texts that may name the variables that the entry sets. */
  ConfigEntry with(EntryVariables variables) {
    return new ConfigEntry(node, schema, path, server, problems, substitution.with(variables));
  }

  /** The same object, of which some keys are of interest. */
  ConfigEntry as(ConfigSchema part) {
    return new ConfigEntry(node, part, path, server, problems, substitution);
  }

  /** Whether it is the word {@code false}, for a key whose other values are texts. */
  boolean isFalse(String key) {
    return member(key)
        .filter(member -> member.value().is(ValueType.BOOLEAN))
        .filter(member -> member.value().text().equals("false"))
        .isPresent();
  }

  Optional<Boolean> flag(String key) {
    Optional<ConfigMember> found = member(key);
    if (found.isPresent() && !found.get().value().is(ValueType.BOOLEAN)) {
      wrong(found.get(), "true or false", "Write true or false without quotes");
      return Optional.empty();
    }
    return found.map(member -> Boolean.valueOf(member.value().text()));
  }

  Optional<Integer> whole(String key) {
    Optional<Double> number = number(key);
    if (number.isPresent() && number.get() != Math.rint(number.get())) {
      wrong(line(key), MessageTexts.quote(path + key) + " must be a whole number", "Round it");
      return Optional.empty();
    }
    return number.map(Double::intValue);
  }

  Optional<Double> number(String key) {
    double min = schema.key(key).min();
    double max = schema.key(key).max();
    Optional<ConfigMember> found = member(key);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    ConfigMember member = found.get();
    if (!member.value().is(ValueType.NUMBER)) {
      wrong(member, "a number", "Write it without quotes");
      return Optional.empty();
    }
    double value = member.value().number().doubleValue();
    if (!(value >= min && value <= max)) {
      wrong(
          member.line(),
          MessageTexts.quote(path + key) + " is out of range",
          "Give a number from " + plain(min) + " to " + plain(max));
      return Optional.empty();
    }
    return Optional.of(value);
  }

  private static String plain(double bound) {
    return bound == Math.rint(bound) ? Long.toString((long) bound) : Double.toString(bound);
  }

  Optional<Duration> duration(String key) {
    boolean positive = schema.key(key).positive();
    Optional<ConfigMember> found = member(key);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    ConfigMember member = found.get();
    Optional<Duration> value = Optional.empty();
    if (member.value().is(ValueType.NUMBER)) {
      value = DurationText.ofMillis(member.value().number().doubleValue());
    } else if (member.value().is(ValueType.STRING)) {
      Optional<String> text = text(key).filter(each -> !each.open()).map(ConfigEntry::word);
      if (text.isEmpty()) {
        return Optional.empty();
      }
      boolean isNumber = text.get().matches("\\d{1,12}");
      value = DurationText.parse(isNumber ? text.get() + "ms" : text.get());
    }
    if (value.isEmpty()) {
      wrong(
          member.line(), MessageTexts.quote(path + key) + " is not a duration", DurationText.HELP);
    } else if (value.get().isZero() && positive) {
      wrong(
          member.line(),
          MessageTexts.quote(path + key) + " must be more than zero",
          DurationText.HELP);
      return Optional.empty();
    }
    return value;
  }

  /** A constant of an enum, written in lower case with hyphens. */
  <E extends Enum<E>> Optional<E> choice(String key, Class<E> type) {
    List<E> all = List.of(type.getEnumConstants());
    return word(
        key,
        text -> all.stream().filter(each -> word(each).equals(normal(text))).findFirst(),
        MessageTexts.quote(path + key) + " cannot be",
        () -> "Use one of " + String.join(", ", all.stream().map(ConfigEntry::word).toList()));
  }

  /** The plug-in, or built-in implementation, with this name. */
  <T> Optional<T> plugin(String key, Plugins<T> plugins) {
    return word(
        key,
        plugins::find,
        MessageTexts.quote(path + key) + " cannot be",
        () -> plugins.remedy(List.of()));
  }

  static String word(Enum<?> value) {
    return normal(value.name());
  }

  private static String normal(String text) {
    return text.toLowerCase(Locale.ROOT).replace('_', '-');
  }

  Optional<ConfigEntry> object(String key) {
    Optional<ConfigEntry> entry = anyObject(key, schema.key(key).members());
    entry.ifPresent(ConfigEntry::check);
    return entry;
  }

  /** An object of which any key may be read. */
  Optional<ConfigEntry> anyObject(String key) {
    return anyObject(key, ConfigSchema.ANY);
  }

  private Optional<ConfigEntry> anyObject(String key, ConfigSchema members) {
    Optional<ConfigMember> found = member(key);
    if (found.isPresent() && !found.get().value().is(ValueType.OBJECT)) {
      wrong(found.get(), "an object", "Write \"" + key + "\": { ... }");
      return Optional.empty();
    }
    return found.map(member -> inner(member.value(), members, key));
  }

  private ConfigEntry inner(ConfigNode value, ConfigSchema members, String name) {
    return new ConfigEntry(value, members, path + name + ".", server, problems, substitution);
  }

  /** The objects of a list; none if absent. */
  List<ConfigEntry> objects(String key) {
    List<ConfigEntry> objects = new ArrayList<>();
    ConfigMember list = member(key).orElse(null);
    if (list == null) {
      return objects;
    }
    List<ConfigNode> items = list.value().items();
    if (!list.value().is(ValueType.ARRAY)
        || !items.stream().allMatch(item -> item.is(ValueType.OBJECT))) {
      wrong(
          list.line(),
          MessageTexts.quote(path + key) + " must be a list of objects",
          "Write \"" + key + "\": [{ ... }]");
      return objects;
    }
    for (int i = 0; i < items.size(); i++) {
      ConfigEntry item = inner(items.get(i), schema.key(key).members(), key + "[" + i + "]");
      item.check();
      objects.add(item);
    }
    return objects;
  }

  /** The object with the values of a map, whose names are free. */
  ConfigEntry values(ConfigMember map) {
    ConfigSchema.DeclaredKey value = schema.key(map.name());
    Map<String, ConfigSchema.DeclaredKey> keys = new LinkedHashMap<>();
    map.value().members().forEach(member -> keys.put(member.name(), value));
    return inner(map.value(), new ConfigSchema(keys, name -> false), map.name());
  }

  /** A list of strings; numbers and booleans count as their text. Empty if absent. */
  Optional<List<Filled>> texts(String key) {
    Optional<ConfigMember> found = member(key);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    if (!found.get().value().is(ValueType.ARRAY)) {
      wrong(found.get(), "a list of strings", "Write \"" + key + "\": [\"one\", \"two\"]");
      return Optional.empty();
    }
    List<ConfigNode> items = found.get().value().items();
    List<Filled> texts = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      scalar(items.get(i), path + key + "[" + i + "]").ifPresent(texts::add);
    }
    return Optional.of(texts);
  }

  /** The plain texts of a list; none if absent. */
  List<String> words(String key) {
    return words(texts(key).orElse(List.of()));
  }

  static List<String> words(List<Filled> texts) {
    return texts.stream().map(ConfigEntry::word).toList();
  }

  static String word(Filled text) {
    return text.value().reveal();
  }

  /** As {@link #map}, with plain texts. */
  Map<String, String> wordMap(String key) {
    Map<String, String> words = new LinkedHashMap<>();
    map(key).orElse(Map.of()).forEach((name, text) -> words.put(name, word(text)));
    return words;
  }

  /** An object of strings; a member that is null counts as absent. Empty if absent. */
  Optional<Map<String, Filled>> map(String key) {
    Optional<ConfigMember> found = member(key);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    if (!found.get().value().is(ValueType.OBJECT)) {
      wrong(found.get(), "an object of strings", "Write \"" + key + "\": {\"NAME\": \"value\"}");
      return Optional.empty();
    }
    Map<String, Filled> map = new LinkedHashMap<>();
    for (ConfigMember member : found.get().value().members()) {
      if (!member.value().is(ValueType.NULL)) {
        scalar(member.value(), path + key + "." + member.name())
            .ifPresent(text -> map.put(member.name(), text));
      }
    }
    return Optional.of(map);
  }

  /** The members of an object of strings that refer to nothing, as they are written. */
  Map<String, String> plainMembers(String key) {
    Map<String, String> plain = new LinkedHashMap<>();
    member(key)
        .ifPresent(
            found ->
                found.value().members().stream()
                    .filter(one -> one.value().is(ValueType.STRING))
                    .filter(one -> !one.value().text().contains("${"))
                    .forEach(one -> plain.put(one.name(), one.value().text())));
    return plain;
  }

  private Optional<Filled> scalar(ConfigNode value, String where) {
    if (value.is(ValueType.OBJECT) || value.is(ValueType.ARRAY) || value.is(ValueType.NULL)) {
      wrong(
          value.line(),
          MessageTexts.quote(where) + " must be a string, not " + value.type().title,
          "Put it in quotes");
      return Optional.empty();
    }
    return substitution.fill(value.text(), value.line(), server);
  }
}
