package dev.mcpbus.cli;

import io.vertx.core.json.JsonObject;
import java.util.List;
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
    super(context);
  }

  @Override
  protected boolean startsItsOwn() {
    return true;
  }

  @Override
  protected ExitCode run(ServiceClient client) {
    JsonObject result =
        client.post(
            ServerTool.pathOf(server) + "/resources/read", new JsonObject().put("uri", uri));
    if (json()) {
      output().json(result);
      return ExitCode.DONE;
    }
    List<JsonObject> contents = ContentText.objects(result, "contents");
    for (JsonObject content : contents) {
      if (content.containsKey("blob") && !output().terminal().out()) {
        output().bytes(ContentText.bytes(content, "blob"));
      } else {
        output().text(ContentText.resource(content));
      }
    }
    return ExitCode.DONE;
  }
}
