package dev.mcpbus.config.read;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one object of the configuration, in the order of {@code mcpbus.schema.json}, which
 * declares them. Keywords of our own begin with {@code x-}; {@code CONTRIBUTING.md} explains them.
 * Immutable.
 *
 * @param keys by name; those of other programs are not among them
 * @param foreign keys for other programs, which mcpbus ignores; all, where the schema says nothing
 */
record ConfigSchema(Map<String, DeclaredKey> keys, Predicate<String> foreign) {

  private static final JsonObject NONE = new JsonObject();
  private static final JsonObject DECLARED = declared();

  static final ConfigSchema TOP = of(DECLARED);
  static final ConfigSchema SETTINGS = named("settings");
  static final ConfigSchema SERVER = named("server");
  static final ConfigSchema OAUTH = named("oauth");

  /** For an object that may have any key. */
  static final ConfigSchema ANY = new ConfigSchema(Map.of(), name -> false);

  /**
   * One key.
   *
   * @param declared what the schema says of it, with what that refers to; only read
   * @param members of an object, of the items of a list, or of the values of a map
   */
  record DeclaredKey(String name, JsonObject declared, ConfigSchema members) {

    /** The component of a record that has the value. */
    String into() {
      return declared.getString("x-into", name);
    }

    /** Whether a reader has a rule of its own for it, so that {@link Filling} does not read it. */
    boolean byHand() {
      return declared.getBoolean("x-hand", false);
    }

    /** Whether a duration must be more than zero. */
    boolean positive() {
      return declared.getBoolean("x-positive", false);
    }

    double min() {
      return declared.getDouble("minimum", Double.NEGATIVE_INFINITY);
    }

    double max() {
      return declared.getDouble("maximum", Double.POSITIVE_INFINITY);
    }

    /** The words that the value, or each of its items, may be. */
    List<String> words() {
      JsonObject items = inner(declared);
      return (items == null ? declared : items)
          .getJsonArray("enum").stream().map(String::valueOf).toList();
    }

    /** What a list of tools does; empty for every other key. */
    String rules() {
      return declared.getString("x-rules", "");
    }
  }

  /** The declaration, as it is in the jar; a copy. */
  static JsonObject declared() {
    String name = "/mcpbus.schema.json";
    try (InputStream in = ConfigSchema.class.getResourceAsStream(name)) {
      return new JsonObject(
          new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The names of all keys. */
  Set<String> names() {
    return keys.keySet();
  }

  /** A key of which a reader knows that it is declared. */
  DeclaredKey key(String name) {
    DeclaredKey key = keys.get(name);
    if (key == null) {
      throw new IllegalStateException("mcpbus.schema.json has no key " + name + " here");
    }
    return key;
  }

  private static ConfigSchema named(String name) {
    return of(DECLARED.getJsonObject("$defs").getJsonObject(name));
  }

  private static ConfigSchema of(JsonObject written) {
    JsonObject schema = resolved(written);
    Map<String, DeclaredKey> keys = new LinkedHashMap<>();
    for (Object part : schema.getJsonArray("allOf", new JsonArray())) {
      keys.putAll(of((JsonObject) part).keys);
    }
    for (Map.Entry<String, Object> each : schema.getJsonObject("properties", NONE)) {
      if (each.getValue() instanceof JsonObject key) {
        keys.put(each.getKey(), key(each.getKey(), resolved(key)));
      }
    }
    boolean closed =
        Stream.of("additionalProperties", "unevaluatedProperties")
            .anyMatch(word -> Boolean.FALSE.equals(schema.getValue(word)));
    String patterns =
        String.join("|", schema.getJsonObject("patternProperties", NONE).fieldNames());
    Predicate<String> foreign =
        patterns.isEmpty() ? "$comment"::equals : Pattern.compile(patterns).asMatchPredicate();
    return new ConfigSchema(Collections.unmodifiableMap(keys), closed ? foreign : name -> true);
  }

  /** The schema with what it refers to; what stands beside the reference counts more. */
  private static JsonObject resolved(JsonObject schema) {
    String reference = schema.getString("$ref");
    if (reference == null) {
      return schema;
    }
    String name = reference.substring(reference.lastIndexOf('/') + 1);
    return over(resolved(DECLARED.getJsonObject("$defs").getJsonObject(name)), schema);
  }

  /** Both, without a copy of what stands in one of them alone. */
  private static JsonObject over(JsonObject below, JsonObject above) {
    JsonObject both = new JsonObject(new LinkedHashMap<>(below.getMap()));
    for (Map.Entry<String, Object> each : above) {
      Object under = below.getValue(each.getKey());
      boolean objects = under instanceof JsonObject && each.getValue() instanceof JsonObject;
      both.put(
          each.getKey(),
          objects ? over((JsonObject) under, (JsonObject) each.getValue()) : each.getValue());
    }
    return both;
  }

  private static DeclaredKey key(String name, JsonObject schema) {
    JsonObject inner = inner(schema);
    return new DeclaredKey(name, schema, of(inner == null ? schema : inner));
  }

  /** Of the items of a list, or of the values of a map; null for anything else. */
  static @Nullable JsonObject inner(JsonObject declared) {
    return Stream.of("items", "additionalProperties")
        .map(declared::getValue)
        .filter(JsonObject.class::isInstance)
        .map(found -> resolved((JsonObject) found))
        .findFirst()
        .orElse(null);
  }
}
