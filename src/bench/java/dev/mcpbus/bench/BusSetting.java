package dev.mcpbus.bench;

import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.transport.TransportOptions;
import io.vertx.core.VertxOptions;

/**
 * How the bus is measured.
 *
 * @param connections how many are open
 * @param called how many of them get calls, in turn
 * @param raw {@code Buffer} calls, else {@code JsonObject}
 * @param eventLoops with one, caller and connection share it, as the callers of the bare client do
 * @param version what is spoken with the server
 */
record BusSetting(
    TransportOptions server,
    int connections,
    int called,
    boolean raw,
    int eventLoops,
    ProtocolVersion version) {

  /** One connection of the {@code initialize} era, {@code Buffer} calls. */
  static BusSetting of(TransportOptions server) {
    return new BusSetting(
        server,
        1,
        1,
        true,
        VertxOptions.DEFAULT_EVENT_LOOP_POOL_SIZE,
        ProtocolVersion.LATEST_INITIALIZE);
  }

  BusSetting modern() {
    return new BusSetting(
        server, connections, called, raw, eventLoops, ProtocolVersion.LATEST_DISCOVER);
  }

  BusSetting json() {
    return new BusSetting(server, connections, called, false, eventLoops, version);
  }

  BusSetting many(int open, int turns) {
    return new BusSetting(server, open, turns, raw, eventLoops, version);
  }

  BusSetting onOneLoop() {
    return new BusSetting(server, connections, called, raw, 1, version);
  }
}
