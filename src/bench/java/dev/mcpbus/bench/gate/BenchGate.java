package dev.mcpbus.bench.gate;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Measures each row, again where it costs more than its budget, and fails if the lowest of all
 * times is still above. Arguments: the directory of the fixtures, and {@code --quick} for a smoke
 * test without a verdict.
 */
final class BenchGate {

  private static final Path BUDGET = Path.of("src/bench/budget.json");

  /** How often a row that is above its budget is measured once more. */
  private static final int MORE = 5;

  private BenchGate() {}

  public static void main(String[] args) throws Exception {
    Path directory = Path.of(args[0]);
    boolean quick = List.of(args).contains("--quick");
    Budget budget = Budget.read(new JsonObject(Files.readString(BUDGET)));
    Map<GateRow, GateFigures> lowest = new EnumMap<>(GateRow.class);
    Set<GateRow> rows = EnumSet.allOf(GateRow.class);
    for (int round = 0; round <= MORE && !rows.isEmpty(); round++) {
      measure(rows, directory, quick, lowest);
      if (quick) {
        break;
      }
      rows = budget.over(lowest);
    }
    print(budget, lowest, directory);
    if (!quick && fails(budget, lowest)) {
      System.exit(1);
    }
  }

  private static void measure(
      Set<GateRow> rows, Path directory, boolean quick, Map<GateRow, GateFigures> lowest)
      throws IOException, InterruptedException {
    try (GateRun run = new GateRun(directory, quick)) {
      run.measure(rows)
          .forEach(
              (row, figures) -> {
                System.err.println("bench: " + row.key() + " " + figures.values());
                lowest.merge(row, figures, GateFigures::lower);
              });
    }
  }

  private static void print(Budget budget, Map<GateRow, GateFigures> lowest, Path directory)
      throws IOException {
    List<String> lines = new ArrayList<>();
    System.out.printf("%n%-16s %-8s %12s %12s %8s%n", "", "", "measured", "budget", "");
    lowest.forEach(
        (row, figures) ->
            Objects.requireNonNull(budget.rows().get(row))
                .values()
                .forEach(
                    (name, allowed) -> {
                      double value = Objects.requireNonNull(figures.values().get(name));
                      System.out.printf(
                          Locale.ROOT,
                          "%-16s %-8s %12s %12s %+7.1f%%%n",
                          row.key(),
                          name,
                          Budget.text(value),
                          Budget.text(allowed),
                          100 * (value / allowed - 1));
                      lines.add(
                          new JsonObject()
                              .put("row", row.key())
                              .put("figure", name)
                              .put("value", value)
                              .put("budget", allowed)
                              .encode());
                    }));
    Files.write(directory.resolve("gate.jsonl"), lines, StandardCharsets.UTF_8);
  }

  private static boolean fails(Budget budget, Map<GateRow, GateFigures> lowest) {
    List<String> violations = new ArrayList<>();
    lowest.forEach(
        (row, figures) -> {
          budget.spare(row, figures).forEach(line -> System.out.println("NOTE " + line));
          violations.addAll(budget.violations(row, figures));
        });
    violations.forEach(line -> System.out.println("FAIL " + line));
    return !violations.isEmpty();
  }
}
