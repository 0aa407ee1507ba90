package dev.mcpbus.server;

import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.ProtocolVersion;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * Who asks: of a whole session in the legacy era, of one request in the modern one.
 *
 * @param logLevel what a modern request wants to hear of, null for nothing
 */
record RequestPeer(
    ProtocolVersion version,
    Implementation client,
    JsonObject capabilities,
    @Nullable LogLevel logLevel) {

  boolean isModern() {
    return version.era() == Era.DISCOVER;
  }

  /** Settles on the client's version where it is one of the era, else on our newest. */
  static RequestPeer ofInitialize(JsonObject params) {
    ProtocolVersion version =
        ProtocolVersion.ofWire(String.valueOf(params.getValue("protocolVersion")))
            .filter(known -> known.era() == Era.INITIALIZE)
            .orElse(ProtocolVersion.LATEST_INITIALIZE);
    return new RequestPeer(
        version,
        Implementation.of(object(params, "clientInfo")),
        object(params, "capabilities"),
        null);
  }

  /**
   * Reads what a request says of itself.
   *
   * @throws RequestException -32022 or -32602
   */
  static RequestPeer ofMeta(JsonObject meta) {
    String wanted = String.valueOf(meta.getValue(MetaKeys.PROTOCOL_VERSION));
    ProtocolVersion version =
        ProtocolVersion.ofWire(wanted)
            .filter(known -> known.era() == Era.DISCOVER)
            .orElseThrow(() -> unsupported(wanted));
    if (!(meta.getValue(MetaKeys.CLIENT_CAPABILITIES) instanceof JsonObject capabilities)) {
      throw RequestException.invalid(
          "params._meta needs the object \"" + MetaKeys.CLIENT_CAPABILITIES + "\"; {} will do");
    }
    Object level = meta.getValue(MetaKeys.LOG_LEVEL);
    return new RequestPeer(
        version,
        Implementation.of(object(meta, MetaKeys.CLIENT_INFO)),
        capabilities,
        level == null ? null : LogLevel.ofWire(level.toString()).orElse(null));
  }

  private static RequestException unsupported(String wanted) {
    return new RequestException(
        JsonRpcError.UNSUPPORTED_VERSION,
        "protocol version \"" + wanted + "\" is not spoken here; use one that is in data.supported",
        new JsonObject()
            .put("supported", new JsonArray(ProtocolVersion.supported()))
            .put("requested", wanted));
  }

  static JsonObject object(JsonObject json, String key) {
    return json.getValue(key) instanceof JsonObject object ? object : new JsonObject();
  }
}
