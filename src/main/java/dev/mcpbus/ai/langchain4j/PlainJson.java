package dev.mcpbus.ai.langchain4j;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/**
 * Converts JSON to plain maps, lists and values at every level, which the framework can store in a
 * chat memory. Stateless.
 */
final class PlainJson {

  private PlainJson() {}

  static Object value(Object json) {
    // A copy, as a message of the bus has JSON objects inside.
    if (json instanceof JsonObject object) {
      return new JsonObject(object.toBuffer()).getMap();
    }
    return json instanceof JsonArray array ? new JsonArray(array.toBuffer()).getList() : json;
  }
}
