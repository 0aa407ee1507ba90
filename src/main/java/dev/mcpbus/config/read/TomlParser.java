package dev.mcpbus.config.read;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.dataformat.toml.TomlFactory;
import dev.mcpbus.config.read.ConfigNode.ConfigMember;
import dev.mcpbus.config.read.ConfigNode.ValueType;
import dev.mcpbus.config.read.ParsedText.Mistake;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Parses TOML, as Codex writes it, within the bounds of the other parsers. The library refuses what
 * is too deep or stands twice; it keeps no lines, so those of keys are looked up in the text.
 */
final class TomlParser {

  private static final TomlFactory FACTORY =
      TomlFactory.builder().streamReadConstraints(JsoncParser.BOUNDS).build();

  private TomlParser() {}

  static ParsedText parse(String text) {
    try (JsonParser parser = FACTORY.createParser(text)) {
      ParsedText parsed = new JsoncParser(parser).document();
      ConfigNode root = parsed.root();
      return root == null
          ? parsed
          : new ParsedText(placed(root, "", 1, lines(text)), parsed.mistakes());
    } catch (StreamConstraintsException e) {
      return JsoncParser.tooLarge(e);
    } catch (JsonProcessingException e) {
      return ParsedText.broken(mistake(e));
    } catch (IOException e) {
      throw new UncheckedIOException("a string cannot fail to be read", e);
    }
  }

  /** In our own words; the parser's quote words of the file. */
  private static Mistake mistake(JsonProcessingException e) {
    JsonLocation where = e.getLocation() == null ? JsonLocation.NA : e.getLocation();
    String said = String.valueOf(e.getOriginalMessage());
    // The parser sees that a key stands twice after its line's end.
    boolean after = where.getColumnNr() == 1 && where.getLineNr() > 1 && said.startsWith("Dup");
    int line = Math.max(0, where.getLineNr() - (after ? 1 : 0));
    int column = after ? 0 : Math.max(0, where.getColumnNr());
    if (said.startsWith("Duplicate") || said.contains("redefin")) {
      return new Mistake(
          line, column, "a key or a table stands twice", "Remove or rename one of them", "");
    }
    return said.startsWith("Newline")
        ? new Mistake(
            line, column, "the line ends within a text or brackets", "Close them on this line", "")
        : new Mistake(
            line,
            column,
            "the TOML is wrong at this place, or shortly before it",
            "Correct it; texts stand in quotes, and a list in [ ]",
            "");
  }

  /** The tree with the lines of its keys; a key that is not found has the line of what holds it. */
  private static ConfigNode placed(
      ConfigNode node, String path, int line, Map<String, Integer> lines) {
    if (node.is(ValueType.OBJECT)) {
      return ConfigNode.object(
          line,
          node.members().stream()
              .map(
                  member -> {
                    String inner = path + "." + member.name();
                    int own = lines.getOrDefault(inner, line);
                    return new ConfigMember(
                        member.name(), own, placed(member.value(), inner, own, lines));
                  })
              .toList());
    }
    List<ConfigNode> items =
        node.items().stream().map(item -> placed(item, path, line, lines)).toList();
    return new ConfigNode(node.type(), line, node.text(), List.of(), items);
  }

  /**
   * The first line of each key and table by its path. A line of a long text that looks like a key
   * can only add a path that no message asks for.
   */
  private static Map<String, Integer> lines(String text) {
    Map<String, Integer> lines = new HashMap<>();
    String table = "";
    int number = 0;
    for (String each : (Iterable<String>) text.lines()::iterator) {
      number++;
      String line = each.strip();
      int end = line.startsWith("[") ? line.indexOf(']') : line.indexOf('=');
      if (end > 0 && line.charAt(0) == '[') {
        table = path(line.substring(0, end).replace("[", ""));
        lines.putIfAbsent(table, number);
        for (int dot = table.lastIndexOf('.'); dot > 0; dot = table.lastIndexOf('.', dot - 1)) {
          lines.putIfAbsent(table.substring(0, dot), number);
        }
      } else if (end > 0 && line.charAt(0) != '#') {
        lines.putIfAbsent(table + path(line.substring(0, end)), number);
      }
    }
    return lines;
  }

  private static String path(String written) {
    return "." + written.replaceAll("[\\s\"']", "");
  }
}
