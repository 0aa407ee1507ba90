package dev.mcpbus.cli;

import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigReader;
import dev.mcpbus.config.ConfigReport;
import dev.mcpbus.config.ConfigResult;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code check}: reads the configuration and reports every problem at once; starts nothing. */
@Command(
    name = "check",
    sortOptions = false,
    description = "Checks the configuration, prints every problem at once, starts nothing.")
final class CheckCommand implements Callable<Integer> {

  private final CommandContext context;

  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description = "Configuration, JSON or YAML. Default: conf/mcpbus.json, else a built-in demo.")
  private @Nullable Path file;

  CheckCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    return check(context, file);
  }

  /** Returns the exit code: 0 without a problem, else 1. */
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
    int servers = result.usable().map(config -> config.servers().size()).orElse(0);
    String name = ConfigFile.isOnDisk(source) ? source.toString() : "built-in demo";
    context
        .out()
        .println(name + ": no problems, " + servers + (servers == 1 ? " server" : " servers"));
    return ExitCode.DONE.code();
  }
}
