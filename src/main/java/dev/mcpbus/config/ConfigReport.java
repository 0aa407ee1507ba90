package dev.mcpbus.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Renders problems as text for people, for {@code --check} and for the start. Plain ASCII. */
public final class ConfigReport {

  private ConfigReport() {}

  /** {@link #lines}, and a last line with their number and their effect on a start. */
  public static String render(Collection<ConfigProblem> problems) {
    return lines(problems) + count(problems) + '\n';
  }

  /**
   * Two lines for each problem, sorted by file and line: the place in a form that editors
   * understand with the message, then the remedy. Ends with a line break.
   */
  public static String lines(Collection<ConfigProblem> problems) {
    Map<String, List<ConfigProblem>> files =
        problems.stream()
            .collect(
                Collectors.groupingBy(
                    ConfigProblem::file, LinkedHashMap::new, Collectors.toList()));
    StringBuilder out = new StringBuilder();
    files
        .values()
        .forEach(
            found ->
                found.stream()
                    .sorted(Comparator.comparingInt(ConfigProblem::line))
                    .forEach(problem -> append(out, problem)));
    return out.toString();
  }

  /** Ignored settings in the form of {@link #lines}, each marked as a warning. */
  public static String notes(Collection<ConfigProblem> notes) {
    return lines(
        notes.stream()
            .map(
                note ->
                    new ConfigProblem(
                        note.file(),
                        note.line(),
                        note.server(),
                        "warning: " + note.message(),
                        note.remedy(),
                        false))
            .toList());
  }

  private static void append(StringBuilder out, ConfigProblem problem) {
    out.append(MessageTexts.ascii(problem.file()));
    if (problem.line() > 0) {
      out.append(':').append(problem.line());
    }
    out.append(": ");
    String server = problem.server();
    if (server != null) {
      out.append("server ").append(MessageTexts.quote(server)).append(": ");
    }
    out.append(MessageTexts.ascii(problem.message())).append('\n');
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
            ? fatal + " fatal, nothing is started."
            : servers + (servers == 1 ? " server is" : " servers are") + " left out.");
  }
}
