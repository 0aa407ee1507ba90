package dev.mcpbus.observability.metrics;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What a child process uses, from {@code /proc/<pid>/stat}. Reads a file: not for event loops.
 *
 * @param cpuSeconds since the process has started, in user and kernel mode
 * @param residentBytes its memory now
 */
record ChildUsage(double cpuSeconds, long residentBytes) {

  /** Linux gives times to programs in hundredths of a second, on every architecture. */
  private static final double TICKS = 100;

  private static final long PAGE = 4_096;

  // The fields of proc(5), counted from 1; those behind the name of the program.
  private static final int UTIME = 14;
  private static final int STIME = 15;
  private static final int RSS = 24;
  private static final int FIRST = 3;

  /** Null if there is no such process, or no {@code /proc}. */
  static @Nullable ChildUsage of(long pid) {
    try {
      Path stat = Path.of("/proc", Long.toString(pid), "stat");
      return parse(Files.readString(stat, StandardCharsets.ISO_8859_1));
    } catch (IOException gone) {
      return null;
    }
  }

  /** The name of the program stands in brackets and may hold blanks and brackets itself. */
  static @Nullable ChildUsage parse(String stat) {
    String[] fields = stat.substring(stat.lastIndexOf(')') + 1).trim().split(" ", -1);
    if (fields.length <= RSS - FIRST) {
      return null;
    }
    try {
      long ticks = Long.parseLong(fields[UTIME - FIRST]) + Long.parseLong(fields[STIME - FIRST]);
      return new ChildUsage(ticks / TICKS, Long.parseLong(fields[RSS - FIRST]) * PAGE);
    } catch (NumberFormatException odd) {
      return null;
    }
  }
}
