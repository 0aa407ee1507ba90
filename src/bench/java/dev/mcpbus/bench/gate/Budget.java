package dev.mcpbus.bench.gate;

import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * What each row may cost.
 *
 * @param tolerance by the name of the figure: how much more than the budget is none, as a part of
 *     it
 * @param rows the budgets
 */
record Budget(GateFigures tolerance, Map<GateRow, GateFigures> rows) {

  /** Below the budget by more than this part of it, and than the tolerance, it should go down. */
  private static final double SPARE = 0.1;

  Budget {
    rows = Map.copyOf(rows);
  }

  /**
   * @throws IllegalArgumentException where a row or the tolerance of a figure is missing, or one is
   *     there that is not measured
   */
  static Budget read(JsonObject json) {
    GateFigures tolerance = GateFigures.read(json.getJsonObject("tolerance", new JsonObject()));
    JsonObject budgets = json.getJsonObject("rows", new JsonObject());
    Map<GateRow, GateFigures> rows = new EnumMap<>(GateRow.class);
    for (GateRow row : GateRow.values()) {
      JsonObject one = budgets.getJsonObject(row.key());
      if (one == null) {
        throw new IllegalArgumentException("there is no row \"" + row.key() + "\"");
      }
      GateFigures figures = GateFigures.read(one);
      if (!tolerance.values().keySet().containsAll(figures.values().keySet())) {
        throw new IllegalArgumentException("a figure of \"" + row.key() + "\" has no tolerance");
      }
      rows.put(row, figures);
    }
    if (budgets.size() != rows.size()) {
      throw new IllegalArgumentException("there is a row that is not measured");
    }
    return new Budget(tolerance, rows);
  }

  /** The rows that cost too much. */
  Set<GateRow> over(Map<GateRow, GateFigures> measured) {
    Set<GateRow> over = EnumSet.noneOf(GateRow.class);
    measured.forEach(
        (row, figures) -> {
          if (!violations(row, figures).isEmpty()) {
            over.add(row);
          }
        });
    return over;
  }

  /** A sentence for each figure of the row that is above its budget. */
  List<String> violations(GateRow row, GateFigures measured) {
    List<String> all = new ArrayList<>();
    budget(row)
        .forEach(
            (figure, budget) -> {
              double value = figure(row, measured, figure);
              if (value > budget * (1 + figure(row, tolerance, figure))) {
                all.add(
                    String.format(
                        Locale.ROOT,
                        "%s: %s is %s, the budget is %s (%+.1f %%). Take it back, or raise"
                            + " src/bench/budget.json in the same commit and say why.",
                        row.key(),
                        figure,
                        text(value),
                        text(budget),
                        100 * (value / budget - 1)));
              }
            });
    return all;
  }

  /** A sentence for each figure that is far below. */
  List<String> spare(GateRow row, GateFigures measured) {
    List<String> all = new ArrayList<>();
    budget(row)
        .forEach(
            (figure, budget) -> {
              double value = figure(row, measured, figure);
              if (value < budget * (1 - Math.max(SPARE, figure(row, tolerance, figure)))) {
                all.add(
                    row.key()
                        + ": "
                        + figure
                        + " is "
                        + text(value)
                        + ", the budget is "
                        + text(budget)
                        + ". Lower it, so that nobody else spends what was saved.");
              }
            });
    return all;
  }

  private Map<String, Double> budget(GateRow row) {
    return Objects.requireNonNull(rows.get(row)).values();
  }

  private static double figure(GateRow row, GateFigures figures, String name) {
    Double value = figures.values().get(name);
    if (value == null) {
      throw new IllegalStateException(row.key() + " has no figure \"" + name + "\"");
    }
    return value;
  }

  static String text(double value) {
    return String.format(Locale.ROOT, value < 100 ? "%.3f" : "%,.0f", value);
  }
}
