package dev.mcpbus.soak;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/**
 * Whether something grows with the work done. The slope is Theil and Sen's: the median of the
 * slopes between all pairs of observations, which one odd observation does not move.
 *
 * @param name of the class, or of the figure
 * @param perThousand operations
 * @param first at the first observation that counts
 * @param last at the last
 */
record Growth(String name, double perThousand, double first, double last) {

  /**
   * What may grow.
   *
   * @param objectsPerThousand instances of one class per 1,000 operations
   * @param objects instances of one class in all, however little was done
   * @param bytesPerOperation of heap
   * @param bytes of heap in all
   * @param figures threads, handles, children, sessions in all
   * @param others whether classes that are not ours count as well: not where so little was done
   *     that what the connections of this moment hold is more than a leak
   */
  record Tolerance(
      double objectsPerThousand,
      double objects,
      double bytesPerOperation,
      double bytes,
      double figures,
      boolean others) {}

  /** Classes that fill up to a bound of their own, and why that is no leak. */
  private static final Map<String, Long> BOUNDED =
      Map.ofEntries(
          // The last 1,024 events and the last 1,024 messages of the RPC log, for readers that
          // return.
          Map.entry("dev.mcpbus.bridge.EventRing$StoredEvent", 2_048L),
          // Some 5,000 from the start on, and the last 10,000 calls that have reached their clients
          // (CallRepeats).
          Map.entry("java.util.LinkedHashMap$Entry", 16_000L),
          // Some 6,500 from the start on, and for each session the calls without an answer of the
          // server, 1,024 at most (MessageOwners), by their ids.
          Map.entry("java.util.HashMap$Node", 16_000L),
          Map.entry("java.lang.Long", 10_000L),
          Map.entry("io.netty.util.internal.RefCnt", 3_000L),
          Map.entry("io.vertx.core.buffer.impl.BufferImpl", 3_000L),
          Map.entry("io.vertx.core.buffer.impl.VertxUnsafeHeapByteBuf", 3_000L));

  /** All that grew beyond the tolerance, the fastest first. */
  static List<Growth> beyond(List<Observation> all, Tolerance tolerance) {
    List<Growth> found = new ArrayList<>();
    TreeSet<String> classes = new TreeSet<>();
    all.forEach(one -> classes.addAll(one.objects().counts().keySet()));
    classes.removeIf(name -> !tolerance.others() && !name.startsWith("dev.mcpbus."));
    for (String name : classes) {
      Growth growth = of(name, all, one -> count(one, name));
      boolean bounded = growth.last() <= BOUNDED.getOrDefault(name, 0L);
      if (!bounded
          && growth.isBeyond(tolerance.objectsPerThousand(), tolerance.objects())
          && lasts(all, one -> count(one, name))) {
        found.add(growth);
      }
    }
    found.sort(Comparator.comparingDouble(Growth::perThousand).reversed());
    figures()
        .forEach(
            (name, figure) -> {
              Growth growth = of(name, all, figure);
              if (growth.isBeyond(0.2, tolerance.figures()) && lasts(all, figure)) {
                found.add(growth);
              }
            });
    Growth heap = of("bytes of heap", all, one -> one.objects().bytes());
    if (heap.isBeyond(tolerance.bytesPerOperation() * 1_000, tolerance.bytes())
        && lasts(all, one -> one.objects().bytes())) {
      found.add(heap);
    }
    return found;
  }

  /**
   * What is there after all has ended, and was not there at first. Something can stay without
   * growing with the work: where a bound stopped it.
   *
   * @param most instances of our own classes, those of the rings left out
   */
  static List<Growth> kept(Observation fresh, Observation last, long most) {
    if (ownButRings(last) - ownButRings(fresh) <= most) {
      return List.of();
    }
    return last.objects().counts().keySet().stream()
        .filter(name -> name.startsWith("dev.mcpbus.") && !BOUNDED.containsKey(name))
        .map(name -> new Growth(name, 0, count(fresh, name), count(last, name)))
        .filter(one -> one.last() - one.first() > 10)
        .sorted(Comparator.comparingDouble(one -> one.first() - one.last()))
        .limit(12)
        .toList();
  }

  /** Instances of our own classes but those that fill up to a bound. */
  static long ownButRings(Observation one) {
    long rings =
        BOUNDED.keySet().stream()
            .filter(name -> name.startsWith("dev.mcpbus."))
            .mapToLong(name -> (long) count(one, name))
            .sum();
    return one.objects().own() - rings;
  }

  private static Map<String, ToDoubleFunction<Observation>> figures() {
    Map<String, ToDoubleFunction<Observation>> figures = new LinkedHashMap<>();
    figures.put("threads", Observation::threads);
    figures.put("handles", Observation::handles);
    figures.put("children", Observation::children);
    figures.put("sessions at our servers", Observation::sessions);
    return figures;
  }

  private static double count(Observation one, String name) {
    return one.objects().counts().getOrDefault(name, 0L);
  }

  private boolean isBeyond(double slope, double total) {
    return perThousand > slope && last - first > total;
  }

  /**
   * True where it still grows at the end: what fills up to a bound has stopped by then. The last
   * observation is above all of the first half.
   */
  private static boolean lasts(List<Observation> all, ToDoubleFunction<Observation> value) {
    double last = value.applyAsDouble(all.get(all.size() - 1));
    double before = value.applyAsDouble(all.get(Math.max(0, all.size() - 2)));
    double first = value.applyAsDouble(all.get(0));
    double mean = (last - first) / Math.max(1, all.size() - 1);
    return last - before > mean / 4
        && all.subList(0, (all.size() + 1) / 2).stream()
            .allMatch(one -> value.applyAsDouble(one) < last);
  }

  static Growth of(String name, List<Observation> all, ToDoubleFunction<Observation> value) {
    List<Double> slopes = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      for (int j = i + 1; j < all.size(); j++) {
        double work = all.get(j).work() - all.get(i).work();
        if (work > 0) {
          double grown = value.applyAsDouble(all.get(j)) - value.applyAsDouble(all.get(i));
          slopes.add(grown / work * 1_000);
        }
      }
    }
    return new Growth(
        name,
        median(slopes.stream().mapToDouble(Double::doubleValue)),
        value.applyAsDouble(all.get(0)),
        value.applyAsDouble(all.get(all.size() - 1)));
  }

  static double median(DoubleStream values) {
    double[] sorted = values.sorted().toArray();
    if (sorted.length == 0) {
      return 0;
    }
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1
        ? sorted[middle]
        : Arrays.stream(sorted, middle - 1, middle + 1).average().orElse(0);
  }

  /** Our own classes by name; those of libraries that they hold are counted. */
  static String summary(List<Growth> grown) {
    List<Growth> own = grown.stream().filter(one -> !one.isOfLibrary()).toList();
    List<Growth> others = grown.stream().filter(Growth::isOfLibrary).toList();
    StringBuilder text = new StringBuilder();
    own.forEach(one -> text.append("\n    ").append(one));
    others.stream().limit(own.isEmpty() ? 12 : 4).forEach(one -> text.append("\n    ").append(one));
    if (others.size() > 4) {
      text.append("\n    ").append(others.size()).append(" classes of libraries in all");
    }
    return text.toString();
  }

  private boolean isOfLibrary() {
    return name.indexOf('.') >= 0 && !name.startsWith("dev.mcpbus.");
  }

  @Override
  public String toString() {
    return perThousand == 0
        ? String.format("%s: %.0f -> %.0f", name, first, last)
        : String.format(
            "%s: +%.1f per 1,000 operations, %.0f -> %.0f", name, perThousand, first, last);
  }
}
