package dev.mcpbus.bench;

import io.vertx.core.json.JsonObject;
import java.util.Locale;

/**
 * One judgement.
 *
 * @param atLeast whether {@code value} must be at least, else at most, {@code target}
 */
public record Target(String name, double value, boolean atLeast, double target, String unit) {

  boolean reached() {
    return atLeast ? value >= target : value <= target;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%-4s %-62s %9.2f%s (%s %.2f)",
        reached() ? "PASS" : "FAIL",
        name,
        value,
        unit,
        atLeast ? "at least" : "at most",
        target);
  }

  public JsonObject toJson() {
    return new JsonObject()
        .put("row", "target")
        .put("name", name)
        .put("value", Math.round(value * 1_000) / 1_000.0)
        .put(atLeast ? "atLeast" : "atMost", target)
        .put("unit", unit)
        .put("reached", reached());
  }
}
