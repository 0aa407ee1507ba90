package dev.mcpbus.bus;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@code mcp.tools.search} found.
 *
 * @param tools best first
 * @param total how many tools match, of which {@code tools} are the first
 */
public record ToolSearchResult(List<FoundTool> tools, long total) {

  /**
   * @param name as the aggregate has it, for {@code mcp.tools.call}
   * @param routingName {@code server__tool}
   * @param tool the server's own name of it
   * @param title null where it has none
   * @param description empty where it has none
   * @param score of use only beside others of the same search; higher is better
   * @param stale true where its server is down
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
