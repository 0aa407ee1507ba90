package dev.mcpbus.protocol.schema;

import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Resolves the references within one schema; nothing is ever fetched. Schemas are plain maps, lists
 * and scalars here, as {@link #unwrap} returns them. Immutable.
 */
final class SchemaReferences {

  private static final List<String> ANCHORS = List.of("$anchor", "$dynamicAnchor");

  /** A longer {@code $id} names nothing: each reference below it would cost its length. */
  private static final int MAX_ID = 1_000;

  private static final List<String> REFS = List.of("$ref", "$dynamicRef", "$recursiveRef");
  private static final List<String> LISTS = List.of("allOf", "anyOf", "oneOf");
  private static final List<String> SINGLE = List.of("not", "if", "then", "else");

  /** Schemas by their absolute URI; with {@code #} and its name one that has an anchor. */
  private final Map<String, Object> named = new HashMap<>();

  /** What each schema with a reference refers to, by the keyword. */
  private final IdentityHashMap<Object, Map<String, Object>> targets = new IdentityHashMap<>();

  private record Located(Object value, String base) {}

  SchemaReferences(Object root) {
    Deque<Located> open = new ArrayDeque<>(List.of(new Located(root, "")));
    List<Located> referring = new ArrayList<>();
    named.put("", root);
    while (!open.isEmpty()) {
      Located next = open.pop();
      String base = next.base;
      if (next.value instanceof Map<?, ?> map) {
        if (map.get("$id") instanceof String id && id.length() <= MAX_ID) {
          String known = id.startsWith("#") ? base + id : resolved(base, id);
          known = known.endsWith("#") ? known.substring(0, known.length() - 1) : known;
          named.putIfAbsent(known, map); // of draft-07, with # it is an anchor
          base = known.indexOf('#') < 0 ? known : base;
        }
        for (String word : ANCHORS) {
          if (map.get(word) instanceof String name) {
            named.putIfAbsent(base + "#" + name, map);
          }
        }
        if (REFS.stream().anyMatch(word -> map.get(word) instanceof String)) {
          referring.add(new Located(map, base));
        }
        for (Map.Entry<?, ?> entry : map.entrySet()) {
          Object value = unwrap(entry.getValue());
          if (!"enum".equals(entry.getKey()) || !(value instanceof List<?>)) {
            open.push(new Located(value, base));
          }
        }
      } else if (next.value instanceof List<?> list) {
        for (Object value : list) {
          open.push(new Located(unwrap(value), base));
        }
      }
    }
    referring.forEach(this::resolve);
  }

  private void resolve(Located referring) {
    Map<?, ?> schema = (Map<?, ?>) referring.value;
    for (String word : REFS) {
      Object target = schema.get(word) instanceof String ref ? find(referring.base, ref) : null;
      if (target != null) {
        targets.computeIfAbsent(schema, s -> new HashMap<>()).put(word, target);
      }
    }
  }

  private static String resolved(String base, String ref) {
    try {
      return base.isEmpty() ? ref : URI.create(base).resolve(ref).toString();
    } catch (IllegalArgumentException e) {
      return ref;
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

  /**
   * The schema that a keyword of {@code schema} refers to.
   *
   * @throws IllegalArgumentException if it is elsewhere
   */
  Object target(Map<?, ?> schema, String word) {
    Object target = targets.getOrDefault(schema, Map.of()).get(word);
    if (target == null) {
      throw new IllegalArgumentException("unknown " + word);
    }
    return target;
  }

  /** Whether this document has the schema that a keyword of {@code schema} refers to. */
  boolean has(Map<?, ?> schema, String word) {
    return targets.getOrDefault(schema, Map.of()).containsKey(word);
  }

  private @Nullable Object find(String base, String ref) {
    int hash = ref.indexOf('#');
    String document = hash == 0 ? base : resolved(base, hash < 0 ? ref : ref.substring(0, hash));
    Object root = named.get(document);
    String place = hash < 0 ? "" : ref.substring(hash + 1);
    if (root == null || place.isEmpty()) {
      return root;
    }
    return place.startsWith("/")
        ? pointed(root, place.substring(1))
        : named.get(document + "#" + place);
  }

  /** The schemas that apply to the same value as {@code schema}, references included. */
  List<Object> sameValue(Map<?, ?> schema) {
    List<Object> all = new ArrayList<>();
    for (String word : REFS) {
      if (has(schema, word)) {
        all.add(target(schema, word));
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
