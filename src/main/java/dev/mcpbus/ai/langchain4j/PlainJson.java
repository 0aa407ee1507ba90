package dev.mcpbus.ai.langchain4j;

import io.vertx.core.json.JsonObject;
import java.util.Map;

/** JSON as maps and lists all the way down, which the framework can keep in a chat memory. */
final class PlainJson {

  private PlainJson() {}

  static Map<String, Object> map(JsonObject json) {
    // Decoded anew: a message of the bus has JSON objects inside.
    return new JsonObject(json.toBuffer()).getMap();
  }
}
