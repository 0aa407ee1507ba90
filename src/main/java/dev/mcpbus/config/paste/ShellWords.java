package dev.mcpbus.config.paste;

import dev.mcpbus.protocol.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Splits command lines into words and quotes words, as a POSIX shell does. It starts no shell and
 * resolves no variable: {@code $NAME} becomes mcpbus's own {@code ${NAME}}, and a leading {@code
 * ~/} becomes {@code ${userHome}/}. Owned by one read.
 */
final class ShellWords {

  /**
   * A word without its quotes.
   *
   * @param line on which it begins
   */
  record ShellWord(String text, int line) {}

  /**
   * One command: the words up to the end of its line.
   *
   * @param problem why the words are not all that a shell would do; null if they are
   */
  record ShellCommand(List<ShellWord> words, @Nullable String problem) {

    ShellCommand {
      words = List.copyOf(words);
    }

    int line() {
      return words.isEmpty() ? 0 : words.get(0).line();
    }

    List<String> texts() {
      return words.stream().map(ShellWord::text).toList();
    }
  }

  private static final String OPERATORS = "|&;<>()`";

  private final String text;
  private final List<ShellCommand> commands = new ArrayList<>();
  private final List<ShellWord> words = new ArrayList<>();
  private final StringBuilder word = new StringBuilder();
  private boolean inWord;
  private int wordLine;
  private int line = 1;
  private int at;
  private @Nullable String problem;

  private ShellWords(String text) {
    this.text = text;
  }

  /** The commands of a text, one for each line that a backslash does not continue. */
  static List<ShellCommand> parse(String text) {
    ShellWords reader = new ShellWords(text);
    reader.read();
    return reader.commands;
  }

  private void read() {
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == '\n') {
        endCommand();
        line++;
      } else if (Character.isWhitespace(c)) {
        endWord();
      } else if (c == '#' && !inWord) {
        at = endOfLine() - 1;
      } else if (OPERATORS.indexOf(c) >= 0) {
        problem = "the text uses \"" + c + "\" of a shell";
        at = endOfLine() - 1;
      } else {
        part(c);
      }
      at++;
    }
    endCommand();
  }

  private int endOfLine() {
    int end = text.indexOf('\n', at);
    return end < 0 ? text.length() : end;
  }

  private void part(char c) {
    if (c == '\\' && text.startsWith("\n", at + 1)) {
      at++;
      line++;
      return;
    }
    begin();
    switch (c) {
      case '\\' -> {
        if (at + 1 < text.length()) {
          word.append(text.charAt(++at));
        }
      }
      case '\'' -> quoted('\'');
      case '"' -> quoted('"');
      case '$' -> variable();
      case '~' -> word.append(word.isEmpty() && text.startsWith("/", at + 1) ? "${userHome}" : "~");
      default -> word.append(c);
    }
  }

  private void begin() {
    if (!inWord) {
      inWord = true;
      wordLine = line;
    }
  }

  private void quoted(char quote) {
    int from = ++at;
    while (at < text.length() && text.charAt(at) != quote) {
      char c = text.charAt(at);
      boolean escape = quote == '"' && c == '\\' && at + 1 < text.length();
      if (escape && "\"\\$`\n".indexOf(text.charAt(at + 1)) >= 0) {
        at++;
        if (text.charAt(at) == '\n') {
          line++;
        } else {
          word.append(text.charAt(at));
        }
      } else if (quote == '"' && c == '$') {
        variable();
      } else {
        line += c == '\n' ? 1 : 0;
        word.append(c);
      }
      at++;
    }
    if (at >= text.length()) {
      problem = "a quote is not closed";
      at = Math.max(from, text.length());
    }
  }

  /** At a dollar sign; leaves {@code at} on the last character that it has read. */
  private void variable() {
    if (text.startsWith("(", at + 1)) {
      problem = "the text uses \"$(\" of a shell";
      word.append('$');
      return;
    }
    int end = at + 1;
    while (end < text.length() && isNamePart(text.charAt(end), end == at + 1)) {
      end++;
    }
    if (end == at + 1) {
      word.append('$');
      return;
    }
    word.append("${").append(text, at + 1, end).append('}');
    at = end - 1;
  }

  private static boolean isNamePart(char c, boolean first) {
    return c == '_'
        || (c >= 'A' && c <= 'Z')
        || (c >= 'a' && c <= 'z')
        || (!first && c >= '0' && c <= '9');
  }

  private void endWord() {
    if (inWord) {
      words.add(new ShellWord(word.toString(), wordLine));
      word.setLength(0);
      inWord = false;
    }
  }

  private void endCommand() {
    endWord();
    if (!words.isEmpty() && (words.get(0).text().equals("$") || words.get(0).text().equals("%"))) {
      words.remove(0); // the prompt of a shell, copied with its command
    }
    if (!words.isEmpty() || problem != null) {
      commands.add(new ShellCommand(words, problem));
    }
    words.clear();
    problem = null;
  }

  /**
   * The words as one line that a shell splits into the same words. Characters that a person would
   * not see stand as escapes in {@code $'...'}.
   */
  static String quote(List<String> words) {
    return words.stream().map(ShellWords::quote).collect(Collectors.joining(" "));
  }

  private static String quote(String word) {
    if (word.matches("[A-Za-z0-9_@%+=:,./-]+")) {
      return word;
    }
    if (word.codePoints().noneMatch(Printable::isHidden)) {
      return "'" + word.replace("'", "'\\''") + "'";
    }
    StringBuilder out = new StringBuilder("$'");
    word.codePoints()
        .forEach(
            c -> {
              if (c == '\n') {
                out.append("\\n");
              } else if (c == '\t') {
                out.append("\\t");
              } else if (c == '\'' || c == '\\') {
                out.append('\\').append((char) c);
              } else if (Printable.isHidden(c)) {
                out.append(String.format(Locale.ROOT, c > 0xFFFF ? "\\U%08x" : "\\u%04x", c));
              } else {
                out.appendCodePoint(c);
              }
            });
    return out.append('\'').toString();
  }
}
