package dev.mcpbus.cluster.engine;

import com.hazelcast.config.ClassFilter;
import com.hazelcast.config.JavaSerializationFilterConfig;
import io.vertx.core.Vertx;
import java.util.List;

/**
 * The classes that another member may make this process create by Java serialization. The maps and
 * messages of mcpbus need none: they hold text, numbers and buffers, which Hazelcast and Vert.x
 * write in forms of their own. Hazelcast's own messages need a few, above all failures.
 */
final class SerializationFilter {

  /** Packages, each without its sub-packages. */
  private static final List<String> PACKAGES =
      List.of("java.lang", "java.math", "java.time", "java.util.concurrent");

  private static final List<String> CLASSES =
      List.of(
          "java.io.EOFException",
          "java.io.IOException",
          "java.net.Inet4Address",
          "java.net.Inet6Address",
          "java.net.InetAddress",
          "java.net.InetSocketAddress",
          "java.util.AbstractCollection",
          "java.util.AbstractList",
          "java.util.AbstractMap",
          "java.util.AbstractSet",
          "java.util.ArrayList",
          "java.util.Arrays$ArrayList",
          "java.util.Collections$EmptyList",
          "java.util.Collections$SingletonList",
          "java.util.Collections$UnmodifiableCollection",
          "java.util.Collections$UnmodifiableList",
          "java.util.Collections$UnmodifiableRandomAccessList",
          "java.util.HashMap",
          "java.util.HashSet",
          "java.util.LinkedHashMap",
          "java.util.LinkedHashSet",
          "java.util.LinkedList",
          "java.util.UUID");

  private static final List<String> PREFIXES =
      List.of("com.hazelcast.", "io.vertx.spi.cluster.hazelcast.impl.", "[");

  private SerializationFilter() {}

  /** The filter for Hazelcast; it replaces the one in its configuration. */
  static JavaSerializationFilterConfig hazelcast() {
    ClassFilter allowed = new ClassFilter();
    PACKAGES.forEach(allowed::addPackages);
    CLASSES.forEach(allowed::addClasses);
    PREFIXES.forEach(allowed::addPrefixes);
    return new JavaSerializationFilterConfig().setDefaultsDisabled(true).setWhitelist(allowed);
  }

  /**
   * Forbids Java serialization in messages of the event bus, where Vert.x allows a few classes, and
   * classes that a message names.
   */
  static void close(Vertx vertx) {
    vertx.eventBus().serializableChecker(name -> false).clusterSerializableChecker(name -> false);
  }
}
