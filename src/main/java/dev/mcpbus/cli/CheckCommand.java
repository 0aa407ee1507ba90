package dev.mcpbus.cli;

import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigProblem;
import dev.mcpbus.config.ConfigReport;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.read.ConfigCheck;
import dev.mcpbus.config.read.ConfigCheck.ListedServer;
import dev.mcpbus.config.read.ConfigReader;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code check}: reads the configuration and reports every problem at once; starts nothing. Lists
 * the servers, and warns of commands and files that are not on this machine.
 */
@Command(
    name = "check",
    sortOptions = false,
    description = {
      "Checks the configuration, prints every problem at once, starts nothing.",
      "Lists the servers, and warns of commands and files that are not on this machine."
    })
final class CheckCommand implements Callable<Integer> {

  private final CommandContext context;

  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description = "Configuration, JSON or YAML. Default: conf/mcpbus.json, else a built-in demo.")
  private @Nullable Path file;

  @Parameters(arity = "0..1", paramLabel = "FILE", description = "The same as --config FILE.")
  private @Nullable Path named;

  CheckCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    return check(context, file == null ? named : file);
  }

  /**
   * Returns the exit code: 0 without a problem, also with warnings, else 1. What is missing on this
   * machine is a warning, because the file may run on another one.
   */
  static int check(CommandContext context, @Nullable Path named) {
    Path source = ConfigFile.find(named);
    ConfigResult result = ConfigReader.read(source, ConfigEnvironment.system());
    if (!result.notes().isEmpty()) {
      context.err().print(ConfigReport.notes(result.notes()));
    }
    if (!result.problems().isEmpty()) {
      context.err().print(ConfigReport.render(result.problems()));
      return ExitCode.UNEXPECTED.code();
    }
    List<ListedServer> servers = result.usable().map(ConfigCheck::servers).orElse(List.of());
    List<ConfigProblem> missing =
        result.usable().map(new ConfigCheck(context.variables())::missing).orElse(List.of());
    if (!missing.isEmpty()) {
      context.err().print(ConfigReport.notes(missing));
    }
    String name = ConfigFile.isOnDisk(source) ? source.toString() : "built-in demo";
    CommandOutput out = new CommandOutput(context);
    out.line(
        name
            + ": no problems, "
            + counted(servers.size(), "server")
            + (missing.isEmpty()
                ? ""
                : ", " + counted(missing.size(), "warning") + " about this machine"));
    if (!servers.isEmpty()) {
      TextTable table = new TextTable("ID", "TYPE", "TARGET");
      servers.forEach(server -> table.row(server.id(), server.type(), server.target()));
      out.table(table);
    }
    return ExitCode.DONE.code();
  }

  private static String counted(int number, String noun) {
    return number + " " + noun + (number == 1 ? "" : "s");
  }
}
