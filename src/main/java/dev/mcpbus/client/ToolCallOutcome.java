package dev.mcpbus.client;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@link McpServerClient#callToolAsTask}: a task or the tool's result, as the server
 * decides; the other is null.
 *
 * @param task if the server has created a task
 * @param result if the server has replied with the tool's result
 */
@PublicApi
public record ToolCallOutcome(@Nullable McpTask task, @Nullable ToolCallResult result) {

  static ToolCallOutcome of(JsonObject answer) {
    McpTask task = McpTask.ofAnswer(answer);
    return new ToolCallOutcome(task, task == null ? new ToolCallResult(answer) : null);
  }

  public boolean isTask() {
    return task != null;
  }
}
