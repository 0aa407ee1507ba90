package dev.mcpbus.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Compares pages and lists with the code, and says what to do about a difference. Stateless. */
public final class Compared {

  private Compared() {}

  /**
   * Fails where a file is not what a test makes of the code; with {@code -Dmcpbus.write=true} it
   * writes the file instead.
   *
   * @param test to run for that
   * @throws AssertionError with the first line that differs, and the command that writes the file
   */
  public static void page(Path page, String made, Class<?> test) throws IOException {
    if (Boolean.getBoolean("mcpbus.write")) {
      Files.writeString(page, made);
    }
    String there = Files.readString(page);
    if (there.equals(made)) {
      return;
    }
    List<String> is = there.lines().toList();
    List<String> wanted = made.lines().toList();
    int line = 0;
    while (line < Math.min(is.size(), wanted.size()) && is.get(line).equals(wanted.get(line))) {
      line++;
    }
    throw new AssertionError(
        page
            + " is not what the code says. This writes it:\n"
            + "  JAVA_TOOL_OPTIONS=-Dmcpbus.write=true src/scripts/test "
            + test.getSimpleName()
            + "\nLine "
            + (line + 1)
            + " is:     "
            + line(is, line)
            + "\nit should be: "
            + line(wanted, line));
  }

  private static String line(List<String> lines, int at) {
    return at < lines.size() ? lines.get(at) : "(the end)";
  }

  /**
   * Fails where two lists have not the same names, in whatever order.
   *
   * @param place where the names of {@code there} stand, for the message
   * @throws AssertionError with the names that are missing there, and those that are too many
   */
  public static void names(String place, Collection<String> there, Collection<String> wanted) {
    Set<String> missing = new TreeSet<>(wanted);
    missing.removeAll(there);
    Set<String> surplus = new TreeSet<>(there);
    surplus.removeAll(wanted);
    if (!missing.isEmpty() || !surplus.isEmpty()) {
      throw new AssertionError(
          place
              + (missing.isEmpty() ? "" : "\n  lacks " + missing)
              + (surplus.isEmpty() ? "" : "\n  has, and should not: " + surplus));
    }
  }
}
