package dev.mcpbus.ai.langchain4j;

import io.vertx.core.json.JsonObject;
import java.util.Map;

/**
 * Converts JSON to plain maps and lists at every level, which the framework can store in a chat
 * memory. Stateless.
 */
final class PlainJson {

  private PlainJson() {}

  static Map<String, Object> map(JsonObject json) {
    // A copy, as a message of the bus has JSON objects inside.
    return new JsonObject(json.toBuffer()).getMap();
  }
}
