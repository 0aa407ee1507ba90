package dev.mcpbus.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Finds the line in a program's output that says why the program failed, and what to do about it.
 * Programs often print it far above their last lines: Node.js prints the error, then a stack, then
 * its version. Stateless; any thread.
 */
public final class FailureLines {

  private static final int MAX_LINE = 300;
  private static final String CUT = "...";

  /**
   * @param line found in a line of output
   * @param remedy a clause without a full stop; empty if the line itself says enough
   */
  private record Sign(Pattern line, String remedy) {
    Sign(String regex, String remedy) {
      this(Pattern.compile(regex), remedy);
    }
  }

  /** A server that starts without a failure never reads the file. */
  private static final class Signs {
    /** The most specific first: the first sign with a line in the output wins. */
    static final List<Sign> ALL =
        ClueFile.rows("lines").stream()
            .map(row -> new Sign(row.getString("line"), row.getString("remedy")))
            .toList();
  }

  private FailureLines() {}

  /** The last line that matches the most specific sign; empty if no line tells more than others. */
  public static Optional<String> find(String output) {
    List<String> lines = output.lines().toList();
    return Signs.ALL.stream().flatMap(sign -> last(lines, sign).stream()).findFirst();
  }

  /** What a person can do about the telling line; empty if nothing is known to help. */
  public static String remedy(String output) {
    List<String> lines = output.lines().toList();
    return Signs.ALL.stream()
        .filter(sign -> last(lines, sign).isPresent())
        .findFirst()
        .map(Sign::remedy)
        .orElse("");
  }

  private static Optional<String> last(List<String> lines, Sign sign) {
    for (int i = lines.size() - 1; i >= 0; i--) {
      if (sign.line.matcher(cut(lines.get(i))).find()) {
        return Optional.of(cut(lines.get(i)));
      }
    }
    return Optional.empty();
  }

  /**
   * The last lines of {@code output}, at most {@code count} of up to 300 characters; where they
   * lack the telling line, that line and {@code ...} take the place of the first of them.
   *
   * @param count at least 3
   */
  public static String tail(String output, int count) {
    List<String> lines = output.strip().lines().map(FailureLines::cut).toList();
    List<String> tail = lines.subList(Math.max(0, lines.size() - count), lines.size());
    Optional<String> telling = find(output).filter(line -> !tail.contains(line));
    if (telling.isEmpty()) {
      return String.join("\n", tail);
    }
    List<String> shown = new ArrayList<>(List.of(telling.get(), CUT));
    shown.addAll(tail.subList(2, tail.size()));
    return String.join("\n", shown);
  }

  /** The first lines of {@code output}, at most {@code count} of up to 300 characters. */
  public static String head(String output, int count) {
    return String.join("\n", output.strip().lines().limit(count).map(FailureLines::cut).toList());
  }

  private static String cut(String line) {
    String text = line.stripTrailing();
    return text.length() > MAX_LINE ? text.substring(0, MAX_LINE) + CUT : text;
  }
}
