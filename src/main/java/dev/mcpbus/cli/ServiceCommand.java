package dev.mcpbus.cli;

import io.vertx.core.json.JsonObject;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * A command that talks to a mcpbus: finds it, runs, and ends the service that it has started. For
 * the main thread.
 */
public abstract class ServiceCommand implements Callable<Integer> {

  private final CommandContext context;
  private final OwnService own;
  private final CommandOutput output;

  @Mixin private ServiceOptions service = new ServiceOptions();

  @Option(
      names = "--json",
      order = 91,
      description = "Print JSON for programs: one document, and errors as one line on stderr.")
  private boolean json;

  /** Whether a command starts a mcpbus that lives as long as itself, where none runs. */
  protected enum OwnService {
    STARTED,
    USELESS
  }

  protected ServiceCommand(CommandContext context) {
    this(context, OwnService.USELESS);
  }

  protected ServiceCommand(CommandContext context, OwnService own) {
    this.context = context;
    this.own = own;
    this.output = new CommandOutput(context);
  }

  @Override
  public final Integer call() {
    try (ServiceClient client = find(new ServiceFinder(context, service))) {
      return run(client).code();
    }
  }

  /** Finds the mcpbus of {@link #run}. */
  protected ServiceClient find(ServiceFinder finder) {
    return finder.find(own == OwnService.STARTED);
  }

  /**
   * Does the work.
   *
   * @throws CommandFailure with the exit code and the error text
   */
  protected abstract ExitCode run(ServiceClient client);

  /** True where the result is for programs. */
  protected final boolean json() {
    return json;
  }

  /** Prints a result as JSON, or as {@code text} does for people. */
  protected final ExitCode shown(JsonObject result, Runnable text) {
    if (json) {
      output.json(result);
    } else {
      text.run();
    }
    return ExitCode.DONE;
  }

  protected final CommandContext context() {
    return context;
  }

  protected final CommandOutput output() {
    return output;
  }
}
