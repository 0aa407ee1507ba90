package dev.mcpbus.ai;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;

/**
 * Format of OpenAI's responses: flat functions, strict unless they say otherwise; results may hold
 * images. Stateless.
 */
final class OpenAiResponsesFormat implements VendorFormat {

  private static final String EXPECTED =
      "{\"type\": \"function_call\", \"call_id\", \"name\", \"arguments\"}";

  @Override
  public Object tools(List<ModelTool> tools, FunctionOptions options) {
    JsonArray out = new JsonArray();
    for (ModelTool tool : tools) {
      // Without "strict": false the API would try the strict mode.
      JsonObject entry =
          new JsonObject().put("type", "function").mergeIn(VendorFormat.function(tool, options));
      out.add(VendorFormat.marked(entry, tool, options));
    }
    return out;
  }

  @Override
  public FunctionCall call(JsonObject call) {
    return new FunctionCall(
        VendorFormat.text(call, "call_id", EXPECTED),
        VendorFormat.text(call, "name", EXPECTED),
        call.getValue("arguments"));
  }

  @Override
  public JsonObject result(FunctionCall call, ToolOutput output) {
    JsonObject out = new JsonObject().put("type", "function_call_output").put("call_id", call.id());
    if (!output.hasImages()) {
      return out.put("output", output.text());
    }
    JsonArray blocks = new JsonArray();
    for (ToolOutput.Part part : output.parts()) {
      blocks.add(
          part.isImage()
              ? new JsonObject()
                  .put("type", "input_image")
                  .put("image_url", VendorFormat.dataUrl(part))
              : new JsonObject().put("type", "input_text").put("text", part.text()));
    }
    return out.put("output", blocks);
  }
}
