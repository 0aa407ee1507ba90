package dev.mcpbus.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code add}: adds a server to the running mcpbus, and says whether it outlives a restart. */
@Command(
    name = "add",
    sortOptions = false,
    customSynopsis = {
      "mcpbus add NAME URL",
      "       mcpbus add NAME -- COMMAND [ARG...]",
      "       mcpbus add NAME --file FILE"
    },
    description = {
      "Adds a server to the running mcpbus.",
      "With \"state\": {\"dir\": ...} in the configuration the server is there after a restart;",
      "otherwise write its entry into the configuration to keep it."
    },
    footer = {
      "",
      "Examples:  mcpbus add docs https://docs.example/mcp",
      "           mcpbus add files -- npx -y @modelcontextprotocol/server-filesystem /tmp"
    })
final class AddCommand extends ServiceCommand {

  @Parameters(index = "0", paramLabel = "NAME", description = "The name of the server.")
  private String name = "";

  @Parameters(
      index = "1..*",
      paramLabel = "URL or COMMAND",
      description = "The server's URL, or behind -- its command with arguments.")
  private List<String> words = List.of();

  @Option(
      names = "--file",
      paramLabel = "FILE",
      description = "The entry as in a configuration, in a JSON file; - is stdin.")
  private @Nullable Path file;

  @Option(
      names = {"-e", "--env"},
      paramLabel = "NAME=VALUE",
      description = {
        "A variable for the command. Other users see arguments: write secrets as",
        "'KEY=$${VARIABLE}', filled in by mcpbus if its MCPBUS_VARS names VARIABLE."
      })
  private List<String> variables = List.of();

  AddCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected ExitCode run(ServiceClient client) {
    JsonObject added =
        client.post("/api/servers", new JsonObject().put("name", name).put("config", entry()));
    return shown(added, () -> tell(added));
  }

  private void tell(JsonObject added) {
    String id = ContentText.text(added, "id");
    output()
        .line("The server " + id + " is added; \"mcpbus status " + id + "\" shows how it goes.");
    String note = ContentText.text(added, "note");
    if (!note.isEmpty()) {
      output().line("Note: " + note + ".");
    }
  }

  private JsonObject entry() {
    Path from = file;
    if (from != null && words.isEmpty() && variables.isEmpty()) {
      return fromFile(ArgumentWords.read(context(), from));
    }
    if (from != null || words.isEmpty()) {
      throw CommandFailure.usage("give one of: a URL, \"-- COMMAND ARG...\", --file FILE");
    }
    return entry(words, variables);
  }

  /** The entry of a URL, or of a command with arguments. */
  static JsonObject entry(List<String> words, List<String> variables) {
    String first = words.get(0);
    if (first.contains("://")) {
      if (words.size() > 1 || !variables.isEmpty()) {
        throw CommandFailure.usage("a URL stands alone; give headers with --file FILE");
      }
      return new JsonObject().put("url", first);
    }
    JsonObject entry = new JsonObject().put("command", first);
    if (words.size() > 1) {
      entry.put("args", new JsonArray(new ArrayList<>(words.subList(1, words.size()))));
    }
    JsonObject env = new JsonObject();
    ArgumentWords.split(variables).forEach((key, values) -> env.put(key, values.get(0)));
    return env.isEmpty() ? entry : entry.put("env", env);
  }

  /** The entry itself, or the entry of this name in a whole configuration. */
  private JsonObject fromFile(JsonObject read) {
    for (String member : List.of("mcpServers", "servers")) {
      if (read.getValue(member) instanceof JsonObject servers) {
        if (servers.getValue(name) instanceof JsonObject entry) {
          return entry;
        }
        throw CommandFailure.usage(
            file
                + " has no server \""
                + name
                + "\" in "
                + member
                + "; it has "
                + servers.fieldNames());
      }
    }
    return read;
  }
}
