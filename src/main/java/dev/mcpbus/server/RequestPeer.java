package dev.mcpbus.server;

import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.ProtocolVersion;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.NavigableSet;
import org.jspecify.annotations.Nullable;

/**
 * The client that sent a request: one value for a whole session in the {@code initialize} era, one
 * for each request in the {@code discover} era.
 *
 * @param logLevel the least urgent log level that a request of the {@code discover} era subscribes
 *     to, null for no log messages
 */
record RequestPeer(
    ProtocolVersion version,
    Implementation client,
    JsonObject capabilities,
    @Nullable LogLevel logLevel) {

  boolean isDiscover() {
    return version.era() == Era.DISCOVER;
  }

  /**
   * Chooses the client's version if it is one of these of the {@code initialize} era, else the
   * newest of them.
   */
  static RequestPeer ofInitialize(JsonObject params, NavigableSet<ProtocolVersion> spoken) {
    NavigableSet<ProtocolVersion> ours = spoken.headSet(ProtocolVersion.LATEST_DISCOVER, false);
    ProtocolVersion version =
        ProtocolVersion.ofWire(String.valueOf(params.getValue("protocolVersion")))
            .filter(ours::contains)
            .orElseGet(ours::last);
    return new RequestPeer(
        version,
        Implementation.of(object(params, "clientInfo")),
        object(params, "capabilities"),
        null);
  }

  /**
   * Reads the {@code _meta} of a request of the {@code discover} era.
   *
   * @throws RequestException -32022 if the version is not supported, -32602 if the capabilities are
   *     missing
   */
  static RequestPeer ofMeta(JsonObject meta, NavigableSet<ProtocolVersion> spoken) {
    String wanted = String.valueOf(meta.getValue(MetaKeys.PROTOCOL_VERSION));
    ProtocolVersion version =
        ProtocolVersion.ofWire(wanted)
            .filter(known -> known.era() == Era.DISCOVER && spoken.contains(known))
            .orElseThrow(() -> unsupported(wanted, spoken));
    if (!(meta.getValue(MetaKeys.CLIENT_CAPABILITIES) instanceof JsonObject capabilities)) {
      throw RequestException.invalid(
          "params._meta needs the object \"" + MetaKeys.CLIENT_CAPABILITIES + "\"; {} is enough");
    }
    Object level = meta.getValue(MetaKeys.LOG_LEVEL);
    return new RequestPeer(
        version,
        Implementation.of(object(meta, MetaKeys.CLIENT_INFO)),
        capabilities,
        level == null ? null : LogLevel.ofWire(level.toString()).orElse(null));
  }

  /** The versions as written in messages. */
  static JsonArray wire(NavigableSet<ProtocolVersion> versions) {
    return new JsonArray(versions.stream().map(ProtocolVersion::wire).toList());
  }

  private static RequestException unsupported(String wanted, NavigableSet<ProtocolVersion> spoken) {
    return new RequestException(
        JsonRpcError.UNSUPPORTED_VERSION,
        "protocol version \"" + wanted + "\" is not supported; use one of data.supported",
        new JsonObject().put("supported", wire(spoken)).put("requested", wanted));
  }

  static JsonObject object(JsonObject json, String key) {
    return json.getValue(key) instanceof JsonObject object ? object : new JsonObject();
  }
}
