package dev.mcpbus.protocol;

import io.vertx.core.json.JsonObject;

/**
 * What a server said of itself in the handshake.
 *
 * @param protocolVersion as the server wrote it, not yet checked; empty where absent
 * @param capabilities as sent, unknown ones included; empty where absent
 * @param serverInfo the server's name and version
 * @param raw the whole result: {@code instructions}, icons, {@code _meta}
 */
public record InitializeResult(
    String protocolVersion, JsonObject capabilities, Implementation serverInfo, JsonObject raw) {

  public static InitializeResult of(RawJson result) {
    JsonObject json = result.toJsonObject();
    Object version = json.getValue("protocolVersion");
    return new InitializeResult(
        version instanceof String text ? text : "",
        json.getValue("capabilities") instanceof JsonObject object ? object : new JsonObject(),
        json.getValue("serverInfo") instanceof JsonObject object
            ? Implementation.of(object)
            : new Implementation("", ""),
        json);
  }

  /** True where the capability was offered, whatever its value. */
  public boolean offers(String capability) {
    return capabilities.containsKey(capability);
  }
}
