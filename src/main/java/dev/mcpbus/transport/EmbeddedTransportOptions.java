package dev.mcpbus.transport;

/**
 * A transport that the embedding program has created itself: an in-memory pair, an SDK client
 * transport, or its own class.
 */
public record EmbeddedTransportOptions(Transport transport) implements TransportOptions {

  public static final String TYPE = "provided";

  @Override
  public String type() {
    return TYPE;
  }

  /** What the transport itself says that it is. */
  public String kind() {
    return transport.type();
  }
}
