package dev.mcpbus.cli;

import dev.mcpbus.config.read.DurationText;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code log-level}: shows the levels of the service's loggers, or changes one. */
@Command(
    name = "log-level",
    sortOptions = false,
    description = "Shows the levels of the log, or changes one while mcpbus runs.")
final class LogLevelCommand extends ServiceCommand {

  private static final String PATH = "/api/log-level";
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "LOGGER",
      description = "A package or class such as dev.mcpbus.supervisor, or ROOT for all.")
  private @Nullable String logger;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "LEVEL",
      description = "TRACE, DEBUG, INFO, WARN, ERROR or OFF; \"default\" takes the level away.")
  private @Nullable String level;

  @Option(
      names = "--for",
      paramLabel = "TIME",
      description = "Then the former level comes back: 30s, 10m, 2h.")
  private @Nullable String time;

  LogLevelCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected ExitCode run(ServiceClient client) {
    if (logger == null) {
      return show(client.get(PATH));
    }
    if (level == null) {
      throw CommandFailure.usage("say the level of " + logger + ": DEBUG, INFO, or default");
    }
    JsonObject change =
        new JsonObject().put("logger", logger).put("level", level.equals("default") ? null : level);
    if (time != null) {
      change.put("seconds", seconds(time));
    }
    return show(client.send("PUT", PATH, change, Map.of(), PATIENCE));
  }

  private static long seconds(String text) {
    return DurationText.parse(text.matches("\\d+") ? text + "s" : text)
        .map(Duration::toSeconds)
        .orElseThrow(
            () -> CommandFailure.usage("--for takes a time such as 30s, 10m or 2h, not " + text));
  }

  private ExitCode show(JsonObject answer) {
    TextTable table = new TextTable("LOGGER", "LEVEL");
    JsonObject levels = answer.getJsonObject("levels", new JsonObject());
    levels.forEach(entry -> table.row(entry.getKey(), entry.getValue()));
    return shown(answer, () -> output().table(table));
  }
}
