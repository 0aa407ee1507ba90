package dev.mcpbus.ai;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.function.Consumer;

/**
 * Options of the vendors' formats, and what the formats changed for them. Of one request; confined
 * to its context.
 *
 * @param strict OpenAI only: requests strict arguments, with the schema rewritten for it, for each
 *     schema that has a strict form
 * @param serverIds adds {@code _serverId} to every tool; vendors refuse unknown members, so remove
 *     it before sending
 * @param shaped the changes of schemas by the name of the function
 */
record FunctionOptions(boolean strict, boolean serverIds, JsonObject shaped) {

  /** Changes that are told of one function. */
  private static final int MAX_CHANGES = 20;

  FunctionOptions(boolean strict, boolean serverIds) {
    this(strict, serverIds, new JsonObject());
  }

  /** Gets the changes of one tool's schema. */
  Consumer<String> changes(ModelTool tool) {
    return change -> {
      JsonArray known = shaped.getJsonArray(tool.name(), new JsonArray());
      if (known.size() < MAX_CHANGES && !known.contains(change)) {
        shaped.put(tool.name(), known.add(change));
      }
    };
  }
}
