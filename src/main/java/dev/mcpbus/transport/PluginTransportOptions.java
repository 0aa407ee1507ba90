package dev.mcpbus.transport;

import dev.mcpbus.protocol.Sensitive;
import java.util.Collection;

/**
 * The options of a transport that is not built in, with what makes it.
 *
 * @param provider one instance per process
 * @param options what it read of the entry
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

  /** The plug-in may not know what must not be shown. */
  @Override
  public String toString() {
    return type();
  }
}
