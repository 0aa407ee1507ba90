package dev.mcpbus.cli;

import dev.mcpbus.bus.McpBusVersion;
import dev.mcpbus.protocol.Printable;
import dev.mcpbus.security.ApiKeys;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/** The word {@code mcpbus}: finds the command; without one it does what {@code run} does. */
@Command(
    name = "mcpbus",
    mixinStandardHelpOptions = true,
    versionProvider = McpBusCommand.Version.class,
    sortOptions = false,
    description = {
      "Holds connections to MCP servers and serves them on an event bus and over HTTP.",
      ""
    },
    commandListHeading = "%nCommands; without one, mcpbus runs:%n",
    exitCodeListHeading = "%nExit codes:%n",
    footer = {
      "",
      "Reads the configuration files of Claude, Cursor, VS Code, Windsurf, Gemini and others.",
      "Example:  mcpbus --config ~/.cursor/mcp.json --port 8790"
    })
public final class McpBusCommand implements Callable<Integer> {

  private final CommandContext context;

  @Mixin private RunOptions options = new RunOptions();

  @Option(
      names = "--check",
      description = "The same as the command check: report every problem, start nothing.")
  private boolean check;

  @Option(
      names = "--new-key",
      paramLabel = "NAME",
      description = "Print a new API key, once, and its entry for the configuration.")
  private @Nullable String keyName;

  private McpBusCommand(CommandContext context) {
    this.context = context;
  }

  /**
   * The command line with all commands.
   *
   * @param more commands of packages that build on this one
   */
  public static CommandLine create(CommandContext context, List<?> more) {
    return create(context, Stream.concat(commands(context).stream(), more.stream()));
  }

  /**
   * Runs a command line; returns the exit code. Prepares only the command that it names, because
   * the preparation of one costs up to 10 ms, and all of them where a mistake has to be explained.
   *
   * @param more commands of packages that build on this one
   */
  public static int execute(CommandContext context, List<?> more, String... args) {
    List<Object> all = new ArrayList<>(commands(context));
    all.addAll(more);
    List<?> needed = needed(all, List.of(args));
    return create(context, needed.stream())
        .setParameterExceptionHandler((wrong, again) -> create(context, all.stream()).execute(args))
        .execute(args);
  }

  private static List<?> needed(List<Object> all, List<String> args) {
    String first = args.isEmpty() ? "" : args.get(0);
    List<Object> named = all.stream().filter(command -> names(command).contains(first)).toList();
    if (!named.isEmpty()) {
      return named.get(0) instanceof CompletionCommand ? all : named;
    }
    boolean plain =
        (first.isEmpty() || first.startsWith("-"))
            && args.stream().noneMatch(arg -> arg.equals("-h") || arg.equals("--help"))
            && all.stream().flatMap(command -> names(command).stream()).noneMatch(args::contains);
    return plain ? List.of() : all;
  }

  private static List<String> names(Object command) {
    Command described = command.getClass().getAnnotation(Command.class);
    List<String> names = new ArrayList<>(List.of(described.aliases()));
    names.add(described.name());
    return names;
  }

  private static CommandLine create(CommandContext context, Stream<?> commands) {
    CommandLine root = new CommandLine(new McpBusCommand(context));
    commands.forEach(root::addSubcommand);
    root.getSubcommands().values().forEach(one -> one.getCommandSpec().addOption(help()));
    String[] codes =
        Arrays.stream(ExitCode.values())
            .map(code -> code.code() + ":" + code.meaning())
            .toArray(String[]::new);
    root.getCommandSpec().usageMessage().exitCodeList(UsageMessageSpec.keyValuesMap(codes));
    return root.setOut(new PrintWriter(context.out(), true, Charset.defaultCharset()))
        .setErr(new PrintWriter(context.err(), true, Charset.defaultCharset()))
        .setExecutionStrategy(
            parsed -> {
              UsageErrors.checkOrder(parsed);
              return new CommandLine.RunLast().execute(parsed);
            })
        .setParameterExceptionHandler((wrong, args) -> UsageErrors.report(context, wrong, args))
        .setExecutionExceptionHandler((failure, line, parsed) -> report(context, failure, parsed));
  }

  private static OptionSpec help() {
    return OptionSpec.builder("-h", "--help")
        .usageHelp(true)
        .order(99)
        .description("Show this help.")
        .build();
  }

  /** One line for each command of this package, in the order of the help. */
  private static List<?> commands(CommandContext context) {
    return List.of(
        new RunCommand(context),
        new CheckCommand(context),
        new StatusCommand(context),
        new ToolsCommand(context),
        new CallCommand(context),
        new ReadCommand(context),
        new PromptCommand(context),
        new SkillsCommand(context),
        new LogsCommand(context),
        new HistoryCommand(context),
        new CallsCommand(context),
        new EventsCommand(context),
        new RestartCommand(context),
        new AddCommand(context),
        new RemoveCommand(context),
        new AnswerCommand(context),
        new RecordCommand(context),
        new LoginCommand(context),
        new LogoutCommand(context),
        new CredentialsCommand(context),
        new LogLevelCommand(context),
        new HealthCommand(context),
        new WhoamiCommand(context),
        new CompletionCommand(context),
        new ClassArchiveCommand(context));
  }

  @Override
  public Integer call() {
    if (keyName != null) {
      return freshKey(keyName);
    }
    return check ? CheckCommand.check(context, options.file) : RunCommand.run(context, options);
  }

  private int freshKey(String name) {
    ApiKeys.Fresh fresh = ApiKeys.generate(new SecureRandom());
    context.out().println("The key; mcpbus does not store it and cannot show it again:");
    context.out().println("  " + fresh.key());
    context.out().println("For \"auth\": {\"apiKeys\": [...]} of the configuration:");
    context
        .out()
        .println("  " + new JsonObject().put("name", name).put("hash", fresh.hash()).encode());
    return ExitCode.DONE.code();
  }

  /** Prints why a command has failed; returns the exit code. */
  private static int report(CommandContext context, Exception failure, ParseResult parsed)
      throws Exception {
    if (!(failure instanceof CommandFailure reason)) {
      throw failure;
    }
    context
        .err()
        .println(
            UsageErrors.asksForJson(parsed.originalArgs())
                ? reason.toJson().encode()
                : "mcpbus: " + Printable.lines(String.valueOf(reason.getMessage())));
    return reason.exit().code();
  }

  /** Reads the version that the build wrote. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"mcpbus " + McpBusVersion.current()};
    }
  }
}
