package dev.mcpbus.cli;

import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code tools}: the tools of all servers or of one, or one tool with its arguments. */
@Command(
    name = "tools",
    sortOptions = false,
    description = "Lists tools, or shows the arguments of one tool.")
final class ToolsCommand extends ServiceCommand {

  @Parameters(
      arity = "0..1",
      paramLabel = "ID|SERVER.TOOL",
      description = "Only the tools of this server, or this tool.")
  private @Nullable String wanted;

  ToolsCommand(CommandContext context) {
    super(context, OwnService.STARTED);
  }

  @Override
  protected ExitCode run(ServiceClient client) {
    String name = wanted;
    if (name != null && name.indexOf('.') > 0 && !ServerTool.isServer(client, name)) {
      ServerTool tool = ServerTool.find(client, name);
      return shown(tool.definition(), () -> show(tool));
    }
    JsonObject list = name == null ? all(client) : client.get(ServerTool.pathOf(name) + "/tools");
    return shown(list, () -> list(client, list, name));
  }

  private void list(ServiceClient client, JsonObject list, @Nullable String of) {
    List<JsonObject> tools = ContentText.objects(list, "tools");
    if (tools.isEmpty()) {
      explain(client, list);
      return;
    }
    TextTable table = new TextTable("TOOL", "WHAT IT DOES");
    for (JsonObject tool : tools) {
      String own = ContentText.text(tool, "name");
      table.row(of == null ? own : of + "." + own, description(tool));
    }
    output().table(table);
  }

  private JsonObject all(ServiceClient client) {
    if (client.isOwn()) {
      SettledServers.list(client, output());
    }
    return client.get("/api/tools");
  }

  /** Says why there are none. */
  private void explain(ServiceClient client, JsonObject list) {
    String why = ContentText.text(list, "message");
    if (!why.isEmpty()) {
      output().note(why);
      return;
    }
    JsonObject all = client.get("/api/servers");
    List<JsonObject> servers = new ArrayList<>(ContentText.objects(all, "servers"));
    servers.addAll(ContentText.objects(all, "leftOut"));
    if (servers.isEmpty()) {
      output()
          .note("There are no tools, because there are no servers; add one with \"mcpbus add\".");
      return;
    }
    output().note("There are no tools. The servers are:");
    servers.forEach(server -> output().note("  " + StatusReport.inShort(server)));
  }

  private static String description(JsonObject tool) {
    String text = ContentText.text(tool, "description");
    return text.isEmpty() ? ContentText.text(tool, "title") : text;
  }

  private void show(ServerTool tool) {
    output().line(tool.fullName());
    String text = description(tool.definition());
    if (!text.isEmpty()) {
      text.lines().forEach(line -> output().paragraph(2, line));
    }
    TextTable table = new TextTable("ARGUMENT", "TYPE", "NEEDED", "MEANING");
    for (ToolArgument argument : tool.arguments()) {
      table.row(
          argument.name(),
          argument.typeName(),
          argument.required() ? "yes" : "",
          ContentText.text(argument.schema(), "description"));
    }
    if (!table.isEmpty()) {
      output().line("");
      output().table(table);
    }
    output().line("");
    output().line("mcpbus call " + tool.example());
  }
}
