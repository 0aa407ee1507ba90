package dev.mcpbus.cli.stdio;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.cli.CommandContext;
import dev.mcpbus.cli.CommandFailure;
import dev.mcpbus.cli.ConfigFile;
import dev.mcpbus.cli.ExitCode;
import dev.mcpbus.cli.FileConsent;
import dev.mcpbus.cli.LocalService;
import dev.mcpbus.cli.ServiceClient;
import dev.mcpbus.cli.ServiceFinder;
import dev.mcpbus.cli.ServiceOptions;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigReport;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.config.read.ConfigReader;
import dev.mcpbus.protocol.Printable;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code --stdio}: mcpbus as an MCP server on stdin and stdout. Runs on the main thread. */
@Command(
    name = "--stdio",
    sortOptions = false,
    description = {
      "Serves MCP on stdin and stdout, for editors that start commands.",
      "With --config: the servers of FILE, in a process of their own. With --url: a running mcpbus.",
      "With neither: the mcpbus of this machine, or the servers of conf/mcpbus.json, if you have",
      "agreed to it."
    })
public final class StdioCommand implements Callable<Integer> {

  private final CommandContext context;
  private final OutputStream stdout;

  @Mixin private ServiceOptions options = new ServiceOptions();

  @Parameters(
      arity = "0..1",
      paramLabel = "VIEW",
      description = "A server's id or the name of a view. Default: all servers.")
  private @Nullable String view;

  /**
   * @param stdout the bare stream: what the context prints to would be filtered for people
   */
  public StdioCommand(CommandContext context, OutputStream stdout) {
    this.context = context;
    this.stdout = stdout;
  }

  @Override
  public Integer call() throws InterruptedException {
    if (options.config != null && options.url != null) {
      throw CommandFailure.usage(
          "--stdio takes --config FILE, for servers of its own, or --url URL, for a running mcpbus");
    }
    System.setOut(System.err); // stdout has messages alone, whatever a library prints
    try (StdioProcess process = new StdioProcess(context.in(), stdout)) {
      return serve(process);
    }
  }

  private int serve(StdioProcess process) throws InterruptedException {
    ServiceClient service;
    try {
      service = find();
      service.key(); // a sign-in that has ended is told to the client, too
    } catch (CommandFailure e) {
      String why = String.valueOf(e.getMessage());
      context.err().println("mcpbus --stdio: " + Printable.lines(why));
      process.refuse(why);
      return e.exit().code();
    }
    try (service) {
      URI endpoint = endpoint(service.url(), view);
      context.err().println("mcpbus --stdio: " + what(service, endpoint));
      process.bridge(
          endpoint,
          new BridgeErrors(endpoint.toString(), view),
          new BridgeKey(process.vertx(), service.key(), () -> key(service)));
      return ExitCode.DONE.code();
    }
  }

  private ServiceClient find() {
    if (options.config != null) {
      return own(options.config);
    }
    try {
      return new ServiceFinder(context, options, true).find(false);
    } catch (CommandFailure e) {
      if (e.exit() == ExitCode.UNREACHABLE) {
        return own(null);
      }
      throw e;
    }
  }

  /** The servers of a file, whatever else runs on this machine. */
  private ServiceClient own(@Nullable Path named) {
    Path file = ConfigFile.find(named);
    ConfigResult read =
        ConfigReader.read(file, ConfigEnvironment.system().withVariables(context.variables()));
    McpBusConfig config = read.config();
    if (config == null) {
      throw new CommandFailure(
          ExitCode.UNEXPECTED,
          "BAD_CONFIGURATION",
          ConfigReport.render(read.problems()).stripTrailing());
    }
    if (!read.problems().isEmpty()) {
      context.err().print(ConfigReport.render(read.problems()));
    }
    FileConsent.require(context, named, read, config, false);
    LocalService own = context.launcher().serve(file, read, config);
    return new ServiceClient(own.url(), own.token(), own);
  }

  /** A service that was started again has another admin key. */
  private @Nullable String key(ServiceClient service) {
    return service.isOwn()
        ? service.key()
        : new ServiceFinder(context, options, true).find(false).key();
  }

  private String what(ServiceClient service, URI endpoint) {
    String file = String.valueOf(options.config == null ? ConfigFile.find(null) : options.config);
    return service.isOwn() ? "the servers of " + file : "bridge to " + endpoint;
  }

  /** The MCP endpoint of a service; a URL that names it already stays. */
  static URI endpoint(URI service, @Nullable String view) {
    String base = service.toString();
    String path = String.valueOf(service.getPath());
    String root = path.endsWith("/mcp") || path.contains("/mcp/") ? base : base + "/mcp";
    return URI.create(view == null ? root : root + "/" + ServiceClient.segment(id(view)));
  }

  private static String id(String view) {
    return ConnectionId.named(view).map(ConnectionId::value).orElse(view);
  }
}
