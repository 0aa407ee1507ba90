package dev.mcpbus.cli;

import io.vertx.core.json.JsonObject;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code health}: for containers and init systems. Needs no key. */
@Command(
    name = "health",
    sortOptions = false,
    description = "Exits with 0 where mcpbus is ready for work, else with 4.")
final class HealthCommand extends ServiceCommand {

  @Option(
      names = "--live",
      description = "Only whether the process answers, as a liveness probe asks.")
  private boolean live;

  HealthCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected ExitCode run(ServiceClient client) {
    JsonObject health = client.get(live ? "/health/live" : "/health/ready");
    return shown(
        health,
        () -> {
          output().line(client.url() + " is " + health.getString("status", "UP"));
          ContentText.array(health, "notes").forEach(note -> output().note("note: " + note));
        });
  }
}
