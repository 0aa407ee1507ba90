package dev.mcpbus.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Whether processes run, by their pids. */
public final class Pids {

  private Pids() {}

  /** A zombie, whose parent has not looked after it yet, runs no more. */
  public static boolean runs(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      char state = stat.charAt(stat.lastIndexOf(')') + 2);
      return state != 'Z' && state != 'X';
    } catch (IOException gone) {
      return false;
    }
  }

  public static List<Long> running(List<Long> pids) {
    return pids.stream().filter(Pids::runs).toList();
  }

  /** From a text of numbers with blanks between them. */
  public static List<Long> of(String text) {
    return Stream.of(text.trim().split("\\s+")).map(Long::valueOf).toList();
  }

  /** Sends a signal by its name, such as {@code STOP}. */
  public static void signal(String name, long pid) {
    try {
      int code = new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor();
      if (code != 0) {
        throw new AssertionError("kill -" + name + " " + pid + " gave " + code);
      }
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
