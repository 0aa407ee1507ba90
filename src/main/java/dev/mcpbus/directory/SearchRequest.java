package dev.mcpbus.directory;

import dev.mcpbus.bus.McpFailure;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@code mcp.tools.search}. Immutable.
 *
 * @param query any text; empty for all tools
 * @param limit tools wanted, 1 to {@value #MAX_LIMIT}
 * @param offset tools passed over, 0 to {@value #MAX_OFFSET}
 * @param servers ids of the servers wanted; null for all
 * @param skills whether skills are wanted beside the tools
 */
public record SearchRequest(
    String query, int limit, int offset, @Nullable List<String> servers, boolean skills) {

  static final int DEFAULT_LIMIT = 10;
  static final int MAX_LIMIT = 100;
  static final int MAX_OFFSET = 10_000;

  /** The search for skills beside this one: the best of them, whatever tools are passed over. */
  public SearchRequest ofSkills() {
    return new SearchRequest(query, limit, 0, servers, true);
  }

  /**
   * @throws McpFailure {@code BAD_REQUEST}
   */
  public static SearchRequest of(Object body) {
    try {
      JsonObject json = body instanceof Buffer raw ? new JsonObject(raw) : (JsonObject) body;
      JsonArray ids = json.getJsonArray("servers");
      return new SearchRequest(
          (String) json.getValue("query", ""),
          whole(json, "limit", DEFAULT_LIMIT, 1, MAX_LIMIT),
          whole(json, "offset", 0, 0, MAX_OFFSET),
          ids == null ? null : ids.stream().map(String.class::cast).toList(),
          Boolean.TRUE.equals(json.getBoolean("skills")));
    } catch (ClassCastException | DecodeException e) {
      throw McpFailure.badRequest(
          "send {\"query\": \"words\", \"limit\": 10, \"servers\": [\"id\", ...], \"skills\":"
              + " false}, the last three as wanted");
    }
  }

  private static int whole(JsonObject json, String member, int otherwise, int least, int most) {
    Number value = json.getNumber(member, otherwise);
    if (value.doubleValue() != value.intValue()
        || value.intValue() < least
        || value.intValue() > most) {
      throw McpFailure.badRequest(
          "'" + member + "' must be a whole number from " + least + " to " + most);
    }
    return value.intValue();
  }
}
