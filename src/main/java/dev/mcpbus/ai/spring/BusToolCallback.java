package dev.mcpbus.ai.spring;

import dev.mcpbus.ai.BlockingTools;
import dev.mcpbus.ai.ModelTool;
import dev.mcpbus.ai.ToolOutput;
import dev.mcpbus.bus.McpFailure;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.definition.DefaultToolDefinition;
import org.springframework.ai.tool.definition.ToolDefinition;
import org.springframework.ai.tool.execution.ToolExecutionException;

/**
 * Calls one tool for Spring AI. The result is the tool's text unchanged; media, which Spring AI
 * cannot take here, appear as {@code [image, image/png, 1234 bytes]}. A failure is thrown for the
 * framework's {@code ToolExecutionExceptionProcessor}, which by default passes it to the model; its
 * cause is a {@link McpFailure} if the tool gave no result.
 */
final class BusToolCallback implements ToolCallback {

  private final BlockingTools tools;
  private final ModelTool tool;
  private final ToolDefinition definition;

  BusToolCallback(BlockingTools tools, ModelTool tool) {
    this.tools = tools;
    this.tool = tool;
    String description = tool.description();
    this.definition =
        DefaultToolDefinition.builder()
            .name(tool.name())
            .description(description == null ? tool.tool().tool() : description)
            .inputSchema(tool.objectSchema().encode())
            .build();
  }

  @Override
  public ToolDefinition getToolDefinition() {
    return definition;
  }

  @Override
  public String call(String input) {
    ToolOutput output;
    try {
      output = tools.call(tool, input);
    } catch (McpFailure failure) {
      throw new ToolExecutionException(definition, failure);
    }
    if (output.isError()) {
      throw new ToolExecutionException(definition, new IllegalStateException(output.text()));
    }
    return output.text();
  }

  /** The context is not sent to the server: it may hold secrets. */
  @Override
  public String call(String input, @Nullable ToolContext context) {
    return call(input);
  }
}
