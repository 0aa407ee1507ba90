package dev.mcpbus.cli;

import io.vertx.core.json.JsonObject;
import picocli.CommandLine.Command;

/** {@code whoami}: the principal that the service sees in the caller, and why. */
@Command(
    name = "whoami",
    sortOptions = false,
    description = "Shows who you are for mcpbus, with your roles and what gave them.")
final class WhoamiCommand extends ServiceCommand {

  WhoamiCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected ExitCode run(ServiceClient client) {
    JsonObject caller = client.get("/api/caller");
    return shown(
        caller,
        () -> {
          output()
              .line(caller.getString("name") + (isAdmin(caller) ? ", with the admin right" : ""));
          if (caller.containsKey("issuer")) {
            output().line("issuer  " + caller.getString("issuer"));
          }
          TextTable rules = new TextTable("ROLE", "BY");
          caller
              .getJsonArray("rules", new io.vertx.core.json.JsonArray())
              .forEach(
                  one -> {
                    JsonObject rule = (JsonObject) one;
                    String admin = isAdmin(rule) ? "(admin)" : "";
                    String role = rule.getString("role", "");
                    rules.row((role + " " + admin).strip(), rule.getString("by"));
                  });
          if (caller.containsKey("rules")) {
            output().table(rules);
          } else {
            ContentText.array(caller, "roles").forEach(role -> output().line("role    " + role));
          }
        });
  }

  private static boolean isAdmin(JsonObject of) {
    return of.getBoolean("admin", false);
  }
}
