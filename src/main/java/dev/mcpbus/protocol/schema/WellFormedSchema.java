package dev.mcpbus.protocol.schema;

import static java.util.Map.entry;

import dev.mcpbus.protocol.RawJson;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether a tool's schema is valid: every known keyword has a value of its type, every
 * reference within the schema has a target, and no reference leads back to itself at the same place
 * of the value. A recursive schema for trees is valid; a schema that no validator could finish is
 * not. Stateless for callers.
 */
public final class WellFormedSchema {

  private static final int MAX_PATH = 300;

  private static final Set<String> TYPES =
      Set.of("object", "array", "string", "integer", "number", "boolean", "null");

  /** The type that a keyword's value must have. */
  private enum KeywordType {
    SCHEMA,
    SCHEMAS,
    SCHEMA_OR_SCHEMAS,
    NAMED_SCHEMAS,
    NAMED_SCHEMAS_OR_STRINGS,
    STRINGS,
    NAMED_STRINGS,
    TYPE,
    STRING,
    REF,
    NUMBER,
    LIMIT,
    FLAG,
    LIST
  }

  private static final Map<String, KeywordType> WORDS =
      Map.ofEntries(
          entry("type", KeywordType.TYPE),
          entry("$ref", KeywordType.REF),
          entry("$dynamicRef", KeywordType.REF),
          entry("$recursiveRef", KeywordType.REF),
          entry("$defs", KeywordType.NAMED_SCHEMAS),
          entry("definitions", KeywordType.NAMED_SCHEMAS),
          entry("properties", KeywordType.NAMED_SCHEMAS),
          entry("patternProperties", KeywordType.NAMED_SCHEMAS),
          entry("dependentSchemas", KeywordType.NAMED_SCHEMAS),
          entry("dependencies", KeywordType.NAMED_SCHEMAS_OR_STRINGS),
          entry("dependentRequired", KeywordType.NAMED_STRINGS),
          entry("required", KeywordType.STRINGS),
          entry("additionalProperties", KeywordType.SCHEMA),
          entry("unevaluatedProperties", KeywordType.SCHEMA),
          entry("propertyNames", KeywordType.SCHEMA),
          entry("items", KeywordType.SCHEMA_OR_SCHEMAS),
          entry("prefixItems", KeywordType.SCHEMAS),
          entry("additionalItems", KeywordType.SCHEMA),
          entry("unevaluatedItems", KeywordType.SCHEMA),
          entry("contains", KeywordType.SCHEMA),
          entry("allOf", KeywordType.SCHEMAS),
          entry("anyOf", KeywordType.SCHEMAS),
          entry("oneOf", KeywordType.SCHEMAS),
          entry("not", KeywordType.SCHEMA),
          entry("if", KeywordType.SCHEMA),
          entry("then", KeywordType.SCHEMA),
          entry("else", KeywordType.SCHEMA),
          entry("enum", KeywordType.LIST),
          entry("pattern", KeywordType.STRING),
          entry("minimum", KeywordType.NUMBER),
          entry("maximum", KeywordType.NUMBER),
          entry("exclusiveMinimum", KeywordType.LIMIT),
          entry("exclusiveMaximum", KeywordType.LIMIT),
          entry("multipleOf", KeywordType.NUMBER),
          entry("minLength", KeywordType.NUMBER),
          entry("maxLength", KeywordType.NUMBER),
          entry("minItems", KeywordType.NUMBER),
          entry("maxItems", KeywordType.NUMBER),
          entry("minProperties", KeywordType.NUMBER),
          entry("maxProperties", KeywordType.NUMBER),
          entry("uniqueItems", KeywordType.FLAG));

  /** Carries the reason out of the recursion. Stackless. */
  private static final class Fault extends Exception {
    private static final long serialVersionUID = 1;

    Fault(String path, String what) {
      super((path.isEmpty() ? "" : "at " + path + ": ") + what, null, false, false);
    }
  }

  private final SchemaReferences refs;
  private final boolean selfContained;

  private WellFormedSchema(Object schema, boolean selfContained) {
    this.refs = new SchemaReferences(schema);
    this.selfContained = selfContained;
  }

  /**
   * Checks one schema.
   *
   * @param schema a JSON object
   * @return the fault and its place; null if the schema is valid
   */
  public static @Nullable String fault(RawJson schema) {
    return fault(schema, false);
  }

  /** As {@link #fault(RawJson)}, for a schema that must not refer to anything outside itself. */
  public static @Nullable String faultAlone(RawJson schema) {
    return fault(schema, true);
  }

  private static @Nullable String fault(RawJson schema, boolean selfContained) {
    Object root = schema.toJsonObject().getMap();
    try {
      WellFormedSchema shape = new WellFormedSchema(root, selfContained);
      shape.schema(root, "");
      shape.checkRecursion(root, identities());
      return null;
    } catch (Fault fault) {
      return fault.getMessage();
    } catch (StackOverflowError e) {
      return "it nests too deep";
    }
  }

  private void schema(@Nullable Object wrapped, String path) throws Fault {
    Object schema = SchemaReferences.unwrap(wrapped);
    if (schema instanceof Boolean) {
      return;
    }
    if (!(schema instanceof Map<?, ?> map)) {
      throw new Fault(path, "a schema must be an object, true or false");
    }
    for (Map.Entry<?, ?> member : map.entrySet()) {
      String word = String.valueOf(member.getKey());
      KeywordType kind = WORDS.get(word);
      if (kind == KeywordType.REF) {
        reference(map, word, below(path, word));
      } else if (kind != null) {
        word(kind, SchemaReferences.unwrap(member.getValue()), below(path, word));
      }
    }
  }

  private void word(KeywordType kind, Object value, String path) throws Fault {
    switch (kind) {
      case SCHEMA -> schema(value, path);
      case SCHEMAS -> schemas(value, path);
      case SCHEMA_OR_SCHEMAS -> {
        if (value instanceof List<?>) {
          schemas(value, path);
        } else {
          schema(value, path);
        }
      }
      case NAMED_SCHEMAS, NAMED_SCHEMAS_OR_STRINGS, NAMED_STRINGS -> named(kind, value, path);
      case STRINGS -> strings(value, path);
      case TYPE -> type(value, path);
      case REF, STRING -> require(value instanceof String, path, "must be a string");
      case NUMBER -> require(value instanceof Number, path, "must be a number");
      case LIMIT ->
          require(value instanceof Number || value instanceof Boolean, path, "must be a number");
      case FLAG -> require(value instanceof Boolean, path, "must be true or false");
      case LIST -> require(value instanceof List<?>, path, "must be an array");
    }
  }

  private void schemas(Object value, String path) throws Fault {
    require(value instanceof List<?>, path, "must be an array of schemas");
    int place = 0;
    for (Object schema : (List<?>) value) {
      schema(schema, below(path, String.valueOf(place++)));
    }
  }

  private void named(KeywordType kind, Object value, String path) throws Fault {
    require(value instanceof Map<?, ?>, path, "must be an object");
    for (Map.Entry<?, ?> member : ((Map<?, ?>) value).entrySet()) {
      Object inner = SchemaReferences.unwrap(member.getValue());
      String at = below(path, shown(String.valueOf(member.getKey())));
      if (kind == KeywordType.NAMED_STRINGS
          || (kind == KeywordType.NAMED_SCHEMAS_OR_STRINGS && inner instanceof List<?>)) {
        strings(inner, at);
      } else {
        schema(inner, at);
      }
    }
  }

  /** The path of a place; of a deep one the beginning, so that no path is long. */
  private static String below(String path, String step) {
    return path.length() > MAX_PATH ? path : path + "/" + step;
  }

  private static String shown(String name) {
    return name.length() > 60 ? name.substring(0, 60) + "..." : name;
  }

  private static void strings(Object value, String path) throws Fault {
    require(
        value instanceof List<?> list && list.stream().allMatch(String.class::isInstance),
        path,
        "must be an array of strings");
  }

  private static void type(Object value, String path) throws Fault {
    List<?> types = value instanceof List<?> list ? list : List.of(value);
    require(!types.isEmpty(), path, "must name a type");
    for (Object type : types) {
      require(
          type instanceof String text && TYPES.contains(text),
          path,
          "JSON has no type '" + shown(String.valueOf(type)) + "'");
    }
  }

  private void reference(Map<?, ?> schema, String word, String path) throws Fault {
    require(schema.get(word) instanceof String, path, "must be a string");
    String ref = String.valueOf(schema.get(word));
    require(
        refs.has(schema, word) || !(selfContained || ref.startsWith("#")),
        path,
        "'" + shown(ref) + "' leads nowhere within the schema");
  }

  private static void require(boolean fits, String path, String what) throws Fault {
    if (!fits) {
      throw new Fault(path, what);
    }
  }

  /** A value may meet any schema of the document, so each of them is a starting point. */
  private void checkRecursion(Object schema, Set<Object> done) throws Fault {
    if (schema instanceof List<?> list) {
      for (Object each : list) {
        checkRecursion(SchemaReferences.unwrap(each), done);
      }
    } else if (schema instanceof Map<?, ?> map) {
      follow(map, identities(), done);
      for (Object each : map.values()) {
        checkRecursion(SchemaReferences.unwrap(each), done);
      }
    }
  }

  /**
   * Follows the schemas that apply to the same value.
   *
   * @param open the schemas on the path to this one
   */
  private void follow(@Nullable Object wrapped, Set<Object> open, Set<Object> done) throws Fault {
    if (!(SchemaReferences.unwrap(wrapped) instanceof Map<?, ?> schema)) {
      return;
    }
    require(!open.contains(schema), "", "it refers to itself without end");
    if (!done.add(schema)) {
      return;
    }
    open.add(schema);
    for (Object next : refs.sameValue(schema)) {
      follow(next, open, done);
    }
    open.remove(schema);
  }

  private static Set<Object> identities() {
    return Collections.newSetFromMap(new IdentityHashMap<>());
  }
}
