package dev.mcpbus.transport;

import dev.mcpbus.protocol.Sensitive;
import java.util.Collection;
import java.util.List;

/** The options of one kind of transport; what a configuration file's server entry is read into. */
public interface TransportOptions {

  /** The configuration's {@code type}. */
  String type();

  /** What is taken out of all texts about the server: values of variables, of headers. */
  default Collection<Sensitive> secrets() {
    return List.of();
  }
}
