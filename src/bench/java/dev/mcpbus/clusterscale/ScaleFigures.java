package dev.mcpbus.clusterscale;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What was measured, with median and worst beside what is wanted. Less is better for all. */
final class ScaleFigures {

  private record Figure(String unit, double wanted, List<Double> values) {
    double worst() {
      return values.stream().max(Comparator.naturalOrder()).orElse(0.0);
    }

    double median() {
      return values.stream().sorted().toList().get((values.size() - 1) / 2);
    }
  }

  private final Map<String, Figure> figures = new LinkedHashMap<>();

  void add(String name, String unit, double wanted, double value) {
    System.out.printf(Locale.ROOT, "  %s: %.2f %s%n", name, value, unit);
    figures
        .computeIfAbsent(name, absent -> new Figure(unit, wanted, new ArrayList<>()))
        .values()
        .add(value);
  }

  /** Whether the worst of each is within what is wanted. */
  boolean areReached() {
    return figures.values().stream().allMatch(figure -> figure.worst() <= figure.wanted());
  }

  void print() {
    System.out.printf(
        "%-48s %-6s %5s %9s %9s %9s%n", "figure", "unit", "runs", "median", "worst", "wanted");
    figures.forEach(
        (name, figure) ->
            System.out.printf(
                Locale.ROOT,
                "%-48s %-6s %5d %9.2f %9.2f %9.2f  %s%n",
                name,
                figure.unit(),
                figure.values().size(),
                figure.median(),
                figure.worst(),
                figure.wanted(),
                figure.worst() <= figure.wanted() ? "ok" : "MISSED"));
  }
}
