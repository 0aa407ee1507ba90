package dev.mcpbus.protocol.schema;

import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Resolves the references within one schema; nothing is ever fetched. Schemas are plain maps, lists
 * and scalars here, as {@link #unwrap} returns them. Immutable.
 */
public final class SchemaReferences {

  private static final List<String> ANCHORS = List.of("$anchor", "$dynamicAnchor");

  private static final List<String> REFS = List.of("$ref", "$dynamicRef", "$recursiveRef");
  private static final List<String> LISTS = List.of("allOf", "anyOf", "oneOf");
  private static final List<String> SINGLE = List.of("not", "if", "then", "else");

  private final Object root;
  private final Map<String, Object> anchors = new HashMap<>();
  private boolean nested;

  SchemaReferences(Object root) {
    this.root = root;
    Deque<Object> open = new ArrayDeque<>(List.of(root));
    while (!open.isEmpty()) {
      Object next = open.pop();
      if (next instanceof Map<?, ?> map) {
        ANCHORS.forEach(word -> note(map, map.get(word)));
        nested |= map != root && map.get("$id") instanceof String;
        map.values().forEach(value -> open.push(unwrap(value)));
      } else if (next instanceof List<?> list) {
        list.forEach(value -> open.push(unwrap(value)));
      }
    }
  }

  private void note(Map<?, ?> schema, @Nullable Object name) {
    if (name instanceof String text) {
      anchors.putIfAbsent(text, schema);
    }
  }

  /** The value without its Vert.x wrapper; never null. */
  static Object unwrap(@Nullable Object value) {
    if (value instanceof JsonObject json) {
      return json.getMap();
    }
    if (value instanceof JsonArray json) {
      return json.getList();
    }
    return value == null ? RawJson.NULL : value;
  }

  /** True if {@code ref} can only refer to a place in this schema. */
  boolean isOwn(String ref) {
    return ref.startsWith("#") && !nested;
  }

  /** The target of a reference, null if this schema does not contain it. */
  @Nullable Object find(String ref) {
    if (!ref.startsWith("#")) {
      return null;
    }
    String place = ref.substring(1);
    if (place.isEmpty()) {
      return root;
    }
    return place.startsWith("/") ? pointed(root, place.substring(1)) : anchors.get(place);
  }

  /** What a reference into the document leads to; null if that is no schema of an object. */
  public static @Nullable JsonObject target(JsonObject root, String ref) {
    if (!ref.startsWith("#/")) {
      return ref.equals("#") ? root : null;
    }
    return pointed(root.getMap(), ref.substring(2)) instanceof Map<?, ?> found
        ? object(found)
        : null;
  }

  @SuppressWarnings("unchecked") // names are texts in every JSON object
  private static JsonObject object(Map<?, ?> members) {
    return new JsonObject((Map<String, Object>) members);
  }

  /** The schemas that apply to the same value as {@code schema}, references included. */
  List<Object> sameValue(Map<?, ?> schema) {
    List<Object> all = new ArrayList<>();
    for (String word : REFS) {
      Object target = schema.get(word) instanceof String ref ? find(ref) : null;
      if (target != null) {
        all.add(target);
      }
    }
    for (String word : LISTS) {
      if (unwrap(schema.get(word)) instanceof List<?> list) {
        list.forEach(each -> all.add(unwrap(each)));
      }
    }
    for (String word : SINGLE) {
      if (schema.containsKey(word)) {
        all.add(unwrap(schema.get(word)));
      }
    }
    if (unwrap(schema.get("dependentSchemas")) instanceof Map<?, ?> named) {
      named.values().forEach(each -> all.add(unwrap(each)));
    }
    return all;
  }

  private static @Nullable Object pointed(Object root, String pointer) {
    Object at = root;
    for (String raw : pointer.split("/", -1)) {
      String step = decoded(raw);
      Object next = null;
      if (at instanceof Map<?, ?> map) {
        next = map.get(step);
      } else if (at instanceof List<?> list && step.matches("\\d{1,9}")) {
        int index = Integer.parseInt(step);
        next = index < list.size() ? list.get(index) : null;
      }
      if (next == null) {
        return null;
      }
      at = unwrap(next);
    }
    return at;
  }

  private static String decoded(String step) {
    String text = step;
    if (step.indexOf('%') >= 0) {
      try {
        text = URLDecoder.decode(step.replace("+", "%2B"), StandardCharsets.UTF_8);
      } catch (IllegalArgumentException e) {
        return step;
      }
    }
    return text.replace("~1", "/").replace("~0", "~");
  }
}
