package dev.mcpbus.transport;

/**
 * A transport that the embedding program made itself: an in-memory pair, an SDK client transport, a
 * class of its own.
 */
public record EmbeddedTransportOptions(Transport transport) implements TransportOptions {

  public static final String TYPE = "provided";

  @Override
  public String type() {
    return TYPE;
  }
}
