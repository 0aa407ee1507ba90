package dev.mcpbus.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code status}: the connections as they are now, and what the configuration has left out. */
@Command(
    name = "status",
    sortOptions = false,
    description = "Shows servers: state, restarts, last error, next attempt.")
final class StatusCommand extends ServiceCommand {

  private static final long REPAINT_MILLIS = 1_000;

  @Parameters(
      arity = "0..1",
      paramLabel = "ID",
      description = "Only this server, with all details.")
  private @Nullable String id;

  @Option(
      names = {"-w", "--watch"},
      description = "Show it again each second until Ctrl-C; on a terminal.")
  private boolean watch;

  StatusCommand(CommandContext context) {
    super(context, OwnService.STARTED);
  }

  @Override
  protected ExitCode run(ServiceClient client) {
    if (watch && !output().terminal().out()) {
      throw CommandFailure.usage(
          "--watch repaints a terminal; in a pipe use \"mcpbus events\", which prints each change");
    }
    if (watch && json()) {
      throw CommandFailure.usage("--watch is for people; programs use \"mcpbus events --json\"");
    }
    show(client);
    while (watch) {
      SettledServers.pause(REPAINT_MILLIS);
      show(client);
    }
    return ExitCode.DONE;
  }

  private void show(ServiceClient client) {
    String wanted = id;
    if (wanted == null) {
      JsonObject list = SettledServers.list(client, output());
      JsonObject configuration = configuration(client);
      shown(list.copy().put("configuration", configuration), () -> all(list, configuration));
    } else {
      one(client, wanted);
    }
  }

  /** Empty where the key has no admin right: the servers are shown nevertheless. */
  private static JsonObject configuration(ServiceClient client) {
    try {
      return client.get("/api/config");
    } catch (CommandFailure refused) {
      if (refused.exit() == ExitCode.UNREACHABLE) {
        throw refused;
      }
      return new JsonObject();
    }
  }

  private void all(JsonObject list, JsonObject configuration) {
    if (watch) {
      output().clear();
    }
    StatusReport report = new StatusReport(list, configuration, Instant.now());
    if (report.table().isEmpty()) {
      output().note("There are no servers; add one with \"mcpbus add\" or to the configuration.");
    } else {
      output().table(report.table());
    }
    if (!report.remarks().isEmpty()) {
      output().line("");
      report.remarks().forEach(remark -> output().paragraph(2, remark));
    }
  }

  private void one(ServiceClient client, String server) {
    if (client.isOwn()) {
      SettledServers.list(client, output());
    }
    JsonObject status = client.get(ServerTool.pathOf(server));
    shown(status, () -> details(status));
  }

  private void details(JsonObject status) {
    if (watch) {
      output().clear();
    }
    StatusReport.details(status, Instant.now())
        .forEach((name, text) -> output().line(String.format("%-13s", name) + text));
    JsonArray via = ContentText.array(status, "via");
    if (!via.isEmpty()) {
      output().line(String.format("%-13s", "behind it") + via.encode());
    }
  }
}
