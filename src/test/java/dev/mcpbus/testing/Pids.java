package dev.mcpbus.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
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

  /**
   * Those that work in {@code folder} or below it: a process there, and all that it has started,
   * also where they were started in sessions of their own and their parent has died.
   */
  public static List<Long> in(Path folder) {
    try (Stream<Path> all = Files.list(Path.of("/proc"))) {
      Path real = folder.toRealPath();
      return all.map(Path::getFileName)
          .map(Path::toString)
          .filter(name -> name.chars().allMatch(Character::isDigit))
          .map(Long::valueOf)
          .filter(pid -> worksIn(pid, real) && runs(pid))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean worksIn(long pid, Path folder) {
    try {
      return Files.readSymbolicLink(Path.of("/proc", Long.toString(pid), "cwd")).startsWith(folder);
    } catch (IOException gone) {
      return false;
    }
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
