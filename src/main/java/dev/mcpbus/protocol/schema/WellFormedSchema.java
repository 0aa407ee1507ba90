package dev.mcpbus.protocol.schema;

import dev.mcpbus.protocol.RawJson;
import java.util.Collections;
import java.util.HashMap;
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

  /** The type that a keyword's value must have, with the keywords. */
  enum KeywordType {
    SCHEMA(
        "additionalProperties unevaluatedProperties propertyNames additionalItems"
            + " unevaluatedItems contains not if then else"),
    SCHEMAS("prefixItems allOf anyOf oneOf"),
    SCHEMA_OR_SCHEMAS("items"),
    NAMED_SCHEMAS("$defs definitions properties patternProperties dependentSchemas"),
    NAMED_SCHEMAS_OR_STRINGS("dependencies"),
    STRINGS("required"),
    NAMED_STRINGS("dependentRequired"),
    TYPE("type"),
    STRING("pattern"),
    REF("$ref $dynamicRef $recursiveRef"),
    NUMBER(
        "minimum maximum multipleOf minLength maxLength minItems maxItems minProperties"
            + " maxProperties"),
    LIMIT("exclusiveMinimum exclusiveMaximum"),
    FLAG("uniqueItems"),
    LIST("enum");

    private final String words;

    KeywordType(String words) {
      this.words = words;
    }
  }

  static final Map<String, KeywordType> WORDS = new HashMap<>();

  static {
    for (KeywordType kind : KeywordType.values()) {
      for (String word : List.of(kind.words.split(" "))) {
        WORDS.put(word, kind);
      }
    }
  }

  /** Keywords of Ajv and of older drafts, which mean something else in a client than they say. */
  private static final Set<String> NOT_COMPILED =
      Set.of(
          ("id $id $anchor $dynamicAnchor $async formatMinimum formatMaximum"
                  + " formatExclusiveMinimum formatExclusiveMaximum")
              .split(" "));

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
