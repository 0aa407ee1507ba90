package dev.mcpbus.protocol;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of a tool that a call repeats in {@code Mcp-Param-*} headers (MCP 2026-07-28,
 * x-mcp-header). Immutable.
 */
public final class ParamHeaders {

  private static final String ANNOTATION = "x-mcp-header";
  private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
  private static final Set<String> PRIMITIVE = Set.of("integer", "string", "boolean");
  private static final long SAFE = (1L << 53) - 1;

  /** For a tool without such arguments. */
  public static final ParamHeaders NONE = new ParamHeaders(List.of());

  /** A header and the path of its value in the arguments. */
  private record Source(String header, List<String> path) {}

  /** A header and its encoded value. */
  public record ParamHeader(String name, String value) {}

  /** The annotations of a schema violate the rules; mcpbus must not offer its tool. */
  public static final class InvalidSchemaException extends Exception {
    private static final long serialVersionUID = 1;

    InvalidSchemaException(String message) {
      super(message, null, false, false);
    }
  }

  private final List<Source> sources;

  private ParamHeaders(List<Source> sources) {
    this.sources = sources;
  }

  /**
   * Reads the annotations of an input schema.
   *
   * @throws InvalidSchemaException names the annotation and the rule that it violates
   */
  public static ParamHeaders of(@Nullable RawJson inputSchema) throws InvalidSchemaException {
    if (inputSchema == null || !inputSchema.isObject() || !mentions(inputSchema)) {
      return NONE;
    }
    List<Source> sources = new ArrayList<>();
    collect(inputSchema.toJsonObject(), List.of(), true, sources);
    Set<String> names = new HashSet<>();
    for (Source source : sources) {
      if (!names.add(source.header().toLowerCase(Locale.ROOT))) {
        throw new InvalidSchemaException(ANNOTATION + " \"" + source.header() + "\" stands twice");
      }
    }
    return new ParamHeaders(List.copyOf(sources));
  }

  private static boolean mentions(RawJson schema) {
    return schema.toString().contains(ANNOTATION);
  }

  /**
   * Collects annotations. An annotation is valid only under a chain of {@code properties};
   * everywhere else it is an error.
   */
  private static void collect(
      JsonObject schema, List<String> path, boolean reachable, List<Source> into)
      throws InvalidSchemaException {
    if (schema.containsKey(ANNOTATION)) {
      into.add(source(schema, path, reachable));
    }
    for (Map.Entry<String, Object> member : schema) {
      boolean properties = member.getKey().equals("properties");
      if (properties && member.getValue() instanceof JsonObject children) {
        for (Map.Entry<String, Object> child : children) {
          if (child.getValue() instanceof JsonObject childSchema) {
            List<String> childPath = new ArrayList<>(path);
            childPath.add(child.getKey());
            collect(childSchema, childPath, reachable, into);
          }
        }
      } else if (!member.getKey().equals(ANNOTATION)) {
        collectElsewhere(member.getValue(), path, into);
      }
    }
  }

  private static void collectElsewhere(@Nullable Object value, List<String> path, List<Source> into)
      throws InvalidSchemaException {
    if (value instanceof JsonObject object) {
      collect(object, path, false, into);
    } else if (value instanceof JsonArray array) {
      for (Object element : array) {
        collectElsewhere(element, path, into);
      }
    }
  }

  private static Source source(JsonObject schema, List<String> path, boolean reachable)
      throws InvalidSchemaException {
    Object name = schema.getValue(ANNOTATION);
    if (!(name instanceof String text) || !TOKEN.matcher(text).matches()) {
      throw new InvalidSchemaException(ANNOTATION + " must be a header token, not " + name);
    }
    if (!reachable || path.isEmpty()) {
      throw new InvalidSchemaException(
          ANNOTATION + " \"" + text + "\" may stand under a chain of \"properties\" only");
    }
    if (!(schema.getValue("type") instanceof String type) || !PRIMITIVE.contains(type)) {
      throw new InvalidSchemaException(
          ANNOTATION + " \"" + text + "\" needs type string, integer or boolean");
    }
    return new Source(text, path);
  }

  public boolean isEmpty() {
    return sources.isEmpty();
  }

  /** The names of the headers that calls of this tool may have. */
  public List<String> names() {
    return sources.stream().map(source -> "Mcp-Param-" + source.header()).toList();
  }

  /** The headers for one call's arguments; absent and null values have none. */
  public List<ParamHeader> values(@Nullable RawJson arguments) {
    if (sources.isEmpty() || arguments == null || !arguments.isObject()) {
      return List.of();
    }
    List<ParamHeader> headers = new ArrayList<>(sources.size());
    for (Source source : sources) {
      String value = text(arguments, source.path());
      if (value != null) {
        headers.add(new ParamHeader("Mcp-Param-" + source.header(), HeaderValue.encode(value)));
      }
    }
    return headers;
  }

  private static @Nullable String text(RawJson arguments, List<String> path) {
    RawJson value = arguments;
    for (String step : path) {
      value = value.member(step);
      if (value == null) {
        return null;
      }
    }
    if (value.isNull() || value.isObject() || value.isArray()) {
      return null;
    }
    return value.isString() ? value.asString() : number(value.toString());
  }

  /**
   * Writes an integer in decimal form; any other number, and an integer that JavaScript cannot
   * represent, as it was written.
   */
  private static String number(String literal) {
    try {
      long exact = new BigDecimal(literal).longValueExact();
      return Math.abs(exact) <= SAFE ? Long.toString(exact) : literal;
    } catch (ArithmeticException | NumberFormatException e) {
      return literal;
    }
  }
}
