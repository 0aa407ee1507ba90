package dev.mcpbus.observability.metrics;

import dev.mcpbus.protocol.Printable;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The names of one kind that may stand in labels: the first {@code max} that come, and {@code
 * other} for all later ones. Servers choose the names, and each is a series. Any thread may call.
 */
final class BoundedNames {

  private static final int MAX_LENGTH = 128;

  private final int max;
  private final String rest;
  private final Map<String, String> known = new ConcurrentHashMap<>();

  /**
   * @param rest stands for all names beyond {@code max}, and for those that are too long
   */
  BoundedNames(int max, String rest) {
    this.max = max;
    this.rest = rest;
  }

  /** The label for {@code name}: printable, at most 128 characters. */
  String label(String name) {
    String label = known.get(name);
    if (label != null) {
      return label;
    }
    if (name.length() > MAX_LENGTH || known.size() >= max) {
      return rest;
    }
    return known.computeIfAbsent(name, Printable::line);
  }

  /** Whether {@code name} has a label of its own. */
  boolean has(String name) {
    return known.containsKey(name);
  }
}
