package dev.mcpbus.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;

/**
 * Writes what was seen as comma-separated values: a row for each time, a column for each figure.
 */
final class SoakReport {

  private SoakReport() {}

  static void write(Path file, List<Observation> all) {
    TreeSet<String> classes = new TreeSet<>();
    all.forEach(
        one ->
            one.objects().counts().keySet().stream()
                .filter(name -> name.startsWith("dev.mcpbus."))
                .forEach(classes::add));
    List<String> lines = new ArrayList<>();
    lines.add(
        "seconds,operations,heapBytes,objects,threads,handles,children,residentKB,p99Millis,"
            + "medianMillis,serverSessions,"
            + String.join(",", classes));
    for (Observation one : all) {
      StringBuilder line = new StringBuilder();
      line.append(
          String.format(
              Locale.ROOT,
              "%.1f,%d,%d,%d,%d,%d,%d,%d,%.2f,%.2f,%d",
              one.seconds(),
              one.work(),
              one.objects().bytes(),
              one.objects().own(),
              one.threads(),
              one.handles(),
              one.children(),
              one.residentKilobytes(),
              one.p99Millis(),
              one.medianMillis(),
              one.sessions()));
      classes.forEach(
          name -> line.append(',').append(one.objects().counts().getOrDefault(name, 0L)));
      lines.add(line.toString());
    }
    try {
      Files.write(file, lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
