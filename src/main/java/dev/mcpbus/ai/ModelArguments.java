package dev.mcpbus.ai;

import dev.mcpbus.protocol.Sha256;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of a call as a model writes them, and as the server gets them. A null is left out
 * where the tool's own schema does not take it and the member is optional: models write null for
 * what they leave out, and strict modes make them. An argument whose name the vendor refuses has
 * another one for the model. All other values stay. Stateless.
 */
final class ModelArguments {

  private static final int MAX_DEPTH = 32;

  /** The names that the models of Anthropic take at the top. */
  private static final Pattern TAKEN = Pattern.compile("[a-zA-Z0-9_.-]{1,64}");

  private static final Pattern RENAMED = Pattern.compile(".*_[0-9a-f]{8}");
  private static final int HEAD = 55;

  private ModelArguments() {}

  /** Whether the server may get other arguments than these. */
  static boolean mayDiffer(JsonObject arguments) {
    return hasNull(arguments)
        || arguments.fieldNames().stream().anyMatch(name -> RENAMED.matcher(name).matches());
  }

  /** The name of an argument for models: with others in place of the signs that they refuse. */
  private static String renamed(String name) {
    if (TAKEN.matcher(name).matches()) {
      return name;
    }
    String head = name.replaceAll("[^a-zA-Z0-9_.-]", "_");
    return head.substring(0, Math.min(HEAD, head.length()))
        + "_"
        + Sha256.hex(name).substring(0, 8);
  }

  /** The schema of an object with names that models take; a renamed one stands in its text. */
  static JsonObject renamed(JsonObject schema, Consumer<String> changes) {
    JsonObject properties = new JsonObject();
    JsonArray required = new JsonArray();
    for (Map.Entry<String, Object> one : schema.getJsonObject("properties")) {
      String name = renamed(one.getKey());
      Object property = one.getValue();
      if (!name.equals(one.getKey()) && property instanceof JsonObject known) {
        changes.accept("/" + one.getKey() + " as " + name);
        String text = Objects.toString(known.getValue("description"), "");
        property = known.copy().put("description", one.getKey() + ": " + text);
      }
      properties.put(name, property);
    }
    if (schema.getValue("required") instanceof JsonArray names) {
      names.forEach(name -> required.add(renamed(String.valueOf(name))));
    }
    JsonObject out = schema.copy().put("properties", properties);
    return required.isEmpty() ? out : out.put("required", required);
  }

  /** Whether null stands anywhere in the value. */
  private static boolean hasNull(@Nullable Object value) {
    if (value instanceof JsonObject object) {
      return object.stream().anyMatch(one -> hasNull(one.getValue()));
    }
    return value instanceof JsonArray array
        ? array.stream().anyMatch(ModelArguments::hasNull)
        : value == null;
  }

  /** A copy of the arguments for the server. */
  static JsonObject forServer(JsonObject arguments, JsonObject schema) {
    JsonObject copy = arguments.copy();
    JsonObject flat = FunctionSchemas.flat(schema);
    for (String own : flat.getJsonObject("properties").fieldNames()) {
      String name = renamed(own);
      if (!own.equals(name) && copy.containsKey(name)) {
        copy.put(own, copy.remove(name));
      }
    }
    remove(copy, flat, schema, 0);
    return copy;
  }

  private static void remove(
      @Nullable Object value, @Nullable Object schema, JsonObject root, int depth) {
    if (depth > MAX_DEPTH || !(FunctionSchemas.resolved(root, schema) instanceof JsonObject own)) {
      return;
    }
    JsonObject known = FunctionSchemas.withoutAllOf(root, own);
    if (value instanceof JsonArray array) {
      array.forEach(one -> remove(one, known.getValue("items"), root, depth + 1));
    }
    if (!(value instanceof JsonObject object)) {
      return;
    }
    for (String union : List.of("anyOf", "oneOf")) {
      if (known.getValue(union) instanceof JsonArray all) {
        List<?> objects =
            all.stream()
                .filter(
                    one ->
                        FunctionSchemas.resolved(root, one) instanceof JsonObject form
                            && form.containsKey("properties"))
                .toList();
        if (objects.size() == 1) { // otherwise it is not known which one is meant
          remove(value, objects.get(0), root, depth + 1);
        }
      }
    }
    if (!(known.getValue("properties") instanceof JsonObject properties)) {
      return;
    }
    for (String name : List.copyOf(object.fieldNames())) {
      if (!properties.containsKey(name)) {
        continue;
      }
      Object property = properties.getValue(name);
      boolean required =
          known.getValue("required") instanceof JsonArray names && names.contains(name);
      if (object.getValue(name) != null) {
        remove(object.getValue(name), property, root, depth + 1);
      } else if (!required && !takesNull(property, root, 0)) {
        object.remove(name);
      }
    }
  }

  private static boolean takesNull(@Nullable Object schema, JsonObject root, int depth) {
    if (!(FunctionSchemas.resolved(root, schema) instanceof JsonObject own) || depth > MAX_DEPTH) {
      return !Boolean.FALSE.equals(schema);
    }
    JsonObject known = FunctionSchemas.withoutAllOf(root, own);
    if (Boolean.TRUE.equals(known.getValue("nullable"))) {
      return true;
    }
    if (known.getValue("enum") instanceof JsonArray values && !values.contains(null)) {
      return false;
    }
    if (known.containsKey("const") && known.getValue("const") != null) {
      return false;
    }
    for (String union : List.of("anyOf", "oneOf")) {
      if (known.getValue(union) instanceof JsonArray all
          && all.stream().noneMatch(one -> takesNull(one, root, depth + 1))) {
        return false;
      }
    }
    Object type = known.getValue("type");
    return type == null
        || type.equals("null")
        || (type instanceof JsonArray all && all.contains("null"));
  }
}
