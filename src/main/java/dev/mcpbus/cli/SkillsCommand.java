package dev.mcpbus.cli;

import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code skills}: lists skills, or reads a file of one if it is what the skill's entry says. */
@Command(
    name = "skills",
    sortOptions = false,
    description = "Lists the skills of all servers or of one, or reads a file of a skill.")
final class SkillsCommand extends ServiceCommand {

  @Parameters(index = "0", arity = "0..1", paramLabel = "SERVER", description = "The server's id.")
  private @Nullable String server;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "URI",
      description = "The skill: the URI of its SKILL.md.")
  private @Nullable String uri;

  @Parameters(
      index = "2",
      arity = "0..1",
      paramLabel = "PATH",
      description = "A file of it, such as references/FORMS.md. Default: SKILL.md.")
  private @Nullable String path;

  SkillsCommand(CommandContext context) {
    super(context, OwnService.STARTED);
  }

  @Override
  protected ExitCode run(ServiceClient client) {
    if (server == null || uri == null) {
      String of = server;
      JsonObject list = client.get(of == null ? "/api/skills" : ServerTool.pathOf(of) + "/skills");
      return shown(list, () -> list(list, of));
    }
    JsonObject wanted = new JsonObject().put("uri", uri);
    JsonObject result =
        client.post(
            ServerTool.pathOf(server) + "/skills/read",
            path == null ? wanted : wanted.put("path", path));
    ReadCommand.show(output(), result, json());
    return ExitCode.DONE;
  }

  private void list(JsonObject list, @Nullable String of) {
    TextTable table = new TextTable("SERVER", "SKILL", "WHAT IT IS FOR");
    for (JsonObject each : ContentText.objects(list, "skills")) {
      table.row(
          of == null ? member(each, "_meta").getValue("dev.mcpbus/server") : of,
          each.getValue("uri"),
          ContentText.text(member(each, "frontmatter"), "description"));
    }
    if (table.isEmpty()) {
      output().note("No server lists a skill.");
    } else {
      output().table(table);
    }
  }

  private static JsonObject member(JsonObject of, String name) {
    return of.getValue(name) instanceof JsonObject object ? object : new JsonObject();
  }
}
