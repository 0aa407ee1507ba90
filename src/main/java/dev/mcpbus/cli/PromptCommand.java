package dev.mcpbus.cli;

import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code prompt}: lists the prompts of a server, or fills one in. */
@Command(
    name = "prompt",
    sortOptions = false,
    description = "Fills in a prompt of a server, or lists its prompts.")
final class PromptCommand extends ServiceCommand {

  @Parameters(index = "0", paramLabel = "SERVER", description = "The server's id.")
  private String server = "";

  @Parameters(index = "1", arity = "0..1", paramLabel = "NAME", description = "The prompt.")
  private @Nullable String name;

  @Parameters(index = "2..*", paramLabel = "key=value", description = "Its arguments: texts.")
  private List<String> words = List.of();

  PromptCommand(CommandContext context) {
    super(context, OwnService.STARTED);
  }

  @Override
  protected ExitCode run(ServiceClient client) {
    String prompt = name;
    if (prompt == null) {
      JsonObject list = client.get(ServerTool.pathOf(server) + "/prompts");
      return shown(list, () -> list(list));
    }
    JsonObject arguments = new JsonObject();
    ArgumentWords.split(words).forEach((key, values) -> arguments.put(key, values.get(0)));
    JsonObject result = get(client, prompt, arguments);
    return shown(
        result,
        () ->
            ContentText.objects(result, "messages")
                .forEach(
                    message -> {
                      output().line(ContentText.text(message, "role") + ":");
                      output().text(ContentText.block(message.getValue("content")));
                    }));
  }

  private JsonObject get(ServiceClient client, String prompt, JsonObject arguments) {
    String path = ServerTool.pathOf(server);
    return CallCommand.fitsInPath(prompt)
        ? client.post(path + "/prompts/" + ServiceClient.segment(prompt), arguments)
        : client.post(
            path + "/request",
            new JsonObject()
                .put("method", "prompts/get")
                .put("params", new JsonObject().put("name", prompt).put("arguments", arguments)));
  }

  private void list(JsonObject list) {
    TextTable table = new TextTable("PROMPT", "ARGUMENTS", "WHAT IT IS FOR");
    for (JsonObject each : ContentText.objects(list, "prompts")) {
      List<String> arguments =
          ContentText.objects(each, "arguments").stream()
              .map(argument -> ContentText.text(argument, "name"))
              .toList();
      table.row(
          each.getValue("name"),
          String.join(", ", arguments),
          ContentText.text(each, "description"));
    }
    if (table.isEmpty()) {
      output().note("The server " + server + " has no prompts.");
    } else {
      output().table(table);
    }
  }
}
