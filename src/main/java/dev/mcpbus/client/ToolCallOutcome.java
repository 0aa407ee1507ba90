package dev.mcpbus.client;

import io.modelcontextprotocol.spec.McpSchema;
import org.jspecify.annotations.Nullable;

/**
 * The answer to {@link McpServerClient#callToolAsTask}: exactly one of the two, as the server
 * decides.
 *
 * @param task where the server made one
 * @param result where it answered at once
 */
public record ToolCallOutcome(@Nullable McpTask task, McpSchema.@Nullable CallToolResult result) {

  public boolean isTask() {
    return task != null;
  }
}
