package dev.mcpbus.ai;

import dev.mcpbus.bus.ToolName;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * A tool as a model may see it. Immutable by agreement: nobody changes its JSON.
 *
 * @param name its routing name
 * @param tool where a call of it goes
 * @param definition the server's own, every member
 * @param schema of the arguments, an object schema; the caller's override where there is one
 */
public record ModelTool(String name, ToolName tool, JsonObject definition, JsonObject schema) {

  /** What the model is told: the description, else the title. */
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

  /** The schema with {@code type} and {@code properties}, which models' APIs insist on. */
  public JsonObject objectSchema() {
    return FunctionSchemas.object(schema);
  }
}
