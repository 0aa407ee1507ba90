package dev.mcpbus.cli;

import dev.mcpbus.protocol.Printable;
import io.vertx.core.json.JsonObject;

/**
 * What a command prints: results on stdout, notes on stderr. Text of peers cannot control the
 * terminal. For the main thread.
 */
public final class CommandOutput {

  private final CommandContext context;

  public CommandOutput(CommandContext context) {
    this.context = context;
  }

  public Terminal terminal() {
    return context.terminal();
  }

  /** One line of a result. */
  public void line(String text) {
    context.out().println(Printable.line(text));
  }

  /** A result of several lines, with their line breaks. */
  public void text(String text) {
    text.lines().forEach(this::line);
  }

  /** The table, cut to the terminal's width. */
  public void table(TextTable table) {
    table
        .lines(terminal().columns(), terminal().unicode() ? "\u2026" : "..")
        .forEach(context.out()::println);
  }

  /** The one JSON document of a result. */
  public void json(JsonObject document) {
    context.out().println(ascii(document.encodePrettily()));
  }

  /** One of many JSON documents, on a line of its own. */
  public void jsonLine(JsonObject document) {
    context.out().println(ascii(document.encode()));
  }

  /** A line on stderr for people, for example what a command waits for. */
  public void note(String text) {
    context.err().println(Printable.line(text));
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
