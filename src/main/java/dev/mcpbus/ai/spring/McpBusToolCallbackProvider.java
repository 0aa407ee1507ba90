package dev.mcpbus.ai.spring;

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
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.springframework.ai.chat.model.ToolContext;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.ToolCallbackProvider;

/**
 * The tools of mcpbus for {@code ChatClient}, named {@code server__tool}.
 *
 * <pre>{@code
 * ChatClient.builder(chatModel).build()
 *     .prompt("...")
 *     .tools(McpBusToolCallbackProvider.create(vertx, FrameworkOptions.DEFAULT))
 *     .call();
 * }</pre>
 *
 * <p>Each call of {@link #getToolCallbacks} fetches the present list, so servers may come and go.
 * Blocks the calling thread, as the framework requires; throws on an event loop. Any other thread
 * may call. Immutable: a {@code with} method gives a copy, which shares the calls that {@link
 * #close} ends.
 */
@PublicApi
public final class McpBusToolCallbackProvider implements ToolCallbackProvider, AutoCloseable {

  private final BlockingTools tools;
  private final PromptHooks hooks;

  private McpBusToolCallbackProvider(BlockingTools tools, PromptHooks hooks) {
    this.tools = tools;
    this.hooks = hooks;
  }

  public static McpBusToolCallbackProvider create(Vertx vertx, FrameworkOptions options) {
    return new McpBusToolCallbackProvider(new BlockingTools(vertx, options), PromptHooks.NONE);
  }

  private McpBusToolCallbackProvider with(String hook, Object value) {
    return new McpBusToolCallbackProvider(tools, RecordCopy.with(hooks, hook, value));
  }

  /** A copy that puts {@code value} around each callback, for example to trace or to guard. */
  public McpBusToolCallbackProvider withToolWrapper(UnaryOperator<ToolCallback> value) {
    return with("wrapper", value);
  }

  /**
   * A copy that sends {@code _meta} of each call to the tool's server. By default nothing of the
   * context leaves the program: it may hold secrets.
   *
   * @param value what of the context the servers may see; Spring AI's own {@code
   *     ToolContextToMcpMetaConverter} is such a function, as {@code converter::convert}
   */
  public McpBusToolCallbackProvider withMeta(Function<ToolContext, Map<String, Object>> value) {
    return with("meta", value);
  }

  /** A copy with options of each call, such as its trace or its time-out. */
  public McpBusToolCallbackProvider withCallOptions(
      BiFunction<ModelTool, ToolContext, CallOptions> value) {
    return with("callOptions", value);
  }

  @Override
  public ToolCallback[] getToolCallbacks() {
    return tools.list().all().stream()
        .map(
            tool ->
                Objects.requireNonNull(
                    hooks.wrapper().apply(new BusToolCallback(tools, tool, hooks)),
                    () -> BusToolCallback.none("withToolWrapper", tool)))
        .toArray(ToolCallback[]::new);
  }

  /** Cancels the running calls. */
  @Override
  public void close() {
    tools.close();
  }
}
