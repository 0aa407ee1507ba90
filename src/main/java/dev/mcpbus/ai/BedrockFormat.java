package dev.mcpbus.ai;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Format of the Converse API of Amazon Bedrock: {@code toolSpec}, {@code toolUse}. Stateless. */
final class BedrockFormat implements VendorFormat {

  private static final String EXPECTED = "{\"toolUse\": {\"toolUseId\", \"name\", \"input\"}}";

  /** The keywords that the models of Amazon accept at the top: no definitions. */
  private static final Set<String> TOP = Set.of("type", "properties", "required");

  @Override
  public Object tools(List<ModelTool> tools, FunctionOptions options) {
    JsonArray out = new JsonArray();
    for (ModelTool tool : tools) {
      Consumer<String> changes = options.changes(tool);
      JsonObject json = ModelArguments.renamed(GeminiSchema.of(tool.schema(), changes), changes);
      json.fieldNames().retainAll(TOP);
      JsonObject spec =
          VendorFormat.named(tool).put("inputSchema", new JsonObject().put("json", json));
      out.add(VendorFormat.marked(new JsonObject().put("toolSpec", spec), tool, options));
    }
    return out;
  }

  @Override
  public FunctionCall call(JsonObject call) {
    JsonObject use = call.getValue("toolUse") instanceof JsonObject known ? known : call;
    return new FunctionCall(
        VendorFormat.text(use, "toolUseId", EXPECTED),
        VendorFormat.text(use, "name", EXPECTED),
        use.getValue("input"));
  }

  /** An empty text is refused. */
  @Override
  public JsonObject result(FunctionCall call, ToolOutput output) {
    JsonArray content = new JsonArray();
    for (ToolOutput.Part part : output.parts()) {
      String image = part.format();
      if (image != null) {
        JsonObject source = new JsonObject().put("bytes", part.data());
        content.add(
            new JsonObject()
                .put("image", new JsonObject().put("format", image).put("source", source)));
      } else if (!part.text().isEmpty()) {
        content.add(new JsonObject().put("text", part.text()));
      }
    }
    if (content.isEmpty()) {
      content.add(new JsonObject().put("text", "(no output)"));
    }
    return new JsonObject()
        .put(
            "toolResult",
            new JsonObject()
                .put("toolUseId", call.id())
                .put("content", content)
                .put("status", output.isError() ? "error" : "success"));
  }
}
