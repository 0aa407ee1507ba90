package dev.mcpbus.ai;

import dev.mcpbus.bus.ToolName;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * A tool as models see it. Immutable; its JSON is never changed.
 *
 * @param name its routing name, or the name that the program gives it
 * @param tool the server and the tool to which calls are sent; the server is empty for the two
 *     tools that list and read resources
 * @param definition the server's own definition with all members; the description is the program's
 *     where it gives one
 * @param schema of the arguments, an object schema; the caller's override if there is one
 */
@PublicApi
public record ModelTool(String name, ToolName tool, JsonObject definition, JsonObject schema) {

  /** What the server says about the tool's behaviour, such as {@code readOnlyHint}; or empty. */
  public JsonObject annotations() {
    return object("annotations");
  }

  /** The tool's {@code _meta}; or empty. */
  public JsonObject meta() {
    return object("_meta");
  }

  private JsonObject object(String key) {
    return definition.getValue(key) instanceof JsonObject known ? known : new JsonObject();
  }

  /** The text for the model: the description, else the title. */
  public @Nullable String description() {
    for (Object text :
        new Object[] {
          definition.getValue("description"),
          definition.getValue("title"),
          annotations().getValue("title")
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
