package dev.mcpbus.protocol.schema;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.schema.WellFormedSchema.KeywordType;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Mends a schema. A keyword that has one plain meaning is written so: {@code "required": "a"} names
 * one member; {@code "int"} and {@code "OBJECT"} are types under other names; a list that PHP
 * writes as an object is a list; {@code required} among the properties belongs beside them. Any
 * other keyword that is not as JSON Schema says is left out: null, {@code "type": "any"}, a
 * reference that leads nowhere. So the schema may allow more than it meant to; its server checks
 * the values, too. What stays wrong, such as a recursion without end, is found by {@link
 * WellFormedSchema}. One instance for a schema.
 */
public final class MendedSchema {

  /** The names of types in Python, Go and Google's schemas, in lower case. */
  private static final Map<String, List<String>> TYPES =
      Map.of(
          "integer", List.of("int", "int32", "int64", "long"),
          "number", List.of("float", "float64", "double", "decimal"),
          "string", List.of("str", "text"),
          "boolean", List.of("bool"),
          "array", List.of("list"),
          "object", List.of("dict", "map"),
          "null", List.of("none"));

  private static final int LONGEST_NUMBER = 20;
  private static final int LONGEST_NAME = 60;

  /** Those of draft 4 that are flags, with the limits that they are about. */
  private static final Map<String, String> LIMITS =
      Map.of("exclusiveMinimum", "minimum", "exclusiveMaximum", "maximum");

  private final SchemaReferences refs;

  /** Whether references must lead somewhere within the schema. */
  private final boolean alone;

  private final Predicate<Map<?, ?>> fits;

  /** Gets what a schema for models says in words alone; null for any other schema. */
  private final @Nullable Consumer<String> changes;

  /** The first thing that was mended, with its place. */
  private @Nullable String fault;

  private MendedSchema(
      SchemaReferences refs,
      boolean alone,
      Predicate<Map<?, ?>> fits,
      @Nullable Consumer<String> changes) {
    this.refs = refs;
    this.alone = alone;
    this.fits = fits;
    this.changes = changes;
  }

  /**
   * The schema with all that can be mended.
   *
   * @param schema a JSON object
   * @throws io.vertx.core.json.DecodeException if it cannot be decoded
   */
  public static RawJson of(RawJson schema) {
    return RawJson.of(mended(schema.toJsonObject(), false, null));
  }

  /**
   * A mended copy as the APIs of models take it, which refuse a request for one keyword of another
   * draft: tuples in {@code prefixItems}, limits that are numbers, {@code items} for each array,
   * and patterns that each engine reads.
   *
   * @param changes gets each pattern that stands in the description alone
   */
  public static JsonObject forModels(JsonObject schema, Consumer<String> changes) {
    return mended(schema, true, changes);
  }

  private static JsonObject mended(
      JsonObject schema, boolean alone, @Nullable Consumer<String> changes) {
    Map<String, Object> root = schema.getMap();
    SchemaReferences refs = new SchemaReferences(root);
    try {
      return new JsonObject(new MendedSchema(refs, alone, one -> true, changes).mended(root, ""));
    } catch (StackOverflowError e) {
      return schema; // which WellFormedSchema refuses
    }
  }

  /**
   * The first thing that would be mended, with its place; null if there is none.
   *
   * @param fits what else must hold of each schema
   */
  static @Nullable String fault(
      Map<String, Object> root, SchemaReferences refs, boolean alone, Predicate<Map<?, ?>> fits) {
    MendedSchema mended = new MendedSchema(refs, alone, fits, null);
    mended.mended(root, "");
    return mended.fault;
  }

  private Map<String, Object> mended(Map<?, ?> schema, String path) {
    if (!fits.test(schema)) {
      note(path, "clients do not read it");
    }
    Map<String, Object> out = new LinkedHashMap<>();
    schema.forEach(
        (name, value) -> {
          String word = String.valueOf(name);
          KeywordType kind = WellFormedSchema.WORDS.get(word);
          Object fixed =
              kind == null ? value : word(kind, SchemaReferences.unwrap(value), path + "/" + word);
          if (kind == null || fixed != null) {
            out.put(word, fixed);
          }
        });
    hoistRequired(SchemaReferences.unwrap(schema.get("properties")), out);
    if (changes != null) {
      modernize(out, changes);
    }
    return out;
  }

  private void note(String path, String what) {
    fault = fault != null ? fault : (path.isEmpty() ? "" : "at " + path + ": ") + what;
  }

  /** The value if it is right; else what is in its place, null for nothing. */
  private @Nullable Object right(
      boolean isRight, Object value, String path, String what, @Nullable Object instead) {
    if (!isRight) {
      note(path, what);
    }
    return isRight ? value : instead;
  }

  private @Nullable Object word(KeywordType kind, Object value, String path) {
    return switch (kind) {
      case SCHEMA -> schema(value, path);
      case SCHEMAS -> schemas(value, path);
      case SCHEMA_OR_SCHEMAS ->
          value instanceof List<?> ? schemas(value, path) : schema(value, path);
      case NAMED_SCHEMAS -> named(value, path, this::oneOf);
      case NAMED_SCHEMAS_OR_STRINGS ->
          named(
              value, path, (one, at) -> one instanceof List<?> ? strings(one, at) : oneOf(one, at));
      case NAMED_STRINGS -> named(value, path, this::strings);
      case STRINGS -> strings(value, path);
      case TYPE -> types(value, path);
      case REF -> reference(value, path);
      case STRING -> right(value instanceof String, value, path, "must be a string", null);
      case NUMBER -> number(value, path);
      case LIMIT -> value instanceof Boolean ? value : number(value, path);
      case FLAG -> right(value instanceof Boolean, value, path, "must be true or false", null);
      case LIST ->
          right(value instanceof List<?>, value, path, "must be an array", elements(value));
    };
  }

  private @Nullable Object reference(Object value, String path) {
    boolean leads =
        value instanceof String ref && (refs.find(ref) != null || !(alone || refs.isOwn(ref)));
    return right(leads, value, path, "leads nowhere within the schema", null);
  }

  private @Nullable Object schema(Object value, String path) {
    if (value instanceof Map<?, ?> map) {
      return mended(map, path);
    }
    String type = value instanceof String text ? type(text) : null;
    return right(
        value instanceof Boolean,
        value,
        path,
        "a schema must be an object, true or false",
        type == null ? null : Map.of("type", type));
  }

  /** One of several schemas: what is none says nothing. */
  private Object oneOf(Object value, String path) {
    return Objects.requireNonNullElse(schema(value, path), Map.of());
  }

  private @Nullable Object schemas(Object value, String path) {
    if (!(value instanceof List<?> list)) {
      return right(false, value, path, "must be an array of schemas", null);
    }
    List<Object> all = new ArrayList<>();
    list.forEach(one -> all.add(oneOf(SchemaReferences.unwrap(one), path + "/" + all.size())));
    return all;
  }

  private @Nullable Object named(
      Object value, String path, BiFunction<Object, String, @Nullable Object> inner) {
    if (!(value instanceof Map<?, ?> map)) {
      return right(false, value, path, "must be an object", null);
    }
    Map<String, Object> all = new LinkedHashMap<>();
    map.forEach(
        (key, one) -> {
          String name = String.valueOf(key);
          String shown = name.substring(0, Math.min(name.length(), LONGEST_NAME));
          Object fixed = inner.apply(SchemaReferences.unwrap(one), path + "/" + shown);
          if (fixed != null) {
            all.put(name, fixed);
          }
        });
    return all;
  }

  private @Nullable Object strings(Object value, String path) {
    List<?> list =
        value instanceof String
            ? List.of(value)
            : elements(value) instanceof List<?> elements ? elements : null;
    return right(
        value instanceof List<?> all && all.stream().allMatch(String.class::isInstance),
        value,
        path,
        "must be an array of strings",
        list == null ? null : list.stream().filter(String.class::isInstance).toList());
  }

  /** A list; PHP writes one with a gap as an object with numbers for names. */
  private static @Nullable Object elements(Object value) {
    return value instanceof Map<?, ?> map
            && map.keySet().stream()
                .allMatch(name -> String.valueOf(name).chars().allMatch(Character::isDigit))
        ? new ArrayList<>(map.values())
        : value instanceof List<?> ? value : null;
  }

  private @Nullable Object number(Object value, String path) {
    String text = value instanceof String known && known.length() <= LONGEST_NUMBER ? known : "";
    double number = RawJson.of(text).asDouble();
    return right(
        value instanceof Number given && Double.isFinite(given.doubleValue()),
        value,
        path,
        "must be a number",
        number == (int) number
            ? Integer.valueOf((int) number)
            : Double.isFinite(number) ? (Object) Double.valueOf(number) : null);
  }

  private @Nullable Object types(Object value, String path) {
    List<?> types = value instanceof List<?> list ? list : List.of(value);
    List<?> known =
        types.stream()
            .map(one -> one == null ? "null" : one instanceof String text ? type(text) : null)
            .filter(Objects::nonNull)
            .distinct()
            .toList();
    return right(
        !types.isEmpty()
            && types.stream()
                .allMatch(one -> one instanceof String && PlainSchema.TYPES.contains(one)),
        value,
        path,
        "must name a type of JSON",
        known.isEmpty() ? null : value instanceof List<?> ? known : known.get(0));
  }

  /** The type that a text names; null for none, such as {@code any}. */
  static @Nullable String type(String text) {
    String lower = text.toLowerCase(Locale.ROOT);
    return TYPES.entrySet().stream()
        .filter(one -> one.getKey().equals(lower) || one.getValue().contains(lower))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(null);
  }

  /** A list named {@code required} is no property. */
  private void hoistRequired(Object properties, Map<String, Object> schema) {
    if (properties instanceof Map<?, ?> named
        && SchemaReferences.unwrap(named.get("required")) instanceof List<?> required
        && schema.get("properties") instanceof Map<?, ?> kept) {
      kept.remove("required");
      schema.putIfAbsent("required", strings(required, ""));
    }
  }

  // ---- for models

  private static void modernize(Map<String, Object> schema, Consumer<String> changes) {
    schema.entrySet().removeIf(one -> !fits(one.getKey(), SchemaReferences.unwrap(one.getValue())));
    if (schema.get("items") instanceof List<?> places) {
      schema.remove("items");
      if (!places.isEmpty()) {
        schema.putIfAbsent("prefixItems", places);
      }
      if (schema.containsKey("additionalItems")) {
        schema.put("items", schema.get("additionalItems"));
      }
    }
    schema.remove("additionalItems");
    if (schema.get("required") instanceof List<?> names) {
      schema.put("required", names.stream().distinct().toList());
    }
    LIMITS.forEach(
        (exclusive, limit) -> {
          if (schema.get(exclusive) instanceof Boolean excludes) {
            schema.remove(exclusive);
            if (excludes && schema.containsKey(limit)) {
              schema.put(exclusive, schema.remove(limit));
            }
          }
        });
    Object type = schema.get("type");
    boolean array =
        "array".equals(type) || (type instanceof List<?> types && types.contains("array"));
    if (array && !schema.containsKey("items") && !schema.containsKey("prefixItems")) {
      schema.put("items", Map.of());
    }
    if (schema.get("pattern") instanceof String pattern && !EcmaPattern.isPortable(pattern)) {
      schema.remove("pattern");
      schema.merge("description", "(pattern: " + pattern + ")", (text, more) -> text + " " + more);
      changes.accept("the pattern " + pattern + " in the description");
    }
    if (schema.get("patternProperties") instanceof Map<?, ?> named) {
      named.keySet().removeIf(name -> !EcmaPattern.isPortable(String.valueOf(name)));
    }
  }

  private static boolean fits(String word, Object value) {
    return switch (word) {
      case "title", "description", "$comment", "format" -> value instanceof String;
      case "deprecated", "readOnly", "writeOnly" -> value instanceof Boolean;
      case "examples" -> value instanceof List<?>;
      case "enum", "prefixItems" -> !List.of().equals(value);
      default -> !word.equals("$schema");
    };
  }
}
