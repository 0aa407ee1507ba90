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

  /** The type that a keyword's value must have. */
  enum KeywordType {
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

  static final Map<String, KeywordType> WORDS =
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

  /** Whether the validators of clients compile it (Ajv in those of TypeScript). */
  private final boolean forClients;

  private WellFormedSchema(Object schema, boolean selfContained, boolean forClients) {
    this.refs = new SchemaReferences(schema);
    this.selfContained = selfContained;
    this.forClients = forClients;
  }

  /**
   * Checks one schema.
   *
   * @param schema a JSON object
   * @return the fault and its place; null if the schema is valid
   */
  public static @Nullable String fault(RawJson schema) {
    return fault(schema, false, false);
  }

  /** As {@link #fault(RawJson)}, for a schema that must not refer to anything outside itself. */
  public static @Nullable String faultAlone(RawJson schema) {
    return fault(schema, true, false);
  }

  /**
   * As {@link #faultAlone}, for a schema that clients compile: without keywords that their
   * validators refuse, such as an empty {@code enum}, {@code id}, or a pattern of another dialect.
   */
  static @Nullable String faultForClients(RawJson schema) {
    return fault(schema, true, true);
  }

  private static @Nullable String fault(RawJson schema, boolean selfContained, boolean forClients) {
    Object root = schema.toJsonObject().getMap();
    try {
      WellFormedSchema shape = new WellFormedSchema(root, selfContained, forClients);
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
    if (forClients) {
      checkForClients(map, path);
    }
    for (Map.Entry<?, ?> member : map.entrySet()) {
      String word = String.valueOf(member.getKey());
      KeywordType kind = WORDS.get(word);
      if (kind != null) {
        word(kind, SchemaReferences.unwrap(member.getValue()), path + "/" + word);
      }
    }
  }

  private static void checkForClients(Map<?, ?> schema, String path) throws Fault {
    require(!schema.containsKey("id"), path, "has an \"id\"");
    require(!schema.containsKey("$id"), path, "has an \"$id\"");
    require(schema.containsKey("type") || !schema.containsKey("nullable"), path, "has no type");
    for (String limit : List.of("exclusiveMinimum", "exclusiveMaximum")) {
      require(!(schema.get(limit) instanceof Boolean), path, limit + " must be a number");
    }
    Object format = schema.get("format");
    require(format == null || format instanceof String, path, "its format must be a string");
    require(
        !(SchemaReferences.unwrap(schema.get("enum")) instanceof List<?> values)
            || !values.isEmpty(),
        path,
        "its enum must have a value");
    require(
        !(schema.get("pattern") instanceof String pattern) || EcmaPattern.isPlain(pattern),
        path,
        "its pattern must be plain");
    if (SchemaReferences.unwrap(schema.get("patternProperties")) instanceof Map<?, ?> named) {
      for (Object name : named.keySet()) {
        require(EcmaPattern.isPlain(String.valueOf(name)), path, "its patterns must be plain");
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
      case REF -> reference(value, path);
      case STRING -> require(value instanceof String, path, "must be a string");
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
      schema(schema, path + "/" + place++);
    }
  }

  private void named(KeywordType kind, Object value, String path) throws Fault {
    require(value instanceof Map<?, ?>, path, "must be an object");
    for (Map.Entry<?, ?> member : ((Map<?, ?>) value).entrySet()) {
      Object inner = SchemaReferences.unwrap(member.getValue());
      String at = path + "/" + shown(String.valueOf(member.getKey()));
      if (kind == KeywordType.NAMED_STRINGS
          || (kind == KeywordType.NAMED_SCHEMAS_OR_STRINGS && inner instanceof List<?>)) {
        strings(inner, at);
      } else {
        schema(inner, at);
      }
    }
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
          type instanceof String text && PlainSchema.TYPES.contains(text),
          path,
          "JSON has no type '" + shown(String.valueOf(type)) + "'");
    }
  }

  private void reference(Object value, String path) throws Fault {
    require(value instanceof String, path, "must be a string");
    String ref = (String) value;
    require(
        refs.find(ref) != null || !(selfContained || refs.isOwn(ref)),
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
