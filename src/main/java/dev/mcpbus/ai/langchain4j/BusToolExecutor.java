package dev.mcpbus.ai.langchain4j;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.Content;
import dev.langchain4j.data.message.ImageContent;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.exception.ToolExecutionException;
import dev.langchain4j.invocation.InvocationContext;
import dev.langchain4j.service.tool.ToolExecutionResult;
import dev.langchain4j.service.tool.ToolExecutor;
import dev.mcpbus.ai.BlockingTools;
import dev.mcpbus.ai.ModelTool;
import dev.mcpbus.ai.ToolOutput;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.client.CallOptions;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Calls one tool for LangChain4j. Failures that the model can correct (the tool's own error, wrong
 * arguments) are returned as an error result. Other failures are thrown, with the {@link
 * McpFailure} as cause, for the service's {@code toolExecutionErrorHandler}.
 */
record BusToolExecutor(BlockingTools tools, ModelTool tool, ChatHooks hooks)
    implements ToolExecutor {

  @Override
  public String execute(ToolExecutionRequest request, Object memoryId) {
    InvocationContext context = InvocationContext.builder().chatMemoryId(memoryId).build();
    return tools.text(call(request, context));
  }

  @Override
  public ToolExecutionResult executeWithContext(
      ToolExecutionRequest request, InvocationContext context) {
    ToolOutput output = call(request, context);
    ToolExecutionResult.Builder result = ToolExecutionResult.builder().isError(output.isError());
    Object structured = output.structured();
    if (structured != null) {
      result.result(PlainJson.value(structured));
    }
    if (!output.meta().isEmpty()) {
      result.attributes(Map.of("_meta", PlainJson.value(output.meta())));
    }
    return hooks.images() && output.hasImages()
        ? result.resultContents(contents(output)).build()
        : result.resultText(tools.text(output)).build();
  }

  private ToolOutput call(ToolExecutionRequest request, InvocationContext context) {
    JsonObject meta =
        new JsonObject(
            Objects.requireNonNull(
                hooks.meta().apply(tool, context), () -> none("withMeta", tool)));
    CallOptions options =
        Objects.requireNonNull(
            hooks.callOptions().apply(tool, context), () -> none("withCallOptions", tool));
    try {
      return tools.call(tool, request.arguments(), meta, options);
    } catch (McpFailure failure) {
      if (failure.code() == FailureCode.INVALID_ARGUMENTS
          || failure.code() == FailureCode.UNKNOWN_TOOL) {
        return ToolOutput.of(failure);
      }
      throw new ToolExecutionException(failure);
    }
  }

  static String none(String option, ModelTool tool) {
    return "the function of " + option + " gave null for the tool " + tool.tool();
  }

  private static List<Content> contents(ToolOutput output) {
    return output.parts().stream()
        .<Content>map(
            part ->
                part.isImage()
                    ? ImageContent.from(part.data(), part.mimeType())
                    : TextContent.from(part.text()))
        .toList();
  }
}
