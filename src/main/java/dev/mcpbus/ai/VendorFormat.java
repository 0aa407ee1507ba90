package dev.mcpbus.ai;

import dev.mcpbus.bus.McpFailure;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** The JSON of one vendor. Stateless. */
interface VendorFormat {

  Object tools(List<ModelTool> tools, FunctionOptions options);

  FunctionCall call(JsonObject call);

  JsonObject result(FunctionCall call, ToolOutput output);

  /** An object with {@code name}, and {@code description} if there is one. */
  static JsonObject named(ModelTool tool) {
    JsonObject out = new JsonObject().put("name", tool.name());
    String description = tool.description();
    return description == null ? out : out.put("description", description);
  }

  /** A function of OpenAI, with {@code strict}. */
  static JsonObject function(ModelTool tool, FunctionOptions options) {
    JsonObject flat = FunctionSchemas.flat(tool.schema(), options.changes(tool));
    JsonObject strict = options.strict() ? StrictSchema.of(flat, options.changes(tool)) : null;
    return named(tool)
        .put("parameters", strict == null ? flat : strict)
        .put("strict", strict != null);
  }

  static JsonObject marked(JsonObject out, ModelTool tool, FunctionOptions options) {
    return options.serverIds() ? out.put("_serverId", tool.tool().server()) : out;
  }

  /** The string member {@code key}; fails with {@code BAD_REQUEST} if there is none. */
  static String text(JsonObject json, String key, String expected) {
    if (json.getValue(key) instanceof String text && !text.isEmpty()) {
      return text;
    }
    throw McpFailure.badRequest("'call' has no text '" + key + "'; expected " + expected);
  }

  static String dataUrl(ToolOutput.Part part) {
    return "data:" + part.mimeType() + ";base64," + part.data();
  }
}
