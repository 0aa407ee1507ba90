package dev.mcpbus.bus;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The reply of {@code mcp.tools.search}. Immutable.
 *
 * @param tools the best matches, best first
 * @param total the number of all matches
 */
@PublicApi
public record ToolSearchResult(List<FoundTool> tools, long total) {

  /**
   * @param name the name for {@code mcp.tools.call}
   * @param routingName {@code server__tool}
   * @param tool the server's own name of the tool
   * @param title null if the tool has none
   * @param description empty if the tool has none
   * @param score higher is better; comparable only within one search
   * @param stale true if the tool's server is down
   */
  public record FoundTool(
      String name,
      String routingName,
      String server,
      String tool,
      @Nullable String title,
      String description,
      double score,
      boolean stale) {}

  public ToolSearchResult {
    tools = List.copyOf(tools);
  }

  public static ToolSearchResult of(JsonObject reply) {
    return new ToolSearchResult(
        reply.getJsonArray("tools", new JsonArray()).stream()
            .map(one -> tool((JsonObject) one))
            .toList(),
        reply.getLong("total", 0L));
  }

  private static FoundTool tool(JsonObject one) {
    return new FoundTool(
        one.getString("name", ""),
        one.getString("routingName", ""),
        one.getString("server", ""),
        one.getString("tool", ""),
        one.getString("title"),
        one.getString("description", ""),
        one.getDouble("score", 0.0),
        one.getBoolean("stale", false));
  }
}
