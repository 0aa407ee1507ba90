package dev.mcpbus.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Renders problems as text for people, for {@code --check} and for the start. Plain ASCII, but for
 * the names of servers, which have their letters.
 */
public final class ConfigReport {

  private ConfigReport() {}

  /** {@link #lines}, and a last line with their number and their effect on a start. */
  public static String render(Collection<ConfigProblem> problems) {
    return lines(problems) + count(problems) + '\n';
  }

  /**
   * Two lines for each problem: the place in a form that editors understand with the message, then
   * the remedy; between them the line of a syntax error. Sorted by file and line, fatal problems of
   * a file first; these are marked where others stand beside them. Ends with a line break.
   */
  public static String lines(Collection<ConfigProblem> problems) {
    Map<String, List<ConfigProblem>> files =
        problems.stream()
            .collect(
                Collectors.groupingBy(
                    ConfigProblem::file, LinkedHashMap::new, Collectors.toList()));
    boolean mixed = problems.stream().map(ConfigProblem::fatal).distinct().count() > 1;
    StringBuilder out = new StringBuilder();
    files
        .values()
        .forEach(
            found ->
                found.stream()
                    .sorted(
                        Comparator.comparing(ConfigProblem::fatal)
                            .reversed()
                            .thenComparingInt(ConfigProblem::line))
                    .map(
                        one ->
                            mixed && one.fatal() ? one.withMessage("fatal: " + one.message()) : one)
                    .forEach(problem -> append(out, problem)));
    return out.toString();
  }

  /**
   * The first lines of a report with two lines for each problem, as {@link #render} or {@link
   * #notes} writes it, for a start that goes on: at most {@code most} problems, then how to see the
   * others.
   */
  public static String first(String report, int most) {
    List<String> lines = report.lines().toList();
    int shown = 2 * most;
    if (lines.size() <= shown + 2) {
      return report;
    }
    return String.join("\n", lines.subList(0, shown))
        + "\nand "
        + (lines.size() - shown) / 2
        + " more: mcpbus check\n"
        + (lines.size() % 2 == 0 ? "" : lines.get(lines.size() - 1) + "\n");
  }

  /** Ignored settings in the form of {@link #lines}, each marked as a warning. */
  public static String notes(Collection<ConfigProblem> notes) {
    return lines(
        notes.stream().map(note -> note.withMessage("warning: " + note.message())).toList());
  }

  private static void append(StringBuilder out, ConfigProblem problem) {
    out.append(MessageTexts.ascii(problem.place())).append(": ");
    String server = problem.server();
    if (server != null) {
      out.append("server ").append(MessageTexts.name(server)).append(": ");
    }
    out.append(MessageTexts.ascii(problem.message())).append('\n');
    problem
        .excerpt()
        .lines()
        .forEach(line -> out.append("      ").append(MessageTexts.ascii(line)).append('\n'));
    out.append("    ").append(MessageTexts.ascii(problem.remedy())).append('\n');
  }

  private static String count(Collection<ConfigProblem> problems) {
    if (problems.isEmpty()) {
      return "No problems.";
    }
    long fatal = problems.stream().filter(ConfigProblem::fatal).count();
    long servers =
        problems.stream()
            .filter(problem -> !problem.fatal() && problem.server() != null)
            .map(problem -> problem.file() + "\n" + problem.server())
            .distinct()
            .count();
    String total = problems.size() + (problems.size() == 1 ? " problem: " : " problems: ");
    return total
        + (fatal > 0
            ? fatal + (fatal == 1 ? " is" : " are") + " fatal, so nothing is started."
            : servers + (servers == 1 ? " server is" : " servers are") + " left out.");
  }
}
