package dev.mcpbus.cli;

import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** One command line in this JVM, with streams, variables and a launcher of its own. */
public final class CommandRun {

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final List<ServiceLauncher.Launch> launched = new ArrayList<>();
  private final int code;

  /** Runs it to its end. */
  public CommandRun(Path home, Map<String, String> variables, String in, String... args) {
    code = McpBusCommand.execute(context(home, variables, in), List.of(), args);
  }

  /** Without variables and input, and with a home in which nothing can be written. */
  public CommandRun(String... args) {
    this(Path.of("/dev/null/home"), Map.of(), "", args);
  }

  private CommandContext context(Path home, Map<String, String> variables, String in) {
    return context(home, variables, in, out, err, launched);
  }

  /** For tests that make one command themselves. */
  public static CommandContext context(
      Path home,
      Map<String, String> variables,
      String in,
      ByteArrayOutputStream out,
      ByteArrayOutputStream err,
      List<ServiceLauncher.Launch> launched) {
    ServiceLauncher launcher =
        new ServiceLauncher() {
          @Override
          public int run(Launch launch) {
            launched.add(launch);
            return 0;
          }

          @Override
          public LocalService start(Path file, ConfigResult result, McpBusConfig config) {
            throw new CommandFailure(ExitCode.UNREACHABLE, "NOT_STARTED", "a service is wanted");
          }
        };
    return new CommandContext(
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8),
        new ByteArrayInputStream(in.getBytes(StandardCharsets.UTF_8)),
        variables,
        home,
        Terminal.NONE,
        launcher);
  }

  public int code() {
    return code;
  }

  public String out() {
    return out.toString(StandardCharsets.UTF_8);
  }

  public String err() {
    return err.toString(StandardCharsets.UTF_8);
  }

  List<ServiceLauncher.Launch> launched() {
    return launched;
  }
}
