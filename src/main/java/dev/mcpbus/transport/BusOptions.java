package dev.mcpbus.transport;

import dev.mcpbus.protocol.Sensitive;

/**
 * A server behind an event-bus address.
 *
 * @param address where the server listens for connections
 */
public record BusOptions(Sensitive address) implements TransportOptions {

  public static final String TYPE = "bus";

  public BusOptions(String address) {
    this(Sensitive.of(address));
  }

  @Override
  public String type() {
    return TYPE;
  }
}
