package dev.mcpbus.ai;

import dev.mcpbus.protocol.schema.MendedSchema;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;

/**
 * Format of the Vercel AI SDK: a tool set by name, {@code _serverId} on every tool, parts of model
 * messages. Stateless.
 */
final class AiSdkFormat implements VendorFormat {

  private static final String EXPECTED =
      "{\"type\": \"tool-call\", \"toolCallId\", \"toolName\", \"input\"}";

  @Override
  public Object tools(List<ModelTool> tools, FunctionOptions options) {
    JsonObject out = new JsonObject();
    for (ModelTool tool : tools) {
      JsonObject entry = VendorFormat.named(tool);
      entry.remove("name");
      entry.put(
          "inputSchema",
          FunctionSchemas.object(MendedSchema.forModels(tool.schema(), options.changes(tool))));
      out.put(tool.name(), entry.put("_serverId", tool.tool().server()));
    }
    return out;
  }

  @Override
  public FunctionCall call(JsonObject call) {
    return new FunctionCall(
        VendorFormat.text(call, "toolCallId", EXPECTED),
        VendorFormat.text(call, "toolName", EXPECTED),
        call.getValue("input"));
  }

  @Override
  public JsonObject result(FunctionCall call, ToolOutput output) {
    return new JsonObject()
        .put("type", "tool-result")
        .put("toolCallId", call.id())
        .put("toolName", call.name())
        .put("output", output(output));
  }

  private static JsonObject output(ToolOutput output) {
    if (output.isError()) {
      return new JsonObject().put("type", "error-text").put("value", output.text());
    }
    if (!output.hasImages()) {
      return new JsonObject().put("type", "text").put("value", output.text());
    }
    JsonArray value = new JsonArray();
    for (ToolOutput.Part part : output.parts()) {
      value.add(
          part.isImage()
              ? new JsonObject()
                  .put("type", "media")
                  .put("data", part.data())
                  .put("mediaType", part.mimeType())
              : new JsonObject().put("type", "text").put("text", part.text()));
    }
    return new JsonObject().put("type", "content").put("value", value);
  }
}
