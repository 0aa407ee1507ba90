package dev.mcpbus.ai;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** Format of OpenAI's chat completions: nested functions; a result is a string. Stateless. */
final class OpenAiChatFormat implements VendorFormat {

  private static final String EXPECTED =
      "{\"id\", \"type\": \"function\", \"function\": {\"name\", \"arguments\"}}";

  @Override
  public Object tools(List<ModelTool> tools, FunctionOptions options) {
    JsonArray out = new JsonArray();
    for (ModelTool tool : tools) {
      JsonObject function = VendorFormat.function(tool, options);
      function.getMap().remove("strict", false);
      JsonObject entry = new JsonObject().put("type", "function").put("function", function);
      out.add(VendorFormat.marked(entry, tool, options));
    }
    return out;
  }

  @Override
  public FunctionCall call(JsonObject call) {
    JsonObject function =
        call.getValue("function") instanceof JsonObject known ? known : new JsonObject();
    return new FunctionCall(
        VendorFormat.text(call, "id", EXPECTED),
        VendorFormat.text(function, "name", EXPECTED),
        function.getValue("arguments"));
  }

  @Override
  public JsonObject result(FunctionCall call, ToolOutput output) {
    return new JsonObject()
        .put("role", "tool")
        .put("tool_call_id", call.id())
        .put("content", output.text());
  }
}
