package dev.mcpbus.clusterfaults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What was measured, with median and worst beside what is wanted. */
final class Figures {

  private record Figure(Duration wanted, List<Duration> values) {}

  private final Map<String, Figure> figures = new LinkedHashMap<>();

  void add(String name, Duration wanted, Duration value) {
    figures
        .computeIfAbsent(name, absent -> new Figure(wanted, new ArrayList<>()))
        .values
        .add(value);
  }

  /** Whether the worst of each is within what is wanted. */
  boolean areReached() {
    return figures.values().stream().allMatch(Figures::isReached);
  }

  private static boolean isReached(Figure figure) {
    return worst(figure.values).compareTo(figure.wanted) <= 0;
  }

  private static Duration worst(List<Duration> values) {
    return values.stream().max(Duration::compareTo).orElse(Duration.ZERO);
  }

  private static Duration median(List<Duration> values) {
    List<Duration> sorted = values.stream().sorted().toList();
    return sorted.get((sorted.size() - 1) / 2);
  }

  void print() {
    if (figures.isEmpty()) {
      return;
    }
    System.out.printf(
        "%-52s %5s %9s %9s %9s%n", "figure (seconds)", "runs", "median", "worst", "wanted");
    figures.forEach(
        (name, figure) ->
            System.out.printf(
                "%-52s %5d %9s %9s %9s  %s%n",
                name,
                figure.values.size(),
                seconds(median(figure.values)),
                seconds(worst(figure.values)),
                seconds(figure.wanted),
                isReached(figure) ? "ok" : "MISSED"));
  }

  static String seconds(Duration time) {
    return String.format(Locale.ROOT, "%.2f", time.toMillis() / 1000.0);
  }
}
