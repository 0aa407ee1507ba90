package dev.mcpbus.cli;

import dev.mcpbus.protocol.Printable;
import io.vertx.core.json.JsonObject;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * What a command prints: results on stdout, notes on stderr. Every method makes text of peers
 * harmless to a terminal. For the main thread.
 */
public final class CommandOutput {

  /** Moves to the first column and clears the line. */
  private static final String REWRITE = "\r\u001b[K";

  private final CommandContext context;
  private boolean temporary;

  public CommandOutput(CommandContext context) {
    this.context = context;
  }

  public Terminal terminal() {
    return context.terminal();
  }

  /** One line of a result. */
  public void line(String text) {
    clearProgress();
    write(context.out(), clean(text) + "\n");
  }

  /** A result of several lines, with their line breaks and tabs. */
  public void text(String text) {
    text.lines().forEach(this::line);
  }

  /** A text that is wrapped at the terminal's width; its further lines are indented alike. */
  public void paragraph(int indent, String text) {
    String space = " ".repeat(indent);
    int width = terminal().columns() - indent;
    StringBuilder line = new StringBuilder();
    for (String word : clean(text.replaceAll("\\s+", " ").strip()).split(" ", -1)) {
      if (!line.isEmpty() && CellText.width(line + " " + word) > width) {
        line(space + line);
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : " ").append(word);
    }
    line(space + line);
  }

  /** The table, cut to the terminal's width. */
  public void table(TextTable table) {
    clearProgress();
    write(context.out(), String.join("\n", table.lines(terminal())) + "\n");
  }

  /** The one JSON document of a result. */
  public void json(JsonObject document) {
    line(ascii(document.encodePrettily()), "\n");
  }

  /** One of many JSON documents, on a line of its own. */
  public void jsonLine(JsonObject document) {
    line(ascii(document.encode()), "");
  }

  private void line(String text, String separator) {
    (separator.isEmpty() ? Arrays.stream(new String[] {text}) : text.lines()).forEach(this::line);
  }

  /** The bytes of a result as they are; not for a terminal. */
  public void bytes(byte[] content) {
    context.out().write(content, 0, content.length);
    context.out().flush();
  }

  /** Empties the terminal, for a view that is painted again and again. */
  public void clear() {
    write(context.out(), "\u001b[H\u001b[2J\u001b[3J");
  }

  /** A line on stderr for people, for example what they can do next. */
  public void note(String text) {
    clearProgress();
    write(context.err(), clean(text) + "\n");
  }

  /** A question to a person, on stderr; the answer follows on the same line. */
  void prompt(String text) {
    write(context.err(), clean(text));
  }

  /** What the command does now: a line on stderr that the next output replaces. Terminals only. */
  public void progress(String text) {
    if (terminal().err()) {
      int columns = Math.min(terminal().columns(), 200) - 1;
      write(
          context.err(),
          REWRITE + CellText.cut(CellText.clean(text), columns, terminal().ellipsis()));
      temporary = true;
    }
  }

  /** Removes the line of {@link #progress}. */
  public void clearProgress() {
    if (temporary) {
      write(context.err(), REWRITE);
      temporary = false;
    }
  }

  /** Tabs stay; the streams would show them as an escape. */
  private static String clean(String text) {
    return Arrays.stream(text.split("\t", -1))
        .map(Printable::line)
        .collect(Collectors.joining("\t"));
  }

  private static void write(PrintStream to, String text) {
    byte[] bytes = text.getBytes(Charset.defaultCharset());
    to.write(bytes, 0, bytes.length);
    to.flush();
  }

  /** A terminal without Unicode gets every other letter as an escape, which JSON reads alike. */
  private String ascii(String json) {
    if (terminal().unicode() || json.chars().allMatch(c -> c < 0x80)) {
      return json;
    }
    StringBuilder plain = new StringBuilder();
    json.chars()
        .forEach(
            c -> plain.append(c < 0x80 ? String.valueOf((char) c) : String.format("\\u%04x", c)));
    return plain.toString();
  }
}
