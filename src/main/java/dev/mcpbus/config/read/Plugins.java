package dev.mcpbus.config.read;

import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.security.oauth.TokenStoreProvider;
import dev.mcpbus.supervisor.ConnectionStrategy;
import dev.mcpbus.transport.BuiltInTransport;
import dev.mcpbus.transport.TransportProvider;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The plug-ins of one kind on the class path, by name. Loaded once per process, at the first use. A
 * plug-in that cannot be loaded is logged and left out; the others work. Safe on every thread.
 */
public final class Plugins<T> {

  private static final Logger LOG = LoggerFactory.getLogger(Plugins.class);

  /** Loading stops after this many failures. */
  private static final int MAX_FAILURES = 100;

  private final Map<String, T> byName = new TreeMap<>();
  private final List<String> broken = new ArrayList<>();

  private Plugins() {}

  private static final class Transports {
    static final Plugins<TransportProvider> ALL =
        load(TransportProvider.class, TransportProvider::type, ServerTypeResolver.RESERVED);

    static {
      BuiltInTransport.all().forEach(ALL::with);
    }
  }

  private static final class Strategies {
    static final Plugins<ConnectionStrategy> ALL =
        load(ConnectionStrategy.class, ConnectionStrategy::name, List.of())
            .with(ConnectionStrategy.CONFIGURED.name(), ConnectionStrategy.CONFIGURED);
  }

  private static final class TokenStores {
    static final Plugins<TokenStoreProvider> ALL =
        load(
                TokenStoreProvider.class,
                TokenStoreProvider::name,
                List.of(
                    TokenStoreProvider.FILE.name(),
                    TokenStoreProvider.CLUSTER.name(),
                    TokenStoreProvider.MEMORY.name()))
            .with(TokenStoreProvider.CLUSTER.name(), TokenStoreProvider.CLUSTER)
            .with(TokenStoreProvider.FILE.name(), TokenStoreProvider.FILE)
            .with(TokenStoreProvider.MEMORY.name(), TokenStoreProvider.MEMORY);
  }

  private static final class Names {
    static final Plugins<NamePolicy> ALL =
        load(NamePolicy.class, NamePolicy::name, List.of(NamePolicy.DOTTED.name()))
            .with(NamePolicy.DOTTED.name(), NamePolicy.DOTTED);
  }

  /** All transports by type: plug-ins, and the built-in ones. */
  public static Plugins<TransportProvider> transports() {
    return Transports.ALL;
  }

  public static Plugins<ConnectionStrategy> connectionStrategies() {
    return Strategies.ALL;
  }

  public static Plugins<TokenStoreProvider> tokenStores() {
    return TokenStores.ALL;
  }

  public static Plugins<NamePolicy> namePolicies() {
    return Names.ALL;
  }

  private static <T> Plugins<T> load(
      Class<T> kind, Function<T, String> name, Collection<String> taken) {
    return load(kind, name, taken, Plugins.class.getClassLoader());
  }

  /**
   * @param taken names that a plug-in cannot have
   */
  static <T> Plugins<T> load(
      Class<T> kind,
      Function<T, String> name,
      Collection<String> taken,
      @Nullable ClassLoader loader) {
    Plugins<T> plugins = new Plugins<>();
    Iterator<ServiceLoader.Provider<T>> found =
        ServiceLoader.load(kind, loader).stream().iterator();
    while (plugins.broken.size() < MAX_FAILURES) {
      String from = "a provider of " + kind.getSimpleName();
      try {
        if (!found.hasNext()) {
          break;
        }
        ServiceLoader.Provider<T> provider = found.next();
        from = provider.type().getName();
        T plugin = provider.get();
        plugins.add(name.apply(plugin), plugin, taken);
      } catch (ServiceConfigurationError | RuntimeException | LinkageError e) {
        plugins.failed(from, e);
      }
    }
    return plugins;
  }

  private void add(String name, T plugin, Collection<String> taken) {
    if (name.isBlank()) {
      throw new IllegalStateException("it has an empty name");
    }
    if (taken.contains(name) || byName.putIfAbsent(name, plugin) != null) {
      throw new IllegalStateException("the name \"" + name + "\" is taken already");
    }
  }

  /** Reports the plug-in's own exception instead of the loader's wrapper. */
  private void failed(String from, Throwable failure) {
    Throwable cause =
        failure instanceof ServiceConfigurationError && failure.getCause() != null
            ? failure.getCause()
            : failure;
    broken.add(from + " (" + cause.getClass().getSimpleName() + ": " + cause.getMessage() + ")");
    LOG.error("cannot load plug-in {}; mcpbus runs without it", from, failure);
  }

  private Plugins<T> with(String name, T plugin) {
    byName.put(name, plugin);
    return this;
  }

  /** The plug-in with this name, if it was loaded. */
  public Optional<T> find(String name) {
    return Optional.ofNullable(byName.get(name));
  }

  Collection<T> all() {
    return byName.values();
  }

  /** The remedy for an unknown name. */
  String remedy(Collection<String> builtIn) {
    List<String> known = new ArrayList<>(builtIn);
    byName.keySet().stream().filter(name -> !builtIn.contains(name)).forEach(known::add);
    return "Use one of "
        + String.join(", ", known)
        + (broken.isEmpty() ? "" : "; could not be loaded: " + String.join(", ", broken));
  }
}
