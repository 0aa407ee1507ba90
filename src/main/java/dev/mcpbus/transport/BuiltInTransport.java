package dev.mcpbus.transport;

import io.vertx.core.Vertx;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;

/**
 * A kind of transport that mcpbus brings along: a {@link TransportProvider} as a plug-in has one,
 * found in {@code META-INF/services/dev.mcpbus.transport.BuiltInTransport}. Its names and schemes
 * are reserved. Needs a public constructor without parameters. Immutable.
 */
public abstract class BuiltInTransport implements TransportProvider {

  private final String type;
  private final String key;
  private final Set<String> names;
  private final Set<String> schemes;

  /**
   * @param type the {@code type} of an entry, in lower case
   * @param key the key without which an entry of this type is not complete; its settings stand
   *     beside it, and the configuration reads them. Empty if they are in {@code "options"}, and
   *     {@link #options} reads them
   * @param names other programs' words for the type, in lower case
   * @param schemes URL schemes that select the type if an entry has none, in lower case
   */
  protected BuiltInTransport(String type, String key, Set<String> names, Set<String> schemes) {
    this.type = type;
    this.key = key;
    this.names = names;
    this.schemes = schemes;
  }

  /** All built-in transports by their type, in the order of the file that lists them. */
  public static Map<String, BuiltInTransport> all() {
    return LoadedTransports.ALL;
  }

  /** Loads when it is asked for: a subclass that loads must not wait for its superclass. */
  private static final class LoadedTransports {
    static final Map<String, BuiltInTransport> ALL = load();

    private static Map<String, BuiltInTransport> load() {
      Map<String, BuiltInTransport> all = new LinkedHashMap<>();
      ServiceLoader.load(BuiltInTransport.class, BuiltInTransport.class.getClassLoader())
          .forEach(found -> all.put(found.type(), found));
      return Collections.unmodifiableMap(all);
    }
  }

  @Override
  public String type() {
    return type;
  }

  /** The key that makes an entry complete; empty if the settings are in {@code "options"}. */
  public String key() {
    return key;
  }

  /** Other programs' words for the type. */
  public Set<String> names() {
    return names;
  }

  @Override
  public Set<String> schemes() {
    return schemes;
  }

  @Override
  public TransportOptions options(Settings settings) {
    throw new UnsupportedOperationException("the configuration reads \"" + key + "\" itself");
  }

  @Override
  public Transport create(Vertx vertx, TransportOptions options) {
    return create(vertx, options, AuthenticatorFactory.NONE);
  }

  /**
   * Creates the transport for options of this type; opens nothing yet.
   *
   * @param authenticators makes the authenticator that the options name
   * @throws IllegalArgumentException if the options cannot be used; the message names the part and
   *     the remedy, never a secret
   */
  public abstract Transport create(
      Vertx vertx, TransportOptions options, AuthenticatorFactory authenticators);
}
