package dev.mcpbus.cli.doctor;

import dev.mcpbus.cli.CommandContext;
import dev.mcpbus.cli.CommandFailure;
import dev.mcpbus.cli.CommandOutput;
import dev.mcpbus.cli.ExitCode;
import dev.mcpbus.cli.ServiceClient;
import dev.mcpbus.cli.ServiceFinder;
import dev.mcpbus.cli.ServiceOptions;
import dev.mcpbus.cli.Spinner;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code doctor}: why does a server not work, and what to do about it. On the main thread. */
@Command(
    name = "doctor",
    sortOptions = false,
    description = {
      "Examines servers of the configuration step by step: the entry, its variables, the command or"
          + " the address, the start, the handshake, login, lists and a ping. Says what failed, why,"
          + " and what to do. Starts a copy of each server for that, and calls no tool."
    })
public final class DoctorCommand implements Callable<Integer> {

  private static final int MAX_SECONDS = 600;

  private final CommandContext context;
  private final CommandOutput output;

  @Parameters(
      arity = "0..1",
      paramLabel = "ID",
      description = "The server. Default: all of the configuration, each in short.")
  private @Nullable String id;

  @Mixin private ServiceOptions service = new ServiceOptions();

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      description = "For the handshake. Default: \"handshakeTimeout\" of the entry, else 30.")
  private @Nullable Integer timeout;

  @Option(names = "--json", description = "Print one JSON document for programs.")
  private boolean json;

  public DoctorCommand(CommandContext context) {
    this.context = context;
    this.output = new CommandOutput(context);
  }

  @Override
  public Integer call() {
    if (timeout != null && (timeout < 1 || timeout > MAX_SECONDS)) {
      throw CommandFailure.usage("--timeout must be 1 to " + MAX_SECONDS + ", not " + timeout);
    }
    Duration limit = timeout == null ? null : Duration.ofSeconds(timeout);
    try (ServiceClient client = running()) {
      List<DoctorReport> reports = examined(client, limit);
      print(reports);
      return exit(reports).code();
    }
  }

  private List<DoctorReport> examined(@Nullable ServiceClient client, @Nullable Duration limit) {
    try (Spinner spinner = new Spinner(output, "Examining " + (id == null ? "all servers" : id))) {
      return new Doctor(
              context, service.config, limit, new RunningService(client), spinner::progress)
          .examine(id);
    }
  }

  /** The mcpbus at the usual URL; null where none runs. */
  private @Nullable ServiceClient running() {
    try {
      return new ServiceFinder(context, service).find(false);
    } catch (CommandFailure e) {
      return null;
    }
  }

  private void print(List<DoctorReport> reports) {
    if (json) {
      output.json(
          new JsonObject()
              .put("ok", reports.stream().allMatch(DoctorReport::isWell))
              .put("servers", new JsonArray(reports.stream().map(DoctorReport::toJson).toList())));
      return;
    }
    List<String> lines =
        reports.size() == 1
            ? ReportText.whole(reports.get(0), context.terminal())
            : ReportText.all(reports, context.terminal());
    lines.forEach(output::line);
  }

  /** Of several failures that with the highest code. */
  private static ExitCode exit(List<DoctorReport> reports) {
    return reports.stream()
        .map(DoctorReport::exit)
        .max(Comparator.comparingInt(ExitCode::code))
        .orElse(ExitCode.DONE);
  }
}
