package dev.mcpbus.observability.metrics;

import io.micrometer.core.instrument.Tags;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What the connections to one server have in common: its timers, the names that it has brought into
 * labels, and the sums of connections that have ended. Any thread may call.
 */
final class ServerMeters {

  /** Tools and prompts of one server that have series of their own. */
  static final int MAX_ITEMS = 50;

  private static final int MAX_CODES = 20;

  /** Principals of one server that have series of their own. */
  private static final int MAX_PRINCIPALS = 100;

  private final OperationTimers timers;
  private final String server;
  private final BoundedNames items = new BoundedNames(MAX_ITEMS, "other");
  private final BoundedNames codes = new BoundedNames(MAX_CODES, OperationLabels.OTHER);
  private final Set<ConnectionMeters> connections = ConcurrentHashMap.newKeySet();
  private final Set<OperationTimers.Series> own = new HashSet<>();
  private final Map<ConnectionMeters.Count, Long> retired =
      new EnumMap<>(ConnectionMeters.Count.class);
  private final BoundedNames principals = new BoundedNames(MAX_PRINCIPALS, "other");

  /** Requests of connections that have ended, by the label of the principal. */
  private final Map<String, Long> callers = new HashMap<>();

  private boolean closed;

  ServerMeters(OperationTimers timers, String server) {
    this.timers = timers;
    this.server = server;
  }

  String server() {
    return server;
  }

  BoundedNames items() {
    return items;
  }

  BoundedNames codes() {
    return codes;
  }

  /** The connections of this moment. */
  Set<ConnectionMeters> connections() {
    return connections;
  }

  /** The timer with these labels and the server's; null after the end of the server. */
  synchronized @Nullable DurationHistogram timer(String name, Tags labels) {
    if (closed) {
      return null;
    }
    OperationTimers.Series series = OperationTimers.series(name, labels.and("server", server));
    own.add(series);
    return timers.timer(series);
  }

  synchronized void add(ConnectionMeters connection) {
    connections.add(connection);
  }

  /** Removes a connection, and keeps what it has counted. True if there is none left. */
  synchronized boolean remove(ConnectionMeters connection) {
    if (connections.remove(connection)) {
      for (ConnectionMeters.Count count : ConnectionMeters.Count.values()) {
        retired.merge(count, connection.get(count), Long::sum);
      }
      addCaller(callers, connection);
    }
    return connections.isEmpty();
  }

  /** The server has no connection any more: its timers go. */
  synchronized void close() {
    closed = true;
    own.forEach(timers::remove);
    own.clear();
  }

  /** A count of all connections that there were. */
  synchronized long total(ConnectionMeters.Count count) {
    return retired.getOrDefault(count, 0L) + sum(connection -> connection.get(count));
  }

  private void addCaller(Map<String, Long> all, ConnectionMeters connection) {
    String principal = connection.facts().principal();
    if (principal != null) {
      long requests = connection.get(ConnectionMeters.Count.CALLER_REQUESTS);
      all.merge(principals.label(principal), requests, Long::sum);
    }
  }

  /** Requests in the name of each principal, where the server acts for its callers. */
  synchronized Map<String, Long> callers() {
    Map<String, Long> all = new HashMap<>(callers);
    connections.forEach(one -> addCaller(all, one));
    return all;
  }

  /** A sum over the connections of this moment. */
  long sum(ToLongFunction<ConnectionMeters> of) {
    return connections.stream().mapToLong(of).sum();
  }
}
