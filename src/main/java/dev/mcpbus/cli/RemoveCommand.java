package dev.mcpbus.cli;

import io.vertx.core.json.JsonObject;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code remove}: ends a server and forgets it; the file stays as it is. */
@Command(
    name = "remove",
    sortOptions = false,
    description = {
      "Ends a server and forgets it.",
      "A server of the configuration comes back when mcpbus starts anew, as long as its entry "
          + "is in the file."
    })
final class RemoveCommand extends ServiceCommand {

  @Parameters(index = "0", paramLabel = "ID", description = "The server.")
  private String id = "";

  RemoveCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected ExitCode run(ServiceClient client) {
    JsonObject removed = client.delete(ServerTool.pathOf(id));
    if (json()) {
      output().json(removed);
    } else {
      output().line("The server " + id + " has ended and is removed.");
    }
    return ExitCode.DONE;
  }
}
