package dev.mcpbus.config.read;

import dev.mcpbus.internals.OptionalLibrary;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Chooses the parser of a configuration's text: by the extension of its file, else by its
 * beginning. Every reader of files uses it, so that a file is the same to all of them. Stateless.
 */
public final class ConfigText {

  /** The name of a table of TOML, between its brackets. */
  private static final Pattern TABLE = Pattern.compile("[A-Za-z_][\\w.\"'@/ -]*+");

  private ConfigText() {}

  /** JSON with comments, YAML or TOML; a missing library is a mistake of the text. */
  static ParsedText parse(Path file, String text) {
    String name = String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT);
    if (name.endsWith(".toml")) {
      return toml(text);
    }
    if (name.endsWith(".yaml") || name.endsWith(".yml")) {
      return yaml(text);
    }
    if (name.endsWith(".json") || name.endsWith(".jsonc") || looksLikeJson(text)) {
      return JsoncParser.parse(text);
    }
    return isToml(text) ? toml(text) : yaml(text);
  }

  private static boolean looksLikeJson(String text) {
    String start = text.stripLeading();
    return start.startsWith("{") || start.startsWith("//") || start.startsWith("/*");
  }

  /** Whether the first line that is no comment is the head of a table. */
  public static boolean isToml(String text) {
    return text.lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty() && !line.startsWith("#"))
        .findFirst()
        .filter(ConfigText::isTable)
        .isPresent();
  }

  private static boolean isTable(String line) {
    int start = line.startsWith("[[") ? 2 : 1;
    int end = line.indexOf(']');
    String rest = end < 0 ? "" : line.substring(end).replace("]", "").strip();
    return line.startsWith("[")
        && end > start
        && (rest.isEmpty() || rest.startsWith("#"))
        && TABLE.matcher(line.substring(start, end).strip()).matches();
  }

  public static ParsedText toml(String text) {
    return OptionalLibrary.TOML.isPresent()
        ? TomlParser.parse(text)
        : ParsedText.broken(0, OptionalLibrary.TOML.missing(), "Or write the file in JSON");
  }

  private static ParsedText yaml(String text) {
    return OptionalLibrary.SNAKEYAML.isPresent()
        ? YamlParser.parse(text)
        : ParsedText.broken(0, OptionalLibrary.SNAKEYAML.missing(), "Or write the file in JSON");
  }
}
