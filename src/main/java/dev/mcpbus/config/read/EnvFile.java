package dev.mcpbus.config.read;

import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.protocol.Sensitive;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads files of {@code KEY=VALUE} lines, with comments, quotes and {@code export}. Blocks. */
final class EnvFile {

  private static final int MAX_BYTES = 1024 * 1024;
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_.-]*");
  private static final String REMEDY = "Write KEY=VALUE, one per line; # starts a comment";

  private EnvFile() {}

  /**
   * The variables in {@code path}; problems are reported without values.
   *
   * @param shown the path for messages
   * @param line of the {@code envFile} key in the configuration
   */
  static Map<String, Sensitive> read(
      Path path, String shown, int line, String server, ProblemCollector problems) {
    String name = MessageTexts.quote(shown);
    List<String> lines;
    try {
      Optional<String> text = BoundedFile.read(path, MAX_BYTES);
      if (text.isEmpty()) {
        problems.add(line, server, "envFile " + name + " is over 1 MiB", "Is it the right file?");
        return Map.of();
      }
      lines = text.get().lines().toList();
    } catch (NoSuchFileException e) {
      problems.add(
          line,
          server,
          "envFile " + name + " does not exist",
          "Create it, correct the path, or remove envFile");
      return Map.of();
    } catch (BoundedFile.NotUtf8Exception e) {
      problems.add(line, server, "envFile " + name + " " + e.getMessage(), "Save it as UTF-8");
      return Map.of();
    } catch (IOException e) {
      problems.add(line, server, "envFile " + name + " cannot be read", "Check its permissions");
      return Map.of();
    }
    Map<String, String> variables = new LinkedHashMap<>();
    for (int i = 0; i < lines.size(); i++) {
      String wrong = put(lines.get(i), variables);
      if (!wrong.isEmpty()) {
        problems.add(line, server, "envFile " + name + " line " + (i + 1) + ": " + wrong, REMEDY);
      }
    }
    return Sensitive.values(variables);
  }

  /** The problem of a line, empty if there is none. */
  private static String put(String raw, Map<String, String> variables) {
    String text = raw.strip();
    if (text.isEmpty() || text.startsWith("#")) {
      return "";
    }
    if (text.startsWith("export ")) {
      text = text.substring("export ".length()).strip();
    }
    int equals = text.indexOf('=');
    if (equals < 1) {
      return "no = after a name";
    }
    String name = text.substring(0, equals).strip();
    if (!NAME.matcher(name).matches()) {
      return "the name before = is not a variable name";
    }
    String value = text.substring(equals + 1).strip();
    if (value.startsWith("\"") || value.startsWith("'")) {
      char quote = value.charAt(0);
      int end = endOfQuoted(value, quote);
      if (end < 0) {
        return "the quote is not closed";
      }
      String rest = value.substring(end + 1).strip();
      if (!rest.isEmpty() && !rest.startsWith("#")) {
        return "text after the closing quote";
      }
      String inner = value.substring(1, end);
      value = quote == '"' ? unescape(inner) : inner;
    } else {
      int comment = value.indexOf(" #");
      value = comment < 0 ? value : value.substring(0, comment).strip();
    }
    variables.put(name, value);
    return "";
  }

  private static int endOfQuoted(String value, char quote) {
    for (int i = 1; i < value.length(); i++) {
      if (value.charAt(i) == '\\' && quote == '"') {
        i++;
      } else if (value.charAt(i) == quote) {
        return i;
      }
    }
    return -1;
  }

  private static String unescape(String text) {
    StringBuilder out = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\' && i + 1 < text.length()) {
        char next = text.charAt(++i);
        out.append(next == 'n' ? '\n' : next == 't' ? '\t' : next == 'r' ? '\r' : next);
      } else {
        out.append(c);
      }
    }
    return out.toString();
  }
}
