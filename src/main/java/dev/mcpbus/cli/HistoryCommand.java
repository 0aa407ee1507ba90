package dev.mcpbus.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code history}: how the sessions of a server have ended. */
@Command(
    name = "history",
    sortOptions = false,
    description = "Shows how the last 20 sessions of a server ended, and why.")
final class HistoryCommand extends ServerCommand {

  HistoryCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected ExitCode run(ServiceClient client) {
    JsonObject history = client.get(path() + "/history");
    return shown(history, () -> tell(history));
  }

  private void tell(JsonObject history) {
    List<JsonObject> endings = ContentText.objects(history, "endings");
    if (endings.isEmpty()) {
      output().note("No session of " + id() + " has ended since mcpbus started.");
    }
    Instant now = Instant.now();
    for (JsonObject ending : endings) {
      output()
          .line(
              TimeText.clock(ending.getValue("time"), now)
                  + "  "
                  + TimeText.since(ending.getValue("time"), now)
                  + " ago  session "
                  + ending.getValue("epoch")
                  + "  "
                  + ContentText.text(ending, "code"));
      output().paragraph(2, ContentText.text(ending, "message"));
      said(ending.getValue("output")).forEach(line -> output().line("  | " + line));
    }
  }

  /** The last lines of the output, a text or an array of texts. */
  private static List<String> said(Object output) {
    if (output instanceof JsonArray lines) {
      return lines.stream()
          .map(
              line ->
                  line instanceof JsonObject json
                      ? ContentText.text(json, "text")
                      : String.valueOf(line))
          .toList();
    }
    return output instanceof String text ? text.lines().toList() : List.of();
  }
}
