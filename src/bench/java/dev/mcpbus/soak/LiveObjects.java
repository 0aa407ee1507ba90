package dev.mcpbus.soak;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What lived in a heap after a collection.
 *
 * @param bytes of all objects
 * @param counts instances by class, of the classes whose growth is somebody's work
 */
record LiveObjects(long bytes, Map<String, Long> counts) {

  private static final Pattern LINE =
      Pattern.compile("\\s*\\d+:\\s+(\\d+)\\s+(\\d+)\\s+([^\\s]+).*");
  private static final Pattern TOTAL = Pattern.compile("Total\\s+(\\d+)\\s+(\\d+)\\s*");

  static LiveObjects parse(Stream<String> lines) {
    Map<String, Long> counts = new TreeMap<>();
    long[] bytes = {0};
    lines.forEach(
        line -> {
          Matcher total = TOTAL.matcher(line);
          Matcher one = LINE.matcher(line);
          if (total.matches()) {
            bytes[0] = Long.parseLong(total.group(2));
          } else if (one.matches() && isCounted(one.group(3))) {
            counts.merge(stable(one.group(3)), Long.parseLong(one.group(1)), Long::sum);
          }
        });
    if (bytes[0] == 0) {
      throw new IllegalStateException("jcmd gave no histogram; is the service still running?");
    }
    return new LiveObjects(bytes[0], counts);
  }

  /** Of the JDK what things pile up in: a text or a number that is kept for ever lies in one. */
  private static final Set<String> CELLS =
      Set.of(
          "java.util.HashMap$Node",
          "java.util.LinkedHashMap$Entry",
          "java.util.TreeMap$Entry",
          "java.util.LinkedList$Node",
          "java.util.concurrent.ConcurrentHashMap$Node",
          "java.util.concurrent.ConcurrentSkipListMap$Node",
          "java.util.concurrent.ConcurrentLinkedQueue$Node",
          "java.util.concurrent.ConcurrentLinkedDeque$Node",
          "java.util.concurrent.LinkedBlockingQueue$Node",
          "java.util.concurrent.ScheduledThreadPoolExecutor$ScheduledFutureTask",
          "java.util.concurrent.CompletableFuture");

  private static boolean isCounted(String name) {
    return CELLS.contains(name)
        || name.startsWith("dev.mcpbus.")
        || name.startsWith("io.vertx.")
        || name.startsWith("io.netty.")
        || name.startsWith("reactor.")
        || name.startsWith("io.modelcontextprotocol.")
        || name.startsWith("sun.nio.ch.")
        || name.startsWith("java.util.TimerTask")
        || name.equals("java.lang.Thread")
        || name.equals("java.lang.Process");
  }

  /**
   * Lambdas are numbered by the order in which they were first met: one name for all of a class.
   */
  private static String stable(String name) {
    int lambda = name.indexOf("$$Lambda");
    return lambda < 0 ? name : name.substring(0, lambda) + "$$Lambda";
  }

  /** Instances of our own classes. */
  long own() {
    return counts.entrySet().stream()
        .filter(entry -> entry.getKey().startsWith("dev.mcpbus."))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }
}
