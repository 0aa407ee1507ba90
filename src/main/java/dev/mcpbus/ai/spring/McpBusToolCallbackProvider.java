package dev.mcpbus.ai.spring;

import dev.mcpbus.ai.BlockingTools;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Vertx;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.ToolCallbackProvider;

/**
 * The tools of mcpbus for {@code ChatClient}, named {@code server__tool}.
 *
 * <pre>{@code
 * ChatClient.builder(chatModel).build()
 *     .prompt("...")
 *     .tools(McpBusToolCallbackProvider.create(vertx, BlockingTools.FrameworkOptions.DEFAULT))
 *     .call();
 * }</pre>
 *
 * <p>Each call of {@link #getToolCallbacks} fetches the present list, so servers may come and go.
 * Blocks the calling thread, as the framework requires; throws on an event loop. Any other thread
 * may call.
 */
@PublicApi
public final class McpBusToolCallbackProvider implements ToolCallbackProvider, AutoCloseable {

  private final BlockingTools tools;

  private McpBusToolCallbackProvider(BlockingTools tools) {
    this.tools = tools;
  }

  public static McpBusToolCallbackProvider create(
      Vertx vertx, BlockingTools.FrameworkOptions options) {
    return new McpBusToolCallbackProvider(new BlockingTools(vertx, options));
  }

  @Override
  public ToolCallback[] getToolCallbacks() {
    return tools.list().all().stream()
        .map(tool -> new BusToolCallback(tools, tool))
        .toArray(ToolCallback[]::new);
  }

  /** Cancels the running calls. */
  @Override
  public void close() {
    tools.close();
  }
}
