package dev.mcpbus.protocol;

import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * What a server states about itself in {@code initialize} or in {@code server/discover}.
 *
 * @param protocolVersion as the server wrote it, not yet checked; empty if absent
 * @param capabilities as sent, unknown ones included; empty if absent
 * @param serverInfo the server's name and version
 * @param instructions how to use the server, null if absent
 * @param raw the whole result, as the server wrote it
 */
public record ServerDescription(
    String protocolVersion,
    JsonObject capabilities,
    Implementation serverInfo,
    @Nullable String instructions,
    RawJson raw) {

  /** Reads the result of {@code initialize}. */
  public static ServerDescription ofInitialize(RawJson result) {
    JsonObject json = result.toJsonObject();
    Object version = json.getValue("protocolVersion");
    return new ServerDescription(
        version instanceof String wire ? wire : "",
        json.getValue("capabilities") instanceof JsonObject object ? object : new JsonObject(),
        json.getValue("serverInfo") instanceof JsonObject object
            ? Implementation.of(object)
            : new Implementation("", ""),
        json.getValue("instructions") instanceof String text ? text : null,
        result);
  }

  /**
   * Reads the result of {@code server/discover}.
   *
   * @param version the version that mcpbus has chosen from {@code supportedVersions}
   */
  public static ServerDescription ofDiscover(RawJson result, ProtocolVersion version) {
    JsonObject json = result.toJsonObject();
    JsonObject meta =
        json.getValue("_meta") instanceof JsonObject object ? object : new JsonObject();
    return new ServerDescription(
        version.wire(),
        json.getValue("capabilities") instanceof JsonObject object ? object : new JsonObject(),
        meta.getValue(MetaKeys.SERVER_INFO) instanceof JsonObject object
            ? Implementation.of(object)
            : new Implementation("", ""),
        json.getValue("instructions") instanceof String text ? text : null,
        result);
  }

  /** True if the server offers the capability, whatever its value. */
  public boolean offers(String capability) {
    return capabilities.containsKey(capability);
  }
}
