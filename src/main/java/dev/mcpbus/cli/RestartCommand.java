package dev.mcpbus.cli;

import io.vertx.core.json.JsonObject;
import picocli.CommandLine.Command;

/** {@code restart}: stops a server and starts it anew. */
@Command(name = "restart", sortOptions = false, description = "Stops a server and starts it anew.")
final class RestartCommand extends ServerCommand {

  RestartCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected ExitCode run(ServiceClient client) {
    return shown(
        client.post(path() + "/restart", new JsonObject()),
        () ->
            output()
                .line(
                    "The server "
                        + id()
                        + " restarts; \"mcpbus status "
                        + id()
                        + "\" shows how it goes."));
  }
}
