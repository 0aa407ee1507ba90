package dev.mcpbus.cli;

import io.vertx.core.json.JsonObject;
import java.time.Instant;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code logs}: what a server said on stderr, and on stdout where it was no protocol. */
@Command(
    name = "logs",
    sortOptions = false,
    description = {
      "Prints what a server said on stderr.",
      "Also what it said on stdout that was no protocol. mcpbus keeps the last 500 lines."
    })
final class LogsCommand extends ServerCommand {

  private static final int MAX_LINES = 500;
  private static final long POLL_MILLIS = 500;

  @Option(
      names = {"-f", "--follow"},
      description = "Go on with what it says from now, until Ctrl-C.")
  private boolean follow;

  @Option(
      names = {"-n", "--lines"},
      paramLabel = "NUMBER",
      description = "Only so many of the last lines.")
  private int lines = Integer.MAX_VALUE;

  LogsCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected ExitCode run(ServiceClient client) {
    String path = path() + "/logs";
    JsonObject page = client.get(path + "?limit=" + Math.max(1, Math.min(MAX_LINES, lines)));
    boolean some = print(page, lines);
    if (!some && !follow && !json()) {
      output().note("The server " + id() + " has said nothing on stderr.");
    }
    while (follow) {
      SettledServers.pause(POLL_MILLIS);
      Object next = page.getValue("next");
      page =
          client.get(path + "?after=" + (next instanceof Number number ? number.longValue() : 0));
      print(page, Integer.MAX_VALUE);
    }
    return ExitCode.DONE;
  }

  private boolean print(JsonObject page, int most) {
    var all = ContentText.objects(page, "lines");
    var last = all.subList(Math.max(0, all.size() - Math.max(0, most)), all.size());
    if (json() && !follow) {
      output().json(page);
      return true;
    }
    Object lost = page.getValue("lost");
    if (lost instanceof Number number && number.longValue() > 0) {
      output().note("... " + number + " lines are lost: mcpbus keeps the last 500");
    }
    for (JsonObject line : last) {
      if (json()) {
        output().jsonLine(line);
      } else {
        output()
            .line(
                TimeText.clock(line.getValue("time"), Instant.now())
                    + " "
                    + (ContentText.text(line, "from").equals("stdout") ? "out" : "err")
                    + " "
                    + ContentText.text(line, "text"));
      }
    }
    return !last.isEmpty();
  }
}
