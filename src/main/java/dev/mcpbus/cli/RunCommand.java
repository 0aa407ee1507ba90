package dev.mcpbus.cli;

import dev.mcpbus.cli.ServiceLauncher.Launch;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigReport;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.config.read.ConfigReader;
import dev.mcpbus.config.read.DurationText;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code run}: reads the configuration and runs the service until it is ended. */
@Command(
    name = "run",
    sortOptions = false,
    description = "Runs mcpbus until Ctrl-C or SIGTERM; the word may be left out.")
final class RunCommand implements Callable<Integer> {

  /** At a start that goes on; the table shows the servers, and check shows all of them. */
  private static final int MAX_PROBLEMS = 10;

  private static final Duration MAX_DRAIN = Duration.ofHours(1);

  private static final Path CLUSTER_FILE = Path.of("conf", "cluster.xml");

  private final CommandContext context;

  @Mixin private RunOptions options = new RunOptions();

  @Parameters(arity = "0..1", paramLabel = "FILE", description = "The same as --config FILE.")
  private @Nullable Path named;

  RunCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    options.file = options.file == null ? named : options.file;
    return run(context, options);
  }

  /** Returns the exit code. */
  static int run(CommandContext context, RunOptions options) {
    Integer port = options.port;
    if (port != null && (port < 0 || port > 65535)) {
      throw CommandFailure.usage("--port must be 0 to 65535, not " + port);
    }
    Path clusterFile = options.clusterFile;
    if (clusterFile != null && !Files.isReadable(clusterFile)) {
      throw CommandFailure.usage("--cluster-config " + clusterFile + " cannot be read");
    }
    Duration drain = drain(options.drain);
    Path file = ConfigFile.find(options.file);
    ConfigResult result = ConfigReader.read(file, ConfigEnvironment.system());
    if (!result.notes().isEmpty()) {
      context.err().print(ConfigReport.first(ConfigReport.notes(result.notes()), MAX_PROBLEMS));
    }
    if (!result.problems().isEmpty()) {
      String report = ConfigReport.render(result.problems());
      boolean goesOn = result.config() != null;
      context.err().print(goesOn ? ConfigReport.first(report, MAX_PROBLEMS) : report);
    }
    McpBusConfig config = result.config();
    if (config != null) {
      FileConsent.of(context.home()).give(file, result);
    }
    return config == null
        ? ExitCode.UNEXPECTED.code()
        : context
            .launcher()
            .run(
                new Launch(
                    file,
                    result,
                    config,
                    port,
                    options.cluster || clusterFile != null,
                    clusterFile == null ? ownClusterFile() : clusterFile,
                    drain,
                    listening -> {}));
  }

  /** A number without a unit counts seconds. */
  private static @Nullable Duration drain(@Nullable String text) {
    return text == null
        ? null
        : DurationText.parse(text.matches("\\d+") ? text + "s" : text)
            .filter(drain -> drain.compareTo(MAX_DRAIN) <= 0)
            .orElseThrow(
                () ->
                    CommandFailure.usage(
                        "--drain must be a time of at most 1 h such as 10s, not " + text));
  }

  private static @Nullable Path ownClusterFile() {
    return Files.isReadable(CLUSTER_FILE) ? CLUSTER_FILE : null;
  }
}
