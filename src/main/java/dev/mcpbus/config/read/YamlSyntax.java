package dev.mcpbus.config.read;

import dev.mcpbus.config.read.ParsedText.Mistake;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Explains a syntax error in YAML in words for a person. The parser's own texts name tokens of its
 * grammar and may quote words of the file. Stateless.
 */
final class YamlSyntax {

  /**
   * @param part of the parser's problem, or of what it was doing
   */
  private record Words(String part, String message, String remedy) {}

  private static final String INDENT =
      "Give the keys of one object the same number of blanks, and put a value with a colon in"
          + " quotes";

  private static final Words NO_COLON =
      new Words(
          "could not find expected ':'",
          "this key has no colon",
          "Write key: value, with a blank after the colon");

  /** The first one counts that is part of the parser's context and problem. */
  private static final List<Words> WORDS =
      List.of(
          new Words(
              "while scanning a double-quoted scalar found unknown escape",
              "a backslash in double quotes begins an escape, and this is none",
              "Write two backslashes, or single quotes around the text"),
          new Words(
              "quoted scalar found unexpected",
              "the quoted text that begins here is not closed",
              "Add the closing quote"),
          new Words(
              "mapping values are not allowed", "a colon stands where no key can stand", INDENT),
          NO_COLON,
          new Words(
              "flow sequence",
              "the list that begins here with [ is not closed, or lacks a comma",
              "Separate its values by commas, and close it with ]"),
          new Words(
              "flow mapping",
              "the object that begins here with { is not closed, or lacks a comma",
              "Separate its keys by commas, and close it with }"),
          new Words(
              "sequence entries are not allowed",
              "a list cannot begin here",
              "Write - on a line of its own below the key"),
          new Words("block mapping", "this line does not fit the keys above it", INDENT),
          new Words(
              "block collection",
              "this line does not fit the list above it",
              "Begin each value of the list with - and the same number of blanks"),
          new Words(
              "block scalar", "the text after | or > is wrong", "Indent all its lines by blanks"),
          new Words(
              "expected alphabetic or numeric",
              "& and * have a meaning in YAML",
              "Put the text in quotes"),
          new Words(
              "that cannot start any token",
              "no value can begin with this character",
              "Put the text in quotes"));

  private static final Pattern KEY =
      Pattern.compile("(\\s*(?:- )*[\\w.$-]{1,60}\\s*:)(\\s.*)?", Pattern.DOTALL);

  private YamlSyntax() {}

  static Mistake mistake(String text, YamlEngineException e) {
    if (e instanceof MarkedYamlEngineException marked) {
      return marked(text, marked);
    }
    if (e instanceof ReaderException reader) {
      int offset = text.offsetByCodePoints(0, Math.min(reader.getPosition(), length(text)));
      return at(text, offset, "a control character stands here", "Remove it");
    }
    return new Mistake(0, "the YAML is too large or too deep", "Make it smaller, or split it");
  }

  private static int length(String text) {
    return text.codePointCount(0, text.length());
  }

  private static Mistake marked(String text, MarkedYamlEngineException e) {
    Optional<Mark> problem = e.getProblemMark().or(e::getContextMark);
    if (problem.isEmpty()) {
      return new Mistake(0, "the YAML is wrong", "Correct the syntax");
    }
    int offset = offset(text, problem.get());
    String line = TextPlace.lineAt(text, offset);
    boolean tab = line.substring(0, line.indexOf(line.strip())).indexOf('\t') >= 0;
    if ((tab && !line.isBlank()) || text.startsWith("\t", offset)) {
      return at(
          text,
          text.indexOf('\t', offset - (TextPlace.of(text, offset).column() - 1)),
          "a tab indents this line, and YAML allows blanks alone",
          "Replace each tab by two blanks");
    }
    int bare =
        "mapping values are not allowed here".equals(e.getProblem()) ? bare(text, offset) : -1;
    if (bare >= 0) {
      return at(text, bare, NO_COLON.message, NO_COLON.remedy);
    }
    if (isDeeper(text, offset)) {
      return at(
          text,
          offset,
          "this key is indented further than the one above, which has a value already",
          INDENT);
    }
    String said = e.getContext() + " " + e.getProblem();
    for (Words words : WORDS) {
      if (said.contains(words.part)) {
        int place =
            words.message.contains("begins here") || words.part.startsWith("could not find")
                ? offset(text, e.getContextMark().orElse(problem.get()))
                : offset;
        return at(text, place, words.message, words.remedy);
      }
    }
    return at(text, offset, "the YAML is wrong at this place, or shortly before it", INDENT);
  }

  /** Where the line above is one word without a colon, its offset; else -1. */
  private static int bare(String text, int offset) {
    int start = text.lastIndexOf('\n', Math.max(0, offset - 1));
    String above = start < 1 ? "" : TextPlace.lineAt(text, start - 1);
    return above.matches("\\s*[\\w.-]+\\s*") ? start - above.stripLeading().length() : -1;
  }

  /** Whether {@code offset} is at the colon of a key below a shorter indented key with a value. */
  private static boolean isDeeper(String text, int offset) {
    String line = TextPlace.lineAt(text, offset);
    int start = text.lastIndexOf('\n', Math.max(0, offset - 1));
    String above = start < 1 ? "" : TextPlace.lineAt(text, start - 1);
    return text.startsWith(":", offset)
        && line.indexOf(':') == TextPlace.of(text, offset).column() - 1
        && above.matches("\\s*(- )*[\\w.-]+:\\s+\\S.*")
        && indent(line) > indent(above);
  }

  private static int indent(String line) {
    return line.length() - line.stripLeading().length();
  }

  private static int offset(String text, Mark mark) {
    return text.offsetByCodePoints(0, Math.min(mark.getIndex(), length(text)));
  }

  private static Mistake at(String text, int offset, String message, String remedy) {
    TextPlace place = TextPlace.of(text, Math.max(0, offset));
    return new Mistake(
        place.line(), place.column(), message, remedy, excerpt(text, place.offset()));
  }

  /** The key of the line and a caret; empty where the line is no key with a value. */
  private static String excerpt(String text, int offset) {
    Matcher line = KEY.matcher(TextPlace.lineAt(text, offset));
    if (!line.matches() || line.group(1).contains("\t")) {
      return "";
    }
    int column = TextPlace.of(text, offset).column() - 1;
    int key = line.group(1).length();
    boolean valued = line.group(2) != null && !line.group(2).isBlank();
    return line.group(1)
        + (valued ? " ***" : "")
        + "\n"
        + " ".repeat(column < key ? column : key + 1)
        + "^";
  }
}
