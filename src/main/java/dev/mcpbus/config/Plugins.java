package dev.mcpbus.config;

import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.security.oauth.TokenStoreProvider;
import dev.mcpbus.supervisor.ConnectionStrategy;
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
 * What the class path offers of one kind, by name. Loaded once per process, at the first question;
 * one that cannot be loaded is left out and told, the others are there. Safe from any thread.
 */
public final class Plugins<T> {

  private static final Logger LOG = LoggerFactory.getLogger(Plugins.class);

  /** A class path that fails more often than this is broken as a whole. */
  private static final int MOST_FAILURES = 100;

  private final Map<String, T> byName = new TreeMap<>();
  private final List<String> broken = new ArrayList<>();

  private Plugins() {}

  private static final class Transports {
    static final Plugins<TransportProvider> ALL =
        load(TransportProvider.class, TransportProvider::type, ServerTypeResolver.RESERVED);
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

  /** Transports beyond the built-in ones, by type. */
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
    while (plugins.broken.size() < MOST_FAILURES) {
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

  /** The reason is that of the plug-in, not that of the loader around it. */
  private void failed(String from, Throwable failure) {
    Throwable cause =
        failure instanceof ServiceConfigurationError && failure.getCause() != null
            ? failure.getCause()
            : failure;
    broken.add(from + " (" + cause.getClass().getSimpleName() + ": " + cause.getMessage() + ")");
    LOG.error("plug-in {} is left out", from, failure);
  }

  private Plugins<T> with(String name, T plugin) {
    byName.put(name, plugin);
    return this;
  }

  /** Empty where nothing of that name was loaded. */
  public Optional<T> find(String name) {
    return Optional.ofNullable(byName.get(name));
  }

  Collection<T> all() {
    return byName.values();
  }

  /** What a user can do who wrote an unknown name. */
  String remedy(Collection<String> builtIn) {
    List<String> known = new ArrayList<>(builtIn);
    byName.keySet().stream().filter(name -> !builtIn.contains(name)).forEach(known::add);
    return "Use one of "
        + String.join(", ", known)
        + (broken.isEmpty() ? "" : "; could not be loaded: " + String.join(", ", broken));
  }
}
