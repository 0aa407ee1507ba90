package dev.mcpbus.ai.langchain4j;

import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.service.tool.ToolProvider;
import dev.langchain4j.service.tool.ToolProviderRequest;
import dev.langchain4j.service.tool.ToolProviderResult;
import dev.mcpbus.ai.BlockingTools;
import dev.mcpbus.ai.ModelTool;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The tools of mcpbus for {@code AiServices}, named {@code server__tool}.
 *
 * <pre>{@code
 * AiServices.builder(Assistant.class)
 *     .chatModel(model)
 *     .toolProvider(McpBusToolProvider.create(vertx, BlockingTools.FrameworkOptions.DEFAULT))
 *     .build();
 * }</pre>
 *
 * <p>Each invocation fetches the present list, so servers may come and go. Blocks the calling
 * thread, as the framework requires; throws on an event loop. Any other thread may call.
 */
@PublicApi
public final class McpBusToolProvider implements ToolProvider, AutoCloseable {

  private static final List<String> HINTS =
      List.of("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint");

  private final BlockingTools tools;
  private final boolean images;

  private McpBusToolProvider(BlockingTools tools, boolean images) {
    this.tools = tools;
    this.images = images;
  }

  public static McpBusToolProvider create(Vertx vertx, BlockingTools.FrameworkOptions options) {
    return new McpBusToolProvider(new BlockingTools(vertx, options), false);
  }

  /**
   * A copy that passes images in a tool's result to the model. Only some model classes of
   * LangChain4j accept them, the others fail. Without this the model reads {@code [image,
   * image/png, 1234 bytes]} instead.
   */
  public McpBusToolProvider withImages() {
    return new McpBusToolProvider(tools, true);
  }

  @Override
  public ToolProviderResult provideTools(ToolProviderRequest request) {
    ToolProviderResult.Builder result = ToolProviderResult.builder();
    for (ModelTool tool : tools.list().all()) {
      result.add(specification(tool), new BusToolExecutor(tools, tool, images));
    }
    return result.build();
  }

  private static ToolSpecification specification(ModelTool tool) {
    ToolSpecification.Builder builder =
        ToolSpecification.builder()
            .name(tool.name())
            .parameters(SchemaElements.object(tool.schema()))
            .metadata(metadata(tool));
    String description = tool.description();
    return description == null ? builder.build() : builder.description(description).build();
  }

  /**
   * The tool's server and what the server says about the tool besides its schema. Only known
   * members, because the framework acts on some keys.
   */
  private static Map<String, Object> metadata(ModelTool tool) {
    Map<String, Object> metadata = new LinkedHashMap<>();
    metadata.put("mcpServer", tool.tool().server());
    metadata.put("mcpTool", tool.tool().tool());
    if (tool.definition().getValue("title") instanceof String title) {
      metadata.put("title", title);
    }
    if (tool.definition().getValue("outputSchema") instanceof JsonObject schema) {
      metadata.put("outputSchema", PlainJson.map(schema));
    }
    if (tool.definition().getValue("annotations") instanceof JsonObject annotations) {
      HINTS.stream()
          .filter(hint -> annotations.getValue(hint) instanceof Boolean)
          .forEach(hint -> metadata.put(hint, annotations.getValue(hint)));
    }
    return metadata;
  }

  /** Cancels the running calls. */
  @Override
  public void close() {
    tools.close();
  }
}
