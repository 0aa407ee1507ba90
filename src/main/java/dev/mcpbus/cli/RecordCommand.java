package dev.mcpbus.cli;

import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigReport;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.read.ConfigReader;
import dev.mcpbus.internals.PrivateFile;
import dev.mcpbus.protocol.ServerId;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code record}: writes down what a real server answers, for {@code FakeMcpServer.replay}. Starts
 * a copy of the server in a service of its own, whose RPC log it reads. On the main thread.
 */
@Command(
    name = "record",
    sortOptions = false,
    customSynopsis = {
      "mcpbus record SERVER -o FILE [--call 'TOOL JSON']... [--request 'METHOD JSON']...",
      "       mcpbus record URL -o FILE ...",
      "       mcpbus record -o FILE ... -- COMMAND [ARG...]"
    },
    description = {
      "Records a server for tests, which replay it: its handshake, its lists, and the answers to",
      "the calls and requests given here, in JSON Lines. Starts a copy of the server for that.",
      "Secrets are masked; look at the file before you share it."
    },
    footer = {
      "",
      "Examples:  mcpbus record git -o git.jsonl --call 'git_status {\"repo_path\": \".\"}'",
      "           mcpbus record -o all.jsonl --call 'echo {\"message\": \"hi\"}' -- npx -y"
          + " @modelcontextprotocol/server-everything"
    })
final class RecordCommand implements Callable<Integer> {

  private static final long POLL_MILLIS = 20;
  private static final long DAY_SECONDS = 86_400;
  private static final Set<String> WORKS = Set.of("READY", "DEGRADED");

  private final CommandContext context;
  private final CommandOutput out;

  @Parameters(
      arity = "1..*",
      paramLabel = "SERVER, URL or COMMAND",
      description = "A server of the configuration, a URL, or behind -- a command with arguments.")
  private List<String> words = List.of();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      required = true,
      description = "Where to write the recording; a file that is there is replaced.")
  private Path file = Path.of("");

  @Option(
      names = "--call",
      paramLabel = "'TOOL JSON'",
      description = "A tool to call, and its arguments; several times for several.")
  private List<String> calls = List.of();

  @Option(
      names = "--request",
      paramLabel = "'METHOD JSON'",
      description = "Any other request, such as 'resources/read {\"uri\": \"...\"}'.")
  private List<String> requests = List.of();

  @Option(
      names = {"-e", "--env"},
      paramLabel = "NAME=VALUE",
      description = "A variable for the command; 'KEY=$${VARIABLE}' takes a secret from yours.")
  private List<String> variables = List.of();

  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description = "The configuration that has SERVER. Default: conf/mcpbus.json.")
  private @Nullable Path config;

  RecordCommand(CommandContext context) {
    this.context = context;
    this.out = new CommandOutput(context);
  }

  @Override
  public Integer call() {
    List<JsonObject> wanted = new ArrayList<>();
    for (String call : calls) {
      String[] parts = split(call);
      wanted.add(
          request(
              "tools/call",
              new JsonObject().put("name", parts[0]).put("arguments", json(call, parts[1]))));
    }
    for (String request : requests) {
      String[] parts = split(request);
      wanted.add(request(parts[0], json(request, parts[1])));
    }
    MessageRecording recording = new MessageRecording();
    record(recording, wanted);
    try {
      write(recording.lines());
    } catch (IOException e) {
      throw new CommandFailure(ExitCode.UNEXPECTED, "NOT_WRITTEN", file + ": " + e.getMessage());
    }
    recording.problems().forEach(problem -> out.note("Not recorded: " + problem));
    out.line(recording.size() + " answers are in " + file);
    return (recording.problems().isEmpty() ? ExitCode.DONE : ExitCode.UNEXPECTED).code();
  }

  /** What a server answers is for its user alone; a device, such as a pipe, stays what it is. */
  private void write(String lines) throws IOException {
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      Files.writeString(file, lines);
    } else {
      PrivateFile.of(file).replace(lines.getBytes(StandardCharsets.UTF_8));
    }
  }

  private static JsonObject request(String method, JsonObject params) {
    return new JsonObject().put("method", method).put("params", params);
  }

  private static String[] split(String words) {
    String[] parts = words.strip().split("\\s+", 2);
    return parts.length == 2 ? parts : new String[] {parts[0], "{}"};
  }

  private static JsonObject json(String whole, String text) {
    try {
      return new JsonObject(text);
    } catch (DecodeException e) {
      throw CommandFailure.usage("behind the name stands a JSON object, in: " + whole);
    }
  }

  // ---- the server

  private void record(MessageRecording recording, List<JsonObject> wanted) {
    Path source = ConfigFile.find(config);
    ConfigEnvironment environment = ConfigEnvironment.system().withVariables(context.variables());
    ConfigResult result = ConfigReader.read(source, environment);
    ServerDefinition found = words.size() == 1 ? named(result, words.get(0)) : null;
    if (found == null) {
      JsonObject servers = new JsonObject().put("recorded", AddCommand.entry(words, variables));
      result =
          ConfigReader.read(
              new JsonObject().put("mcpServers", servers),
              Path.of("").toAbsolutePath(),
              environment);
      found = named(result, "recorded");
    } else {
      FileConsent.require(context, config, result, usable(result), false);
    }
    if (found == null) {
      throw new CommandFailure(
          ExitCode.UNEXPECTED,
          "BAD_CONFIGURATION",
          ConfigReport.render(result.problems()).stripTrailing());
    }
    McpBusConfig alone =
        usable(result)
            .withServers(List.of(found.onDemand(found.handshakeTimeout(), found.installTimeout())));
    try (LocalService service = context.launcher().start(source, result, alone);
        ServiceClient client = new ServiceClient(service.url(), service.token(), null)) {
      record(client, found.id().value(), recording, wanted);
    }
  }

  private static McpBusConfig usable(ConfigResult result) {
    return result
        .usable()
        .orElseThrow(
            () ->
                new CommandFailure(
                    ExitCode.UNEXPECTED,
                    "BAD_CONFIGURATION",
                    ConfigReport.render(result.problems()).stripTrailing()));
  }

  private static @Nullable ServerDefinition named(ConfigResult result, String name) {
    return result.usable().stream()
        .flatMap(config -> config.servers().stream())
        .filter(each -> each.name().equals(name) || each.id().value().equals(ServerId.of(name)))
        .findFirst()
        .orElse(null);
  }

  private void record(
      ServiceClient client, String id, MessageRecording recording, List<JsonObject> wanted) {
    String base = "/api/servers/" + ServiceClient.segment(id);
    client.post(base + "/rpc-log", new JsonObject().put("mode", "bus").put("seconds", DAY_SECONDS));
    Thread reader = reader(client, "/api/rpc-log?server=" + ServiceClient.segment(id), recording);
    try (Spinner spinner = new Spinner(out, "recording " + String.join(" ", words))) {
      client.post(base + "/connect", new JsonObject());
      JsonObject offered = ready(client, base).getJsonObject("capabilities", new JsonObject());
      for (String list : List.of("tools", "prompts", "resources", "resources/templates")) {
        if (offered.containsKey(list.replace("/templates", ""))) {
          attempt(() -> client.get(base + "/" + list));
        }
      }
      for (JsonObject request : wanted) {
        spinner.progress(request.getString("method"));
        // A name, so that the server is asked for its progress.
        Map<String, String> headers = Map.of("Progress", UUID.randomUUID().toString());
        attempt(() -> client.send("POST", base + "/request", request, headers, null));
      }
      client.post(base + "/ping", new JsonObject());
      recording.awaitPing();
    }
    reader.interrupt();
  }

  /** What the server refuses is recorded, too. */
  private void attempt(Runnable request) {
    try {
      request.run();
    } catch (CommandFailure refused) {
      if (refused.exit() == ExitCode.INTERRUPTED) {
        throw refused;
      }
      out.note("The server refuses: " + refused.getMessage());
    }
  }

  private static JsonObject ready(ServiceClient client, String base) {
    while (true) {
      JsonObject status = client.get(base + "/status");
      if (WORKS.contains(status.getString("state", ""))) {
        return status;
      }
      JsonObject error = status.getJsonObject("lastError");
      if (error != null) {
        throw new CommandFailure(
            ExitCode.UNREACHABLE, error.getString("code", ""), error.getString("message", ""));
      }
      SettledServers.pause(POLL_MILLIS);
    }
  }

  /** Reads the RPC log from now on, on a thread that ends with the service. */
  private static Thread reader(ServiceClient client, String path, MessageRecording recording) {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(client.stream(path), StandardCharsets.UTF_8));
    Thread thread =
        new Thread(
            () -> {
              try (lines) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                  if (line.startsWith("data:")) {
                    recording.add(new JsonObject(line.substring(5)));
                  }
                }
              } catch (IOException ended) {
                // the service has ended
              }
            },
            "mcpbus-record");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }
}
