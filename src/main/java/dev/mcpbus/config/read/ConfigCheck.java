package dev.mcpbus.config.read;

import dev.mcpbus.config.ConfigProblem;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.transport.ChildEnvironment;
import dev.mcpbus.transport.CommandSearch;
import dev.mcpbus.transport.CommandSearch.Disk;
import dev.mcpbus.transport.CommandSearch.FoundCommand;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.SocketOptions;
import dev.mcpbus.transport.SseOptions;
import dev.mcpbus.transport.StdioOptions;
import dev.mcpbus.transport.TlsOptions;
import dev.mcpbus.transport.TransportOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What {@code check} adds to reading a file: the servers as a list, and what they name that is not
 * on this machine. The latter are warnings: the file may be checked on another machine, or by
 * another user, than it runs on. Starts nothing; accesses the file system.
 */
public final class ConfigCheck {

  /** An argument that names a local program of an interpreter: relative, or an absolute path. */
  private static final Pattern SCRIPT =
      Pattern.compile("(?!-)[^:@\\s]+\\.(js|mjs|cjs|ts|py|jar|rb|php)");

  private final Map<String, String> variables;
  private final Disk disk;

  /**
   * @param variables of the environment in which mcpbus runs
   */
  ConfigCheck(Map<String, String> variables, Disk disk) {
    this.variables = Map.copyOf(variables);
    this.disk = disk;
  }

  /** A check on this machine. */
  public ConfigCheck(Map<String, String> variables) {
    this(variables, Disk.SYSTEM);
  }

  /** Shows no variable: each may be a secret. */
  @Override
  public String toString() {
    return "check with " + variables.size() + " variables";
  }

  /**
   * A server in the list.
   *
   * @param id by which calls name it
   * @param type of the transport
   * @param target command with arguments, URL or address; secrets are {@code ***}
   */
  public record ListedServer(String id, String type, String target) {}

  /** The servers that would start, in the order of the file. */
  public static List<ListedServer> servers(McpBusConfig config) {
    return config.servers().stream()
        .map(
            server ->
                new ListedServer(
                    server.id().value(), server.transport().type(), target(server.view())))
        .toList();
  }

  private static String target(JsonObject view) {
    if (view.containsKey("command")) {
      return Stream.concat(
              Stream.of(view.getString("command")),
              view.getJsonArray("args", new JsonArray()).stream().map(String::valueOf))
          .collect(Collectors.joining(" "));
    }
    return view.getString("url", view.getString("address", ""))
        + (view.containsKey("headersHelper") ? " with headers of a command" : "");
  }

  /** Commands, directories, scripts and certificates that are not there, in the file's order. */
  public List<ConfigProblem> missing(McpBusConfig config) {
    return config.servers().stream().flatMap(server -> missing(server).stream()).toList();
  }

  private List<ConfigProblem> missing(ServerDefinition server) {
    TransportOptions transport = server.transport();
    if (transport instanceof StdioOptions stdio) {
      return stdio(server, stdio);
    }
    if (transport instanceof HttpOptions http) {
      return tls(server, http.tls());
    }
    if (transport instanceof SseOptions sse) {
      return tls(server, sse.http().tls());
    }
    return transport instanceof SocketOptions socket ? tls(server, socket.tls()) : List.of();
  }

  private List<ConfigProblem> stdio(ServerDefinition server, StdioOptions stdio) {
    Map<String, String> environment = ChildEnvironment.of(variables);
    stdio.env().forEach((name, value) -> environment.put(name, value.reveal()));
    Sensitive directory = stdio.cwd();
    Path cwd = directory == null ? null : Path.of(directory.reveal());
    FoundCommand found = CommandSearch.find(stdio.command().reveal(), environment, cwd, disk);
    if (found.program() == null) {
      return List.of(warning(server, found.problem(), found.remedy()));
    }
    return script(stdio, cwd)
        .map(
            path ->
                warning(
                    server,
                    "the argument " + path + " names a file that does not exist",
                    "correct the path in \"args\", or the directory in \"cwd\""))
        .stream()
        .toList();
  }

  /** The first argument that names a program for an interpreter, if that does not exist. */
  private Optional<Path> script(StdioOptions stdio, @Nullable Path cwd) {
    Path base = (cwd == null ? Path.of("") : cwd).toAbsolutePath();
    return stdio.args().stream()
        .map(Sensitive::reveal)
        .filter(arg -> SCRIPT.matcher(arg).matches())
        .findFirst()
        .map(base::resolve)
        .map(Path::normalize)
        .filter(path -> !disk.exists(path));
  }

  private List<ConfigProblem> tls(ServerDefinition server, @Nullable TlsOptions tls) {
    List<ConfigProblem> missing = new ArrayList<>();
    if (tls != null) {
      tls(server, "caFile", tls.caFile(), missing);
      tls(server, "certFile", tls.certFile(), missing);
      tls(server, "keyFile", tls.keyFile(), missing);
    }
    return missing;
  }

  private void tls(
      ServerDefinition server, String key, @Nullable Path file, List<ConfigProblem> missing) {
    if (file != null && !disk.exists(file)) {
      missing.add(
          warning(
              server, "\"tls." + key + "\" names no file: " + file, "create it, or correct it"));
    }
  }

  private static ConfigProblem warning(ServerDefinition server, String message, String remedy) {
    String shown = server.redactor().redact(message);
    return new ConfigProblem(
        server.source(),
        0,
        server.name(),
        shown,
        Character.toUpperCase(remedy.charAt(0)) + server.redactor().redact(remedy.substring(1)),
        false);
  }
}
