package dev.mcpbus.cli;

import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * {@code logout}: forgets all by which mcpbus acts for the caller at a server; without a server,
 * ends the person's sign-in at mcpbus itself.
 */
@Command(
    name = "logout",
    sortOptions = false,
    description = {
      "Logs out at a server, or at mcpbus itself.",
      "With SERVER, mcpbus forgets all by which it acts for you there: your secret, and tokens of "
          + "your logins. The server asks for them again with your next call.",
      "Without SERVER your sign-in at the mcpbus of --url ends (mcpbus login)."
    })
final class LogoutCommand extends ServiceCommand {

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "SERVER",
      description = "The server. Default: mcpbus itself.")
  private @Nullable String server;

  LogoutCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected ServiceClient find(ServiceFinder finder) {
    return server == null ? finder.withoutKey() : super.find(finder);
  }

  @Override
  protected ExitCode run(ServiceClient client) {
    if (server == null) {
      return signOut(client.url());
    }
    String at = server;
    JsonObject answer = client.delete(CredentialsCommand.path(at, null));
    boolean any = answer.getInteger("removed", 0) > 0;
    return shown(new JsonObject().put("server", at).put("loggedOut", any), () -> say(any, at));
  }

  private void say(boolean any, String where) {
    output().line("You " + (any ? "are logged out" : "were not logged in") + " at " + where + ".");
  }

  private ExitCode signOut(URI url) {
    KeptSignIn kept = new KeptSignIn(context().home(), url, InstantSource.system());
    boolean any = kept.isThere();
    String why = any ? kept.end() : "";
    return shown(
        new JsonObject()
            .put("url", url.toString())
            .put("loggedOut", any)
            .put("revoked", any && why.isEmpty()),
        () -> {
          say(any, url.toString());
          if (!why.isEmpty()) {
            output().note("Its tokens are removed here, but mcpbus does not know of it: " + why);
          }
        });
  }
}
