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
public final class TellingLines {

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

  /** The most specific first: the first sign with a line in the output wins. */
  private static final List<Sign> SIGNS =
      List.of(
          new Sign(
              "(ENOTEMPTY|EEXIST|Cannot find (module|package)).*_npx",
              "npx has left a half-filled folder: delete the folder _npx/HASH that the line names,"
                  + " and start the server again"),
          new Sign(
              "Cannot find (module|package) ",
              "install the server's packages, or correct the path in \"args\""),
          new Sign(
              "ModuleNotFoundError: |ImportError: ",
              "install the Python package, or name the python of its environment in \"command\""),
          new Sign(
              "npm (ERR!|error).* (is not in (this|the npm) registry|404 Not Found)",
              "npm knows no such package: correct its name in \"args\""),
          new Sign(
              "npm (ERR!|error).*(could not determine executable|ENOVERSIONS|ETARGET)",
              "the npm package has no such program or version: correct its name in \"args\""),
          new Sign(
              "not found in the package registry|No solution found when resolving",
              "no such Python package: correct its name in \"args\""),
          new Sign(
              "Unable to access jarfile|Could not find or load main class",
              "correct the path in \"args\"; relative paths start at \"cwd\""),
          new Sign("UnsupportedClassVersionError", "name a newer java in \"command\""),
          new Sign(
              "can't open file |Cannot open file|Could not open input file",
              "correct the path in \"args\"; relative paths start at \"cwd\""),
          new Sign("Cannot connect to the Docker daemon", "start Docker"),
          new Sign(
              "(docker|podman):.*(pull access denied|manifest unknown|No such image)",
              "correct the image's name in \"args\""),
          new Sign(
              "EADDRINUSE|[Aa]ddress already in use",
              "the program opens a port that another process has: end that one, or give this one"
                  + " another port"),
          new Sign(
              "ENOTFOUND|EAI_AGAIN|[Nn]ame or service not known|[Tt]emporary failure in name"
                  + " resolution",
              "check the network, or the host's name"),
          new Sign(
              "^env: .*: No such file",
              "the first line of the script names a program that is not on PATH: install it, or"
                  + " set PATH in \"env\""),
          new Sign(
              "\\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\\b.*(required|missing|not set|must be set|not provided"
                  + "|undefined)|([Mm]issing|[Rr]equired|[Pp]lease (set|provide)|must (set|provide))"
                  + ".*\\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\\b",
              "set the variable in \"env\": a server does not get the variables of mcpbus"),
          new Sign("error while loading shared libraries", "install the library"),
          new Sign(
              "^mcpbus: .* has no #! line",
              "the command is no program and was run as a shell script: correct \"command\", or"
                  + " begin the script with #!"),
          new Sign(
              "^\\S+: ((line )?\\d+: )?.*: (command )?not found$",
              "a program is missing: install it, or set PATH in \"env\""),
          new Sign("^(panic|fatal|FATAL)[: ]", ""),
          new Sign("^(Uncaught )?([\\w$.]+\\.)?\\w*(Error|Exception)( \\[\\w+\\])?: .", ""),
          new Sign("^Exception in thread ", ""),
          new Sign("^([Ee]rror|ERROR)[: ]", ""));

  private TellingLines() {}

  /** The last line that matches the most specific sign; empty if no line tells more than others. */
  public static Optional<String> find(String output) {
    List<String> lines = output.lines().toList();
    return SIGNS.stream().flatMap(sign -> last(lines, sign).stream()).findFirst();
  }

  /** What a person can do about the telling line; empty if nothing is known to help. */
  public static String remedy(String output) {
    List<String> lines = output.lines().toList();
    return SIGNS.stream()
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
    List<String> lines = output.strip().lines().map(TellingLines::cut).toList();
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
    return String.join("\n", output.strip().lines().limit(count).map(TellingLines::cut).toList());
  }

  private static String cut(String line) {
    String text = line.stripTrailing();
    return text.length() > MAX_LINE ? text.substring(0, MAX_LINE) + CUT : text;
  }
}
