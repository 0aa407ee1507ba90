package dev.mcpbus.cli;

import io.vertx.core.json.JsonObject;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code restart}: stops a server and starts it anew. */
@Command(name = "restart", sortOptions = false, description = "Stops a server and starts it anew.")
final class RestartCommand extends ServiceCommand {

  @Parameters(index = "0", paramLabel = "ID", description = "The server.")
  private String id = "";

  RestartCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected ExitCode run(ServiceClient client) {
    JsonObject state = client.post(ServerTool.pathOf(id) + "/restart", new JsonObject());
    if (json()) {
      output().json(state);
    } else {
      output()
          .line("The server " + id + " restarts; \"mcpbus status " + id + "\" shows how it goes.");
    }
    return ExitCode.DONE;
  }
}
