package dev.mcpbus.ai;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;

/**
 * Format of Gemini and Vertex AI. Schemas are sent as {@code parametersJsonSchema}, in the subset
 * that the older {@code parameters} accepts, too ({@link GeminiSchema}): the APIs refuse references
 * and other keywords in both. Stateless.
 */
final class GeminiFormat implements VendorFormat {

  private static final String EXPECTED = "{\"functionCall\": {\"name\", \"args\"}}";

  @Override
  public Object tools(List<ModelTool> tools, FunctionOptions options) {
    JsonArray declarations = new JsonArray();
    for (ModelTool tool : tools) {
      JsonObject entry = VendorFormat.named(tool);
      if (!entry.containsKey("description")) {
        entry.put("description", tool.tool().tool()); // required here
      }
      entry.put("parametersJsonSchema", GeminiSchema.of(tool.schema(), options.changes(tool)));
      declarations.add(VendorFormat.marked(entry, tool, options));
    }
    return new JsonArray().add(new JsonObject().put("functionDeclarations", declarations));
  }

  @Override
  public FunctionCall call(JsonObject call) {
    JsonObject function = call.getValue("functionCall") instanceof JsonObject known ? known : call;
    return new FunctionCall(
        function.getValue("id") instanceof String id ? id : null,
        VendorFormat.text(function, "name", EXPECTED),
        function.getValue("args"));
  }

  @Override
  public JsonObject result(FunctionCall call, ToolOutput output) {
    JsonObject response = new JsonObject();
    if (call.id() != null) {
      response.put("id", call.id());
    }
    Object structured = output.structured();
    Object value = structured != null && output.parts().size() == 1 ? structured : output.text();
    response
        .put("name", call.name())
        .put("response", new JsonObject().put(output.isError() ? "error" : "output", value));
    if (output.hasImages()) {
      JsonArray parts = new JsonArray();
      output.parts().stream()
          .filter(ToolOutput.Part::isImage)
          .forEach(
              part ->
                  parts.add(
                      new JsonObject()
                          .put(
                              "inlineData",
                              new JsonObject()
                                  .put("mimeType", part.mimeType())
                                  .put("data", part.data()))));
      response.put("parts", parts);
    }
    return new JsonObject().put("functionResponse", response);
  }
}
