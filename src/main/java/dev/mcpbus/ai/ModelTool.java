package dev.mcpbus.ai;

import dev.mcpbus.bus.ToolName;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * A tool as models see it. Immutable; its JSON is never changed.
 *
 * @param name its routing name
 * @param tool the server and the tool to which calls are sent
 * @param definition the server's own definition with all members
 * @param schema of the arguments, an object schema; the caller's override if there is one
 */
@PublicApi
public record ModelTool(String name, ToolName tool, JsonObject definition, JsonObject schema) {

  /** The text for the model: the description, else the title. */
  public @Nullable String description() {
    JsonObject annotations =
        definition.getValue("annotations") instanceof JsonObject known ? known : new JsonObject();
    for (Object text :
        new Object[] {
          definition.getValue("description"),
          definition.getValue("title"),
          annotations.getValue("title")
        }) {
      if (text instanceof String known && !known.isBlank()) {
        return known;
      }
    }
    return null;
  }

  /** The schema with {@code type} and {@code properties}, which the APIs of models require. */
  public JsonObject objectSchema() {
    return FunctionSchemas.object(schema);
  }
}
