package dev.mcpbus;

import dev.mcpbus.bus.McpBusVersion;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigReader;
import dev.mcpbus.config.ConfigReport;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.security.ApiKeys;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;

/** The command line: reads the configuration and starts the service, or only checks it. */
@Command(
    name = "mcpbus",
    mixinStandardHelpOptions = true,
    versionProvider = Main.VersionProvider.class,
    sortOptions = false,
    description = {
      "Holds connections to MCP servers and serves them on an event bus and over HTTP.",
      ""
    },
    footerHeading = "%nExit codes:%n",
    footer = {
      "  0  ended normally; with --check: no problem",
      "  1  could not start; with --check: problems",
      "  2  wrong usage",
      "  143, 130  ended by SIGTERM or Ctrl-C, after calls in flight and servers",
      "",
      "Configuration files of Claude Desktop, Claude Code, Cursor and VS Code run unchanged.",
      "Example:  java -jar mcpbus.jar --config ~/.cursor/mcp.json --port 8790"
    })
public final class Main implements Callable<Integer> {

  private static final Path CLUSTER_FILE = Path.of("conf", "cluster.xml");
  private static final Path DEFAULT_FILE = Path.of("conf", "mcpbus.json");

  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description = "Configuration, JSON or YAML. Default: conf/mcpbus.json, else a built-in demo.")
  private @Nullable Path file;

  @Option(
      names = {"-p", "--port"},
      paramLabel = "PORT",
      description = "Port of the HTTP bridge on 127.0.0.1; 0 takes a free one. Default: 8790.")
  private @Nullable Integer port;

  @Option(
      names = "--cluster",
      description = {
        "Join the other nodes, or found a cluster. \"cluster\" in the configuration says how;",
        "without it, the nodes of this user on this machine, over the loopback interface only."
      })
  private boolean cluster;

  @Option(
      names = "--cluster-config",
      paramLabel = "FILE",
      description = {
        "Hazelcast's own configuration, XML or YAML, in place of the built-in one.",
        "Default: conf/cluster.xml where there is one."
      })
  private @Nullable Path clusterFile;

  @Option(
      names = "--check",
      description = "Check the configuration, print every problem at once, start nothing.")
  private boolean check;

  @Option(
      names = "--new-key",
      paramLabel = "NAME",
      description = "Print a new API key, once, and its entry for the configuration.")
  private @Nullable String keyName;

  private final PrintStream out = new TerminalOutput(System.out);
  private final PrintStream err = new TerminalOutput(System.err);

  /** Reads the version that the build wrote. */
  static final class VersionProvider implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"mcpbus " + McpBusVersion.current()};
    }
  }

  public static void main(String[] args) {
    int code = new CommandLine(new Main()).execute(args);
    if (code != 0) {
      System.exit(code);
    }
  }

  @Override
  public Integer call() {
    if (port != null && (port < 0 || port > 65535)) {
      err.println("--port must be 0 to 65535, not " + port);
      return CommandLine.ExitCode.USAGE;
    }
    if (keyName != null) {
      return freshKey(keyName);
    }
    Path source = source();
    ConfigResult result = ConfigReader.read(source, ConfigEnvironment.system());
    if (!result.notes().isEmpty()) {
      err.print(ConfigReport.notes(result.notes()));
    }
    if (check) {
      return checked(source, result);
    }
    if (!result.problems().isEmpty()) {
      err.print(ConfigReport.render(result.problems()));
    }
    if (clusterFile != null && !Files.isReadable(clusterFile)) {
      err.println("--cluster-config " + clusterFile + " cannot be read");
      return CommandLine.ExitCode.USAGE;
    }
    McpBusConfig config = result.config();
    return config == null ? 1 : Service.run(source, result, config, port, engine(), out, err);
  }

  private Service.Engine engine() {
    Path own = Files.isReadable(CLUSTER_FILE) ? CLUSTER_FILE : null;
    return new Service.Engine(
        cluster || clusterFile != null, clusterFile == null ? own : clusterFile);
  }

  private int freshKey(String name) {
    ApiKeys.Fresh fresh = ApiKeys.generate(new SecureRandom());
    out.println("The key; mcpbus does not store it and cannot show it again:");
    out.println("  " + fresh.key());
    out.println("For \"auth\": {\"apiKeys\": [...]} of the configuration:");
    out.println("  " + new JsonObject().put("name", name).put("hash", fresh.hash()).encode());
    return 0;
  }

  private int checked(Path source, ConfigResult result) {
    if (result.problems().isEmpty()) {
      int servers = result.usable().map(config -> config.servers().size()).orElse(0);
      String name = Service.isFile(source) ? source.toString() : "built-in demo";
      out.println(name + ": no problems, " + servers + (servers == 1 ? " server" : " servers"));
      return 0;
    }
    err.print(ConfigReport.render(result.problems()));
    return 1;
  }

  /** The file of the command line, else the one in this directory, else the one in the jar. */
  private Path source() {
    if (file != null) {
      return file;
    }
    return Files.isReadable(DEFAULT_FILE) ? DEFAULT_FILE : builtIn();
  }

  private static Path builtIn() {
    URL url = Main.class.getResource("/conf/mcpbus.json");
    if (url == null) {
      return DEFAULT_FILE;
    }
    try {
      URI uri = url.toURI();
      if (uri.getScheme().equals("jar")) {
        // Stays open until the process ends: the returned path belongs to it.
        FileSystems.newFileSystem(uri, Map.of());
      }
      return Path.of(uri);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
