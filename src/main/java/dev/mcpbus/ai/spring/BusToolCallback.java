package dev.mcpbus.ai.spring;

import dev.mcpbus.ai.BlockingTools;
import dev.mcpbus.ai.ModelTool;
import dev.mcpbus.ai.ToolOutput;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.client.CallOptions;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.definition.ToolDefinition;
import org.springframework.ai.tool.execution.ToolExecutionException;

/**
 * Calls one tool for Spring AI. The result is the tool's text unchanged; media, which Spring AI
 * cannot take here, appear as {@code [image, image/png, 1234 bytes]}. A failure is thrown for the
 * framework's {@code ToolExecutionExceptionProcessor}, which by default passes it to the model; its
 * cause is a {@link McpFailure} if the tool gave no result.
 */
final class BusToolCallback implements ToolCallback {

  private static final ToolContext NOTHING = new ToolContext(Map.of());

  private final BlockingTools tools;
  private final ModelTool tool;
  private final PromptHooks hooks;
  private final ToolDefinition definition;

  BusToolCallback(BlockingTools tools, ModelTool tool, PromptHooks hooks) {
    this.tools = tools;
    this.tool = tool;
    this.hooks = hooks;
    this.definition = new McpBusToolDefinition(tool);
  }

  @Override
  public ToolDefinition getToolDefinition() {
    return definition;
  }

  @Override
  public String call(String input) {
    return call(input, NOTHING);
  }

  @Override
  public String call(String input, @Nullable ToolContext given) {
    ToolContext context = Objects.requireNonNullElse(given, NOTHING);
    JsonObject meta =
        new JsonObject(
            Objects.requireNonNull(hooks.meta().apply(context), () -> none("withMeta", tool)));
    CallOptions options =
        Objects.requireNonNull(
            hooks.callOptions().apply(tool, context), () -> none("withCallOptions", tool));
    ToolOutput output;
    try {
      output = tools.call(tool, input, meta, options);
    } catch (McpFailure failure) {
      throw new ToolExecutionException(definition, failure);
    }
    if (output.isError()) {
      throw new ToolExecutionException(definition, new IllegalStateException(tools.text(output)));
    }
    return tools.text(output);
  }

  static String none(String option, ModelTool tool) {
    return "the function of " + option + " gave null for the tool " + tool.tool();
  }
}
