package dev.mcpbus.observability.metrics;

import io.micrometer.core.instrument.Tags;
import org.jspecify.annotations.Nullable;

/** The labels that say how two peers of MCP are connected. Immutable. */
record TransportLabels(String network, String protocol) {

  static final TransportLabels HTTP = new TransportLabels("tcp", "http");

  /**
   * The labels of a connection.
   *
   * @param type of the transport, as the configuration writes it
   * @param place of the server
   */
  static TransportLabels of(String type, String place) {
    return switch (type) {
      case "stdio" -> new TransportLabels("pipe", "");
      case "http", "sse" -> HTTP;
      case "socket" -> new TransportLabels(place.startsWith("unix") ? "unix" : "tcp", "");
      default -> new TransportLabels("", "");
    };
  }

  Tags tags(@Nullable String version) {
    return Tags.of(
        "mcp.protocol.version",
        version == null ? "" : version,
        "network.transport",
        network,
        "network.protocol.name",
        protocol);
  }
}
