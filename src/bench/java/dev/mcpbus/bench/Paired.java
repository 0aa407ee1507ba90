package dev.mcpbus.bench;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Two builds under the same load, in short turns: what else the machine does hits both turns of a
 * pair alike. Each pair of processes gives one ratio, the median over its pairs of turns; a row
 * shows the middle of these ratios and how far they spread, since two processes of one build differ
 * as well.
 */
public final class Paired {

  /** How many pairs of processes each row is made of. */
  public static final int PAIRS = 5;

  /** How many pairs of turns each pair of processes has. */
  public static final int TURNS = 24;

  /** How long a turn is. */
  public static final int TURN_MILLIS = 300;

  /** A build that is compared. */
  public enum Side {
    BEFORE,
    NOW
  }

  private record Ratio(double speed, double cpu) {}

  private final Map<String, List<Ratio>> rows = new LinkedHashMap<>();

  /**
   * @param before one row for each turn of one process: {@code perSecond}, {@code cpuMicros}
   * @param now the same of the other build's
   */
  public void add(String label, List<JsonObject> before, List<JsonObject> now) {
    Ratio ratio = new Ratio(ratio(before, now, "perSecond"), ratio(before, now, "cpuMicros"));
    rows.computeIfAbsent(label, first -> new ArrayList<>()).add(ratio);
    System.err.printf(
        Locale.ROOT,
        "bench: %s: %,.0f -> %,.0f calls/s, %.2f -> %.2f us of CPU%n",
        label,
        Results.median(before, "perSecond"),
        Results.median(now, "perSecond"),
        Results.median(before, "cpuMicros"),
        Results.median(now, "cpuMicros"));
  }

  /** Lets two workers take their turns, and adds the row. */
  void measure(String label, WorkerProcess before, WorkerProcess now, boolean quick)
      throws IOException {
    before.closed(Plan.JUDGED, quick ? 300 : 5_000);
    now.closed(Plan.JUDGED, quick ? 300 : 5_000);
    List<JsonObject> ofBefore = new ArrayList<>();
    List<JsonObject> ofNow = new ArrayList<>();
    long millis = quick ? 100 : TURN_MILLIS;
    for (int turn = 0; turn < (quick ? 2 : TURNS); turn++) {
      if (turn % 2 == 0) {
        ofBefore.add(before.closed(Plan.JUDGED, millis));
        ofNow.add(now.closed(Plan.JUDGED, millis));
      } else {
        ofNow.add(now.closed(Plan.JUDGED, millis));
        ofBefore.add(before.closed(Plan.JUDGED, millis));
      }
    }
    add(label, ofBefore, ofNow);
  }

  /** Writes the table. */
  public void print() {
    System.out.printf(
        Locale.ROOT,
        "%nNow, as a part of before; middle, least and most of the pairs of processes.%n%n"
            + "%-46s %8s %15s %8s %15s%n",
        "",
        "calls/s",
        "",
        "CPU",
        "");
    rows.forEach(
        (label, ratios) ->
            System.out.printf(
                Locale.ROOT,
                "%-46s %7.3fx %15s %7.3fx %15s%n",
                label,
                Results.median(ratios.stream().mapToDouble(Ratio::speed)),
                spread(ratios, Ratio::speed),
                Results.median(ratios.stream().mapToDouble(Ratio::cpu)),
                spread(ratios, Ratio::cpu)));
  }

  private static double ratio(List<JsonObject> before, List<JsonObject> now, String member) {
    return Results.median(
        IntStream.range(0, before.size())
            .mapToDouble(i -> now.get(i).getDouble(member) / before.get(i).getDouble(member)));
  }

  private static String spread(List<Ratio> ratios, ToDoubleFunction<Ratio> value) {
    DoubleSummaryStatistics all = ratios.stream().mapToDouble(value).summaryStatistics();
    return String.format(Locale.ROOT, "%.3f-%.3f", all.getMin(), all.getMax());
  }
}
