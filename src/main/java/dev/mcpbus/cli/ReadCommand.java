package dev.mcpbus.cli;

import io.vertx.core.json.JsonObject;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code read}: reads one resource; bytes go to a file or a pipe as they are. */
@Command(name = "read", sortOptions = false, description = "Reads a resource of a server.")
final class ReadCommand extends ServiceCommand {

  @Parameters(index = "0", paramLabel = "SERVER", description = "The server's id.")
  private String server = "";

  @Parameters(index = "1", paramLabel = "URI", description = "The resource.")
  private String uri = "";

  ReadCommand(CommandContext context) {
    super(context, OwnService.STARTED);
  }

  @Override
  protected ExitCode run(ServiceClient client) {
    JsonObject result =
        client.post(
            ServerTool.pathOf(server) + "/resources/read", new JsonObject().put("uri", uri));
    show(output(), result, json());
    return ExitCode.DONE;
  }

  /** Prints the contents of a resource. */
  static void show(CommandOutput output, JsonObject result, boolean json) {
    if (json) {
      output.json(result);
      return;
    }
    for (JsonObject content : ContentText.objects(result, "contents")) {
      if (content.containsKey("blob") && !output.terminal().out()) {
        output.bytes(ContentText.bytes(content, "blob"));
      } else {
        output.text(ContentText.resource(content));
      }
    }
  }
}
