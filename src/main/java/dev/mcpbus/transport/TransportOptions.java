package dev.mcpbus.transport;

import java.util.Collection;
import java.util.List;

/** The options of one kind of transport; what a configuration file's server entry is read into. */
public interface TransportOptions {

  /** The configuration's {@code type}. */
  String type();

  /** Values that must never be shown: of environment variables, of headers. */
  default Collection<String> secrets() {
    return List.of();
  }
}
