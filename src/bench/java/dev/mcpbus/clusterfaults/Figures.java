package dev.mcpbus.clusterfaults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What was measured, with median and worst beside what is wanted. */
final class Figures {

  private record Figure(double wanted, boolean isShare, List<Double> values) {

    /** The highest time, the lowest share. */
    double worst() {
      List<Double> sorted = values.stream().sorted().toList();
      return sorted.get(isShare ? 0 : sorted.size() - 1);
    }

    double median() {
      return values.stream().sorted().toList().get((values.size() - 1) / 2);
    }

    boolean isReached() {
      return isShare ? worst() >= wanted : worst() <= wanted;
    }
  }

  private final Map<String, Figure> figures = new LinkedHashMap<>();

  /**
   * @param wanted what it may last at most
   */
  void add(String name, Duration wanted, Duration value) {
    add(name + ", s", wanted.toMillis() / 1_000.0, false, value.toMillis() / 1_000.0);
  }

  /**
   * @param wanted percent, at least
   * @param value percent
   */
  void addShare(String name, double wanted, double value) {
    add(name + ", %", wanted, true, value);
  }

  private void add(String name, double wanted, boolean isShare, double value) {
    figures
        .computeIfAbsent(name, absent -> new Figure(wanted, isShare, new ArrayList<>()))
        .values
        .add(value);
  }

  /** Whether the worst of each is within what is wanted. */
  boolean areReached() {
    return figures.values().stream().allMatch(Figure::isReached);
  }

  void print() {
    if (figures.isEmpty()) {
      return;
    }
    System.out.printf("%-52s %5s %9s %9s %9s%n", "figure", "runs", "median", "worst", "wanted");
    figures.forEach(
        (name, figure) ->
            System.out.printf(
                Locale.ROOT,
                "%-52s %5d %9.2f %9.2f %9.2f  %s%n",
                name,
                figure.values.size(),
                figure.median(),
                figure.worst(),
                figure.wanted,
                figure.isReached() ? "ok" : "MISSED"));
  }

  static String seconds(Duration time) {
    return String.format(Locale.ROOT, "%.2f", time.toMillis() / 1000.0);
  }
}
