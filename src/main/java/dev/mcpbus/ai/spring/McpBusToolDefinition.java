package dev.mcpbus.ai.spring;

import dev.mcpbus.ai.ModelTool;
import dev.mcpbus.protocol.PublicApi;
import org.springframework.ai.tool.definition.ToolDefinition;

/**
 * What the model is told of a tool, and for the program the tool with its annotations and {@code
 * _meta}. Immutable.
 *
 * @param tool the tool and what its server says about it
 */
@PublicApi
public record McpBusToolDefinition(ModelTool tool) implements ToolDefinition {

  @Override
  public String name() {
    return tool.name();
  }

  /** The tool's text; its name where it has none. */
  @Override
  public String description() {
    String description = tool.description();
    return description == null ? tool.tool().tool() : description;
  }

  /** As text. */
  @Override
  public String inputSchema() {
    return tool.objectSchema().encode();
  }
}
