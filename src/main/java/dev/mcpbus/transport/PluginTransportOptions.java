package dev.mcpbus.transport;

import dev.mcpbus.protocol.Sensitive;
import java.util.Collection;

/**
 * The options of a transport of a plug-in, with the provider that creates it.
 *
 * @param provider one instance per process
 * @param options the options that the provider has read from the entry
 */
public record PluginTransportOptions(TransportProvider provider, TransportOptions options)
    implements TransportOptions {

  @Override
  public String type() {
    return provider.type();
  }

  @Override
  public Collection<Sensitive> secrets() {
    return options.secrets();
  }

  /** Shows the type alone: the plug-in's own text may hold a secret. */
  @Override
  public String toString() {
    return type();
  }
}
