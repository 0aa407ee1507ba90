package dev.mcpbus;

import dev.mcpbus.cli.CommandContext;
import dev.mcpbus.cli.LocalService;
import dev.mcpbus.cli.McpBusCommand;
import dev.mcpbus.cli.ServiceLauncher;
import dev.mcpbus.cli.Terminal;
import dev.mcpbus.cli.TerminalOutput;
import dev.mcpbus.cli.doctor.DoctorCommand;
import dev.mcpbus.cli.imports.ImportCommand;
import dev.mcpbus.cli.stdio.StdioCommand;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.internals.OptionalLibrary;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;

/** The entry of the executable jar: gives the commands what they need of the root. */
public final class Main {

  private Main() {}

  public static void main(String[] args) {
    if (!OptionalLibrary.PICOCLI.isPresent()) {
      System.err.println(OptionalLibrary.PICOCLI.missing());
      System.exit(1);
    }
    CommandContext context = context();
    int code = McpBusCommand.execute(context, more(context), args);
    if (code != 0) {
      System.exit(code);
    }
  }

  /** All commands. */
  static CommandLine commandLine() {
    CommandContext context = context();
    return McpBusCommand.create(context, more(context));
  }

  /** The commands of packages that build on {@code cli}, one line each. */
  private static List<?> more(CommandContext context) {
    FileOutputStream stdout = new FileOutputStream(FileDescriptor.out);
    return List.of(
        new DoctorCommand(context), new ImportCommand(context), new StdioCommand(context, stdout));
  }

  private static CommandContext context() {
    PrintStream out = new TerminalOutput(System.out);
    PrintStream err = new TerminalOutput(System.err);
    return new CommandContext(
        out,
        err,
        System.in,
        System.getenv(),
        Path.of(System.getProperty("user.home", ".")),
        Terminal.ofProcess(System.getenv()),
        new Launcher(out, err));
  }

  /** Starts the service, for {@code run} and for one command. */
  private record Launcher(PrintStream out, PrintStream err) implements ServiceLauncher {

    @Override
    public int run(Launch launch) {
      return Service.run(launch, out, err);
    }

    @Override
    public LocalService start(Path file, ConfigResult result, McpBusConfig config) {
      return InProcessService.start(file, result, config);
    }

    @Override
    public LocalService serve(Path file, ConfigResult result, McpBusConfig config) {
      return InProcessService.serve(file, result, config);
    }
  }
}
