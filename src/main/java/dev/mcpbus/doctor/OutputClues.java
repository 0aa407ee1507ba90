package dev.mcpbus.doctor;

import dev.mcpbus.protocol.ClueFile;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Finds in the output of a server the lines that say why it cannot go on. The last line is often
 * the wrong one: Node prints its version there, npm the path of a log. Pure.
 */
final class OutputClues {

  private static final int MAX_EVIDENCE = 4;

  /** No line of an attacker is matched beyond this: some patterns try at each position. */
  private static final int MAX_LINE = 500;

  private static final Pattern ERROR =
      Pattern.compile("(?i)\\b(?:\\w*error|\\w*exception|fatal|panic(?:ked)?|failed|cannot|abort)");

  /** Lines of a stack trace, and those of which there are many and that say nothing. */
  private static final Pattern NOISE =
      Pattern.compile(
          "^\\s*npm (?:ERR!|error)(?: (?:404|code \\S+))?\\s*$|^\\s*(?:at |File \"|\\^|throw"
              + " |\\.\\.\\. |requireStack|code: |Node\\.js v|npm (?:ERR!|error) A complete"
              + " log|Traceback|raise |node:internal|[{}\\]\\[()]*$)");

  /** In the order of what says most: the first kind that any line is of decides. */
  private static final List<OutputClue> ENDS = clues("ends");

  /** The program lives, and listens elsewhere than on stdin. */
  private static final List<OutputClue> LISTENS = clues("listens");

  private OutputClues() {}

  private static List<OutputClue> clues(String section) {
    return ClueFile.rows(section).stream().map(OutputClue::of).toList();
  }

  /** Why a program has ended, with the telling lines; empty where no line tells. */
  static Optional<Finding> ofEnd(List<String> lines) {
    return first(ENDS, lines);
  }

  /** Why a program that lives does not speak MCP; empty where no line tells. */
  static Optional<Finding> ofSilence(List<String> lines) {
    return first(LISTENS, lines).or(() -> ofEnd(lines));
  }

  private static Optional<Finding> first(List<OutputClue> kinds, List<String> lines) {
    List<String> bounded = lines.stream().map(OutputClues::bounded).toList();
    for (OutputClue kind : kinds) {
      for (String line : bounded) {
        Optional<Finding> found = kind.read(line);
        if (found.isPresent()) {
          return Optional.of(found.get().with(telling(line, bounded)));
        }
      }
    }
    return Optional.empty();
  }

  /** The lines that say most: those that speak of an error, else the last ones. */
  static List<String> telling(List<String> lines) {
    return telling("", lines.stream().map(OutputClues::bounded).toList());
  }

  private static List<String> telling(String first, List<String> lines) {
    Set<String> told = new LinkedHashSet<>();
    if (!first.isBlank()) {
      told.add(first.strip());
    }
    lines.stream()
        .filter(line -> !NOISE.matcher(line).find() && ERROR.matcher(line).find())
        .map(String::strip)
        .forEach(told::add);
    if (told.isEmpty()) {
      List<String> plain =
          lines.stream().filter(line -> !line.isBlank()).map(String::strip).toList();
      told.addAll(plain.subList(Math.max(0, plain.size() - MAX_EVIDENCE), plain.size()));
    }
    return told.stream().limit(MAX_EVIDENCE).toList();
  }

  private static String bounded(String line) {
    return line.length() > MAX_LINE ? line.substring(0, MAX_LINE) : line;
  }
}
