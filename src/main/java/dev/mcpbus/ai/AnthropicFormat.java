package dev.mcpbus.ai;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.function.Consumer;

/**
 * Format of Anthropic's Messages API: {@code tool_use} and {@code tool_result} blocks. Stateless.
 */
final class AnthropicFormat implements VendorFormat {

  private static final String EXPECTED = "{\"type\": \"tool_use\", \"id\", \"name\", \"input\"}";

  @Override
  public Object tools(List<ModelTool> tools, FunctionOptions options) {
    JsonArray out = new JsonArray();
    for (ModelTool tool : tools) {
      Consumer<String> changes = options.changes(tool);
      JsonObject schema = FunctionSchemas.flat(tool.schema(), changes);
      JsonObject entry =
          VendorFormat.named(tool).put("input_schema", ModelArguments.renamed(schema, changes));
      out.add(VendorFormat.marked(entry, tool, options));
    }
    return out;
  }

  @Override
  public FunctionCall call(JsonObject call) {
    return new FunctionCall(
        VendorFormat.text(call, "id", EXPECTED),
        VendorFormat.text(call, "name", EXPECTED),
        call.getValue("input"));
  }

  /** The API refuses an empty text block, and anything but text in an error. */
  @Override
  public JsonObject result(FunctionCall call, ToolOutput output) {
    JsonObject out = new JsonObject().put("type", "tool_result").put("tool_use_id", call.id());
    JsonArray content = new JsonArray();
    for (ToolOutput.Part part : output.parts()) {
      if (!output.isError() && part.format() != null) {
        content.add(
            new JsonObject()
                .put("type", "image")
                .put(
                    "source",
                    new JsonObject()
                        .put("type", "base64")
                        .put("media_type", part.mimeType())
                        .put("data", part.data())));
      } else if (!part.text().isEmpty()) {
        content.add(new JsonObject().put("type", "text").put("text", part.text()));
      }
    }
    if (!content.isEmpty()) {
      out.put("content", content);
    }
    return output.isError() ? out.put("is_error", true) : out;
  }
}
