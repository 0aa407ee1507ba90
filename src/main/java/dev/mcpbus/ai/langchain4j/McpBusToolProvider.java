package dev.mcpbus.ai.langchain4j;

import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.invocation.InvocationContext;
import dev.langchain4j.service.tool.ToolExecutor;
import dev.langchain4j.service.tool.ToolProvider;
import dev.langchain4j.service.tool.ToolProviderRequest;
import dev.langchain4j.service.tool.ToolProviderResult;
import dev.mcpbus.ai.BlockingTools;
import dev.mcpbus.ai.FrameworkOptions;
import dev.mcpbus.ai.ModelTool;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Vertx;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * The tools of mcpbus for {@code AiServices}, named {@code server__tool}.
 *
 * <pre>{@code
 * AiServices.builder(Assistant.class)
 *     .chatModel(model)
 *     .toolProvider(McpBusToolProvider.create(vertx, FrameworkOptions.DEFAULT))
 *     .build();
 * }</pre>
 *
 * <p>Each invocation fetches the present list, so servers may come and go. Blocks the calling
 * thread, as the framework requires; throws on an event loop. Any other thread may call. Immutable:
 * a {@code with} method gives a copy, which shares the calls that {@link #close} ends.
 */
@PublicApi
public final class McpBusToolProvider implements ToolProvider, AutoCloseable {

  private final BlockingTools tools;
  private final ChatHooks hooks;

  private McpBusToolProvider(BlockingTools tools, ChatHooks hooks) {
    this.tools = tools;
    this.hooks = hooks;
  }

  public static McpBusToolProvider create(Vertx vertx, FrameworkOptions options) {
    return new McpBusToolProvider(new BlockingTools(vertx, options), ChatHooks.NONE);
  }

  private McpBusToolProvider with(String hook, Object value) {
    return new McpBusToolProvider(tools, RecordCopy.with(hooks, hook, value));
  }

  /**
   * A copy that passes images in a tool's result to the model. Only some model classes of
   * LangChain4j accept them, the others fail. Without this the model reads {@code [image,
   * image/png, 1234 bytes]} instead.
   */
  public McpBusToolProvider withImages() {
    return with("images", true);
  }

  /** A copy that puts {@code value} around each executor, for example to trace or to guard. */
  public McpBusToolProvider withToolWrapper(UnaryOperator<ToolExecutor> value) {
    return with("wrapper", value);
  }

  /**
   * A copy that offers other specifications. The name and the schema of the arguments should stay:
   * for names there is {@link FrameworkOptions#withNames}.
   */
  public McpBusToolProvider withSpecifications(
      BiFunction<ModelTool, ToolSpecification, ToolSpecification> value) {
    return with("specifications", value);
  }

  /**
   * A copy that sends {@code _meta} of each call to the tool's server; by default there is none.
   */
  public McpBusToolProvider withMeta(
      BiFunction<ModelTool, InvocationContext, Map<String, Object>> value) {
    return with("meta", value);
  }

  /** A copy with options of each call, such as its trace or its time-out. */
  public McpBusToolProvider withCallOptions(
      BiFunction<ModelTool, InvocationContext, CallOptions> value) {
    return with("callOptions", value);
  }

  @Override
  public ToolProviderResult provideTools(ToolProviderRequest request) {
    ToolProviderResult.Builder result = ToolProviderResult.builder();
    for (ModelTool tool : tools.list().all()) {
      result.add(
          Objects.requireNonNull(
              hooks.specifications().apply(tool, ToolSpecifications.of(tool)),
              () -> BusToolExecutor.none("withSpecifications", tool)),
          Objects.requireNonNull(
              hooks.wrapper().apply(new BusToolExecutor(tools, tool, hooks)),
              () -> BusToolExecutor.none("withToolWrapper", tool)));
    }
    return result.build();
  }

  /** Cancels the running calls. */
  @Override
  public void close() {
    tools.close();
  }
}
