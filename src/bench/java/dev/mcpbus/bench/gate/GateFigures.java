package dev.mcpbus.bench.gate;

import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What one row costs, by the name of the figure: {@code bytes} that a call allocates, {@code cpu}
 * of a call as a part of what the reference needs for it, {@code heap} in bytes of an idle
 * connection.
 */
record GateFigures(Map<String, Double> values) {

  GateFigures {
    values = Map.copyOf(values);
  }

  static GateFigures read(JsonObject json) {
    Map<String, Double> values = new LinkedHashMap<>();
    json.fieldNames().forEach(name -> values.put(name, json.getDouble(name)));
    return new GateFigures(values);
  }

  /** The lower one of each: what else the machine does can only add. */
  GateFigures lower(GateFigures other) {
    Map<String, Double> lower = new LinkedHashMap<>(values);
    other.values.forEach((name, value) -> lower.merge(name, value, Math::min));
    return new GateFigures(lower);
  }
}
