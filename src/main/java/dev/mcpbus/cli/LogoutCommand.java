package dev.mcpbus.cli;

import io.vertx.core.json.JsonObject;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code logout}: forgets all by which mcpbus acts for the caller at a server. */
@Command(
    name = "logout",
    sortOptions = false,
    description = {
      "Forgets all by which mcpbus acts for you at a server: your secret, and tokens of your logins.",
      "The server asks for them again with your next call."
    })
final class LogoutCommand extends ServiceCommand {

  @Parameters(index = "0", paramLabel = "SERVER", description = "The server.")
  private String server = "";

  LogoutCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected ExitCode run(ServiceClient client) {
    JsonObject answer = client.delete(CredentialsCommand.path(server, null));
    boolean any = answer.getInteger("removed", 0) > 0;
    return shown(
        new JsonObject().put("server", server).put("loggedOut", any),
        () ->
            output()
                .line(
                    any
                        ? "You are logged out at " + server + "."
                        : "You were not logged in at " + server + "."));
  }
}
