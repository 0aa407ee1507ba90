package dev.mcpbus.ai.langchain4j;

import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.service.tool.ToolProvider;
import dev.langchain4j.service.tool.ToolProviderRequest;
import dev.langchain4j.service.tool.ToolProviderResult;
import dev.mcpbus.ai.BlockingTools;
import dev.mcpbus.ai.ModelTool;
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
 *     .toolProvider(McpBusToolProvider.create(vertx, BlockingTools.Options.DEFAULT))
 *     .build();
 * }</pre>
 *
 * <p>The list is taken anew for every invocation, so servers may come and go. Blocks, as the
 * framework wants it: never call an AI service on an event loop; it refuses. Any other thread may.
 */
public final class McpBusToolProvider implements ToolProvider, AutoCloseable {

  private static final List<String> HINTS =
      List.of("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint");

  private final BlockingTools tools;
  private final boolean images;

  private McpBusToolProvider(BlockingTools tools, boolean images) {
    this.tools = tools;
    this.images = images;
  }

  public static McpBusToolProvider create(Vertx vertx, BlockingTools.Options options) {
    return new McpBusToolProvider(new BlockingTools(vertx, options), false);
  }

  /**
   * The same, giving images of a tool to the model. Only some model classes of LangChain4j take
   * them in a tool's result, the others fail; without this the model reads {@code [image,
   * image/png, 1234 bytes]} in their place.
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
   * Whose tool it is, and what its server says about it beside the schema. Known members alone: the
   * framework reads some keys as orders.
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

  /** Cancels what is outstanding. */
  @Override
  public void close() {
    tools.close();
  }
}
