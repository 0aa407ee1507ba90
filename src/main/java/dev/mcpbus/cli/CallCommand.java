package dev.mcpbus.cli;

import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code call}: calls one tool; Ctrl-C cancels the call at the server. */
@Command(
    name = "call",
    sortOptions = false,
    description = {
      "Calls a tool.",
      "Values have the types of the tool's input schema: numbers, true and false; arrays and "
          + "objects as JSON, an array also as one key=value for each element."
    },
    footer = {
      "",
      "Examples:  mcpbus call demo.add a=2 b=3",
      "           echo '{\"a\": 2, \"b\": 3}' | mcpbus call demo.add --args -"
    })
final class CallCommand extends ServiceCommand {

  @Parameters(index = "0", paramLabel = "SERVER.TOOL", description = "The tool.")
  private String tool = "";

  @Parameters(index = "1..*", paramLabel = "key=value", description = "Its arguments.")
  private List<String> words = List.of();

  @Option(
      names = {"-a", "--args"},
      paramLabel = "FILE",
      description = "The arguments as a JSON object in a file; - is stdin.")
  private @Nullable Path file;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      description = "How long to wait for the answer. Default: as long as mcpbus does.")
  private @Nullable Integer seconds;

  CallCommand(CommandContext context) {
    super(context, OwnService.STARTED);
  }

  @Override
  protected ExitCode run(ServiceClient client) {
    String[] name = ServerTool.split(client, tool);
    Integer limit = seconds;
    if (limit != null && (limit < 1 || limit > 86_400)) {
      throw CommandFailure.usage("--timeout must be 1 to 86400 seconds");
    }
    JsonObject arguments = arguments(client);
    String query = limit == null ? "" : "?timeout=" + limit * 1_000L;
    JsonObject result = call(client, name[0], name[1], query, arguments);
    boolean failed = Boolean.TRUE.equals(result.getValue("isError"));
    shown(result, () -> output().text(ContentText.ofToolResult(result)));
    if (failed && !json()) {
      output().note("mcpbus: the tool " + tool + " reports an error");
    }
    return failed ? ExitCode.TOOL_FAILED : ExitCode.DONE;
  }

  private JsonObject arguments(ServiceClient client) {
    Path from = file;
    if (from != null && !words.isEmpty()) {
      throw CommandFailure.usage("give the arguments as key=value or by --args, not both");
    }
    if (from != null) {
      return ArgumentWords.read(context(), from);
    }
    if (words.isEmpty()) {
      return new JsonObject();
    }
    ArgumentWords.split(words); // a mistake here needs no server
    ServerTool found = ServerTool.toCall(client, tool);
    return ArgumentWords.typed("the tool " + tool, words, found.arguments(), found.takesOthers());
  }

  @SuppressWarnings("try") // both work until they are closed
  private JsonObject call(
      ServiceClient client, String server, String name, String query, JsonObject arguments) {
    String id = UUID.randomUUID().toString();
    String path = ServerTool.pathOf(server);
    try (InterruptHook hook =
            new InterruptHook(
                () -> client.post(path + "/cancel", new JsonObject().put("callId", id)), client);
        Spinner spinner = new Spinner(output(), "calling " + tool);
        ProgressFeed progress = progress(client, spinner)) {
      Map<String, String> headers =
          progress == null
              ? Map.of("Call-Id", id)
              : Map.of("Call-Id", id, "Progress", progress.name());
      return fitsInPath(name)
          ? client.send(
              "POST",
              path + "/tools/" + ServiceClient.segment(name) + query,
              arguments,
              headers,
              null)
          : client.send(
              "POST",
              path + "/request" + query,
              new JsonObject()
                  .put("method", "tools/call")
                  .put("params", new JsonObject().put("name", name).put("arguments", arguments)),
              headers,
              null);
    }
  }

  /** Null where no person waits. */
  private @Nullable ProgressFeed progress(ServiceClient client, Spinner spinner) {
    return output().terminal().err() ? new ProgressFeed(client, spinner::progress) : null;
  }

  /** A name with a slash, and a name that is a step of a path, is no segment. */
  static boolean fitsInPath(String name) {
    return name.chars().noneMatch(c -> c == '/' || c == '\\' || c < 0x20 || c == 0x7F)
        && !name.equals(".")
        && !name.equals("..");
  }
}
