package dev.mcpbus.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import picocli.CommandLine.Command;

/** {@code remove}: ends a server and forgets it; the file stays as it is. */
@Command(
    name = "remove",
    sortOptions = false,
    description = {
      "Ends a server and forgets it.",
      "With \"state\": {\"dir\": ...} in the configuration it stays away, also from a file that has",
      "its entry, until the entry changes; otherwise the file brings it back at the next start."
    })
final class RemoveCommand extends ServerCommand {

  RemoveCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected ExitCode run(ServiceClient client) {
    JsonObject removed = client.delete(path());
    return shown(removed, () -> tell(removed));
  }

  private void tell(JsonObject removed) {
    output().line("The server " + id() + " has ended and is removed.");
    JsonArray late = ContentText.array(removed, "unconfirmed");
    if (!late.isEmpty()) {
      output().line("These nodes may still finish calls of it: " + late.encode() + ".");
    }
    String note = ContentText.text(removed, "note");
    if (!note.isEmpty()) {
      output().line("Note: " + note + ".");
    }
  }
}
