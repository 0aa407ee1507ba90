package dev.mcpbus.transport;

/**
 * A server that lives behind an event-bus address.
 *
 * @param address where the server waits for connections
 */
public record BusOptions(String address) implements TransportOptions {

  public static final String TYPE = "bus";

  @Override
  public String type() {
    return TYPE;
  }

  /** Leaves all out that may hold a secret. */
  @Override
  public String toString() {
    return TYPE;
  }
}
