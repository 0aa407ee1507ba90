package dev.mcpbus.transport.stdio;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Names this JVM in the environment of its children: PID namespace, pid, start time and a random
 * part. So a later JVM can tell whether the one that a process belonged to is dead.
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

  /** True where {@code run} is of our PID namespace, and its JVM does not run any more. */
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

  /** Clock ticks since boot, or null where there is no such process. */
  private static @Nullable String startTime(String pid) {
    try {
      String stat = Files.readString(Path.of("/proc", pid, "stat"), StandardCharsets.ISO_8859_1);
      // The name in parentheses may hold anything; 19 fields follow it before the start time.
      return stat.substring(stat.lastIndexOf(')') + 2).split(" ", 21)[19];
    } catch (IOException | IndexOutOfBoundsException e) {
      return null;
    }
  }
}
