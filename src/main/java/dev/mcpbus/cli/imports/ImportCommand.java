package dev.mcpbus.cli.imports;

import dev.mcpbus.cli.CommandContext;
import dev.mcpbus.cli.CommandFailure;
import dev.mcpbus.cli.CommandOutput;
import dev.mcpbus.cli.ExitCode;
import dev.mcpbus.cli.TextTable;
import dev.mcpbus.cli.imports.ClientPlaces.ClientPlace;
import dev.mcpbus.cli.imports.ImportPlan.ImportedServer;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigProblem;
import dev.mcpbus.config.ServerResult;
import dev.mcpbus.config.ServerSettings;
import dev.mcpbus.config.read.ConfigReader;
import dev.mcpbus.internals.PrivateFile;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code import}: writes the servers of other MCP clients into a configuration of mcpbus. */
@Command(
    name = "import",
    sortOptions = false,
    description = {
      "Takes the servers of other MCP clients into a configuration.",
      "Finds the files of Claude, VS Code, Cursor, Windsurf, Cline, Roo, Gemini, Codex, Copilot, "
          + "Zed, opencode, Goose, Continue and others, shows their servers, and writes them into "
          + "conf/mcpbus.json, in its own keys and with whole paths. The files stay as they are."
    })
public final class ImportCommand implements Callable<Integer> {

  private final CommandContext context;
  private final CommandOutput output;
  private final Path project;

  @Parameters(
      arity = "0..*",
      paramLabel = "FILE",
      description = "Only these files, in place of those that are found.")
  private List<Path> files = List.of();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "Where to write. Default: conf/mcpbus.json.")
  private Path target = Path.of("conf", "mcpbus.json");

  @Option(names = "--force", description = "Replace the file if it exists.")
  private boolean force;

  @Option(names = "--dry-run", description = "Only show what would be written.")
  private boolean dry;

  @Option(names = "--json", description = "Print JSON for programs.")
  private boolean json;

  public ImportCommand(CommandContext context) {
    this(context, Path.of("").toAbsolutePath());
  }

  /**
   * @param project the working directory
   */
  ImportCommand(CommandContext context, Path project) {
    this.context = context;
    this.output = new CommandOutput(context);
    this.project = project;
  }

  @Override
  public Integer call() {
    Path file = project.resolve(target);
    if (!dry && !force && Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      throw CommandFailure.usage(
          target + " exists already; write another with --output FILE, or replace it with --force");
    }
    ImportPlan plan = ImportPlan.of(places(), environment());
    plan.problems().forEach(problem -> output.note("left out: " + problem));
    if (plan.found().isEmpty() && plan.problems().isEmpty()) {
      files.stream()
          .map(named -> ConfigReader.read(project.resolve(named), environment()).problems())
          .flatMap(List::stream)
          .forEach(problem -> output.note("left out: " + problem));
    }
    if (plan.found().isEmpty()) {
      throw new CommandFailure(
          ExitCode.NOT_FOUND,
          "NO_SERVERS",
          "no file of another MCP client has servers; name one: mcpbus import FILE");
    }
    if (!dry) {
      write(file, plan.configuration());
    }
    report(plan);
    return ExitCode.DONE.code();
  }

  private List<ClientPlace> places() {
    if (files.isEmpty()) {
      return ClientPlaces.find(context.home(), project);
    }
    for (Path named : files) {
      if (!Files.isRegularFile(project.resolve(named))) {
        throw CommandFailure.usage(named + " is no file");
      }
    }
    return files.stream()
        .map(named -> ClientPlaces.named(context.home(), project.resolve(named).normalize()))
        .toList();
  }

  private ConfigEnvironment environment() {
    return ConfigEnvironment.system().withVariables(context.variables());
  }

  /** Readable for its user alone: entries hold keys. The old file stays until the new is whole. */
  private void write(Path file, JsonObject configuration) {
    byte[] text = (configuration.encodePrettily() + "\n").getBytes(StandardCharsets.UTF_8);
    try {
      PrivateFile.of(file).replace(text);
    } catch (IOException e) {
      throw CommandFailure.usage(target + " cannot be written; choose another with --output FILE");
    }
  }

  private void report(ImportPlan plan) {
    JsonArray servers = new JsonArray();
    TextTable table = new TextTable("NAME", "TYPE", "SERVER", "FROM", "REMARK");
    for (ImportedServer server : plan.found()) {
      JsonObject row = describe(server);
      servers.add(row);
      table.row(
          server.name(),
          row.getValue("type"),
          row.getValue("target"),
          server.place().client(),
          server.same() ? "the same again" : row.getValue("problem"));
    }
    if (json) {
      output.json(
          new JsonObject().put("servers", servers).put("written", dry ? null : target.toString()));
      return;
    }
    output.table(table);
    output.line("");
    long taken = plan.found().stream().filter(server -> !server.same()).count();
    output.line(
        dry
            ? taken + " servers would be written to " + target + "."
            : taken
                + " servers are in "
                + target
                + "; \"mcpbus check\" reads them, \"mcpbus\" runs them.");
  }

  /** What may be shown of a server: the configuration's own masked view. */
  private JsonObject describe(ImportedServer server) {
    ServerResult read =
        ConfigReader.readServer(
            server.name(), server.entry(), environment(), project, ServerSettings.DEFAULT);
    JsonObject row =
        new JsonObject()
            .put("name", server.name())
            .put("client", server.place().client())
            .put("file", server.place().file().toString())
            .put("same", server.same());
    read.usable()
        .ifPresent(
            definition ->
                row.put("type", definition.view().getValue("type"))
                    .put("target", target(definition.view())));
    if (!read.problems().isEmpty()) {
      ConfigProblem first = read.problems().get(0);
      row.put("problem", first.message() + ". " + first.remedy());
    } else if (read.definition() == null) {
      row.put("problem", "disabled");
    }
    return row;
  }

  private static String target(JsonObject view) {
    Object url = view.getValue("url");
    if (url != null) {
      return String.valueOf(url);
    }
    StringBuilder command = new StringBuilder(String.valueOf(view.getValue("command")));
    if (view.getValue("args") instanceof JsonArray args) {
      args.forEach(arg -> command.append(' ').append(arg));
    }
    return command.toString();
  }
}
