package dev.mcpbus.ai.langchain4j;

import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.invocation.InvocationContext;
import dev.langchain4j.service.tool.ToolExecutor;
import dev.mcpbus.ai.ModelTool;
import dev.mcpbus.client.CallOptions;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * What a program sets by LangChain4j's own types. Immutable; {@link McpBusToolProvider} says it.
 */
record ChatHooks(
    boolean images,
    UnaryOperator<ToolExecutor> wrapper,
    BiFunction<ModelTool, ToolSpecification, ToolSpecification> specifications,
    BiFunction<ModelTool, InvocationContext, Map<String, Object>> meta,
    BiFunction<ModelTool, InvocationContext, CallOptions> callOptions) {

  static final ChatHooks NONE =
      new ChatHooks(
          false,
          UnaryOperator.identity(),
          (tool, specification) -> specification,
          (tool, context) -> Map.of(),
          (tool, context) -> CallOptions.DEFAULT);
}
