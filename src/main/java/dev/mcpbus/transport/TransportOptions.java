package dev.mcpbus.transport;

import dev.mcpbus.protocol.PublicApi;
import dev.mcpbus.protocol.Sensitive;
import java.util.Collection;
import java.util.List;

/** The options of one kind of transport, read from a server's entry in the configuration. */
@PublicApi
public interface TransportOptions {

  /** The value of {@code type} in the configuration. */
  String type();

  /**
   * The secrets that are removed from all texts about the server: those in values of variables and
   * of headers.
   */
  default Collection<Sensitive> secrets() {
    return List.of();
  }
}
