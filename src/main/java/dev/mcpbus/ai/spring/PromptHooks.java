package dev.mcpbus.ai.spring;

import dev.mcpbus.ai.ModelTool;
import dev.mcpbus.client.CallOptions;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.tool.ToolCallback;

/**
 * What a program sets by Spring AI's own types. Immutable; {@link McpBusToolCallbackProvider} says
 * it.
 */
record PromptHooks(
    UnaryOperator<ToolCallback> wrapper,
    Function<ToolContext, Map<String, Object>> meta,
    BiFunction<ModelTool, ToolContext, CallOptions> callOptions) {

  static final PromptHooks NONE =
      new PromptHooks(
          UnaryOperator.identity(), context -> Map.of(), (tool, context) -> CallOptions.DEFAULT);
}
