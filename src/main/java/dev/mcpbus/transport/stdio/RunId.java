package dev.mcpbus.transport.stdio;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Identifies this JVM in the environment of its children: PID namespace, pid, start time and a
 * random part. With it a later JVM detects whether the JVM of a process is dead. Immutable.
 */
final class RunId {

  static final String VARIABLE = "MCPBUS_RUN";

  static final String SELF =
      namespace()
          + "-"
          + ProcessHandle.current().pid()
          + "-"
          + startTime("self")
          + "-"
          + UUID.randomUUID();

  private RunId() {}

  /** True if {@code run} belongs to our PID namespace and its JVM no longer runs. */
  static boolean isDead(String run) {
    String[] parts = run.split("-", 4);
    if (parts.length < 4 || parts[0].equals("0") || !parts[0].equals(namespace())) {
      return false;
    }
    String started = startTime(parts[1]);
    return started == null || !started.equals(parts[2]);
  }

  private static String namespace() {
    try {
      return Files.readSymbolicLink(Path.of("/proc/self/ns/pid"))
          .toString()
          .replaceAll("[^0-9]", "");
    } catch (IOException | UnsupportedOperationException e) {
      return "0";
    }
  }

  /** The start time in clock ticks since boot, or null if there is no such process. */
  static @Nullable String startTime(String pid) {
    try {
      String stat = Files.readString(Path.of("/proc", pid, "stat"), StandardCharsets.ISO_8859_1);
      // The name in parentheses may contain anything; 19 fields stand between it and the start
      // time.
      return stat.substring(stat.lastIndexOf(')') + 2).split(" ", 21)[19];
    } catch (IOException | IndexOutOfBoundsException e) {
      return null;
    }
  }
}
