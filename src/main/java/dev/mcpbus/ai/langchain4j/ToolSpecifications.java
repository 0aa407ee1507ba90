package dev.mcpbus.ai.langchain4j;

import dev.langchain4j.agent.tool.ToolSpecification;
import dev.mcpbus.ai.ModelTool;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A tool as LangChain4j describes it to a model. Stateless. */
final class ToolSpecifications {

  private static final List<String> HINTS =
      List.of("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint");

  private static final List<String> MEMBERS =
      List.of("title", "icons", "outputSchema", "annotations", "_meta");

  private ToolSpecifications() {}

  static ToolSpecification of(ModelTool tool) {
    ToolSpecification.Builder builder =
        ToolSpecification.builder()
            .name(tool.name())
            .parameters(SchemaElements.object(tool.schema()))
            .metadata(metadata(tool));
    String description = tool.description();
    return description == null ? builder.build() : builder.description(description).build();
  }

  /**
   * The tool's server and what the server says about the tool besides its schema, under the names
   * that LangChain4j's own MCP client has. Only known members, because the framework acts on some
   * keys.
   */
  private static Map<String, Object> metadata(ModelTool tool) {
    Map<String, Object> metadata = new LinkedHashMap<>();
    if (!tool.tool().server().isEmpty()) {
      metadata.put("mcpServer", tool.tool().server());
      metadata.put("mcpTool", tool.tool().tool());
    }
    MEMBERS.forEach(key -> put(metadata, key, tool.definition(), key));
    put(metadata, "title-annotation", tool.annotations(), "title");
    HINTS.forEach(hint -> put(metadata, hint, tool.annotations(), hint));
    return metadata;
  }

  private static void put(Map<String, Object> into, String name, JsonObject from, String key) {
    Object value = from.getValue(key);
    if (value != null) {
      into.put(name, PlainJson.value(value));
    }
  }
}
