package dev.mcpbus.server;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.schema.ArgumentValidator;
import dev.mcpbus.protocol.schema.WellFormedSchema;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The tools of a server at one moment, in the order in which they were added. Immutable, so any
 * thread may read it.
 */
final class ServerTools {

  /**
   * A tool. Each {@code number} is used once, so that the cursor of a page stays valid after every
   * change.
   */
  record RegisteredTool(
      String name,
      long number,
      JsonObject definition,
      ArgumentValidator validator,
      RequestHandler handler) {

    /** Null if the arguments are valid. Sessions on several event loops share the validator. */
    ArgumentValidator.@Nullable Violation check(JsonObject arguments) {
      synchronized (validator) {
        return validator.check(arguments);
      }
    }
  }

  static final ServerTools NONE = new ServerTools(Collections.emptySortedMap(), Map.of(), 0);

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_./-]{1,128}");

  private final SortedMap<Long, RegisteredTool> inOrder;
  private final Map<String, RegisteredTool> byName;
  private final long last;

  private ServerTools(
      SortedMap<Long, RegisteredTool> inOrder, Map<String, RegisteredTool> byName, long last) {
    this.inOrder = inOrder;
    this.byName = byName;
    this.last = last;
  }

  @Nullable RegisteredTool find(String name) {
    return byName.get(name);
  }

  /**
   * Adds a tool.
   *
   * @throws IllegalArgumentException if name or schema are not valid, or the name is taken
   */
  ServerTools with(JsonObject definition, RequestHandler handler) {
    if (!(definition.getValue("name") instanceof String name) || !NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "a tool's name has 1 to 128 letters, digits and _ . / -, not: "
              + definition.getValue("name"));
    }
    if (byName.containsKey(name)) {
      throw new IllegalArgumentException(
          "there is a tool '" + name + "' already; remove it first, or choose another name");
    }
    if (!(definition.getValue("inputSchema") instanceof JsonObject schema)
        || !"object".equals(schema.getValue("type"))) {
      throw new IllegalArgumentException(
          "the inputSchema of tool '" + name + "' must be a JSON schema with \"type\": \"object\"");
    }
    RawJson raw = RawJson.of(schema);
    String fault =
        raw.length() > ArgumentValidator.MAX_SCHEMA_BYTES
            ? "it is longer than " + ArgumentValidator.MAX_SCHEMA_BYTES + " bytes"
            : WellFormedSchema.faultAlone(raw);
    if (fault != null) {
      throw new IllegalArgumentException(
          "the inputSchema of tool '" + name + "' is not a usable JSON schema: " + fault);
    }
    ArgumentValidator validator = ArgumentValidator.of(raw);
    RegisteredTool tool = new RegisteredTool(name, last + 1, definition.copy(), validator, handler);
    SortedMap<Long, RegisteredTool> more = new TreeMap<>(inOrder);
    more.put(tool.number, tool);
    return new ServerTools(more, named(more), tool.number);
  }

  ServerTools without(RegisteredTool tool) {
    SortedMap<Long, RegisteredTool> fewer = new TreeMap<>(inOrder);
    fewer.remove(tool.number);
    return new ServerTools(fewer, named(fewer), last);
  }

  private static Map<String, RegisteredTool> named(SortedMap<Long, RegisteredTool> tools) {
    Map<String, RegisteredTool> named = new TreeMap<>();
    tools.values().forEach(tool -> named.put(tool.name, tool));
    return named;
  }

  /**
   * One page of {@code tools/list}.
   *
   * @param cursor of an earlier page, null for the first
   * @throws RequestException -32602 if this server did not issue the cursor
   */
  JsonObject page(@Nullable Object cursor, int size) {
    long after = cursor == null ? 0 : RawJson.of(cursor.toString()).asLong();
    if (after < 0) {
      throw RequestException.invalid(
          "\"cursor\" is not a cursor of this server; leave it out to begin at the first page");
    }
    JsonArray page = new JsonArray();
    JsonObject result = new JsonObject().put("tools", page);
    long number = 0;
    for (RegisteredTool tool : inOrder.tailMap(after + 1).values()) {
      if (page.size() == size) {
        return result.put("nextCursor", Long.toString(number));
      }
      page.add(tool.definition);
      number = tool.number;
    }
    return result;
  }
}
