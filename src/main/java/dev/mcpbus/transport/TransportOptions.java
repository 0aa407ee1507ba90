package dev.mcpbus.transport;

/** The options of one kind of transport; what a configuration file's server entry is read into. */
public interface TransportOptions {

  /** The configuration's {@code type}. */
  String type();
}
