package dev.mcpbus.protocol.schema;

import static java.util.Map.entry;

import dev.mcpbus.protocol.RawJson;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
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

  /** Keywords of Ajv and of older drafts, which mean something else in a client than they say. */
  private static final Set<String> NOT_COMPILED =
      Set.of(
          "id",
          "$id",
          "$anchor",
          "$dynamicAnchor",
          "$async",
          "formatMinimum",
          "formatMaximum",
          "formatExclusiveMinimum",
          "formatExclusiveMaximum");

  private WellFormedSchema() {}

  /**
   * Checks one schema.
   *
   * @param schema a JSON object
   * @return the fault and its place; null if the schema is valid
   */
  public static @Nullable String fault(RawJson schema) {
    return fault(schema, false, one -> true);
  }

  /** As {@link #fault(RawJson)}, for a schema that must not refer to anything outside itself. */
  public static @Nullable String faultAlone(RawJson schema) {
    return fault(schema, true, one -> true);
  }

  /**
   * As {@link #faultAlone}, for a schema that clients compile (Ajv in those of TypeScript): without
   * keywords that their validators refuse, such as an empty {@code enum}, {@code id}, or a pattern
   * of another dialect.
   */
  static @Nullable String faultForClients(RawJson schema) {
    return fault(schema, true, WellFormedSchema::isForClients);
  }

  private static @Nullable String fault(RawJson schema, boolean alone, Predicate<Map<?, ?>> fits) {
    Map<String, Object> root = schema.toJsonObject().getMap();
    try {
      SchemaReferences refs = new SchemaReferences(root);
      String fault = MendedSchema.fault(root, refs, alone, fits);
      return fault == null && hasLoop(root, refs, identities())
          ? "it refers to itself without end"
          : fault;
    } catch (StackOverflowError e) {
      return "it nests too deep";
    }
  }

  private static boolean isForClients(Map<?, ?> schema) {
    return Collections.disjoint(schema.keySet(), NOT_COMPILED)
        && (!schema.containsKey("nullable")
            || (schema.containsKey("type") && schema.get("nullable") instanceof Boolean))
        && !(schema.get("exclusiveMinimum") instanceof Boolean)
        && !(schema.get("exclusiveMaximum") instanceof Boolean)
        && (!schema.containsKey("format") || schema.get("format") instanceof String)
        && !List.of().equals(SchemaReferences.unwrap(schema.get("enum")))
        && (!(schema.get("pattern") instanceof String pattern) || EcmaPattern.isPlain(pattern))
        && (!(SchemaReferences.unwrap(schema.get("patternProperties")) instanceof Map<?, ?> named)
            || named.keySet().stream().allMatch(name -> EcmaPattern.isPlain(String.valueOf(name))));
  }

  /** A value may meet any schema of the document, so each of them is a starting point. */
  private static boolean hasLoop(Object schema, SchemaReferences refs, Set<Object> done) {
    if (schema instanceof List<?> list) {
      return list.stream().anyMatch(each -> hasLoop(SchemaReferences.unwrap(each), refs, done));
    }
    return schema instanceof Map<?, ?> map
        && (leadsBack(map, refs, identities(), done)
            || map.values().stream()
                .anyMatch(each -> hasLoop(SchemaReferences.unwrap(each), refs, done)));
  }

  /**
   * Follows the schemas that apply to the same value.
   *
   * @param open the schemas on the path to this one
   */
  private static boolean leadsBack(
      Object wrapped, SchemaReferences refs, Set<Object> open, Set<Object> done) {
    if (!(SchemaReferences.unwrap(wrapped) instanceof Map<?, ?> schema)) {
      return false;
    }
    if (open.contains(schema) || !done.add(schema)) {
      return open.contains(schema);
    }
    open.add(schema);
    boolean back =
        refs.sameValue(schema).stream().anyMatch(next -> leadsBack(next, refs, open, done));
    open.remove(schema);
    return back;
  }

  private static Set<Object> identities() {
    return Collections.newSetFromMap(new IdentityHashMap<>());
  }
}
