package dev.mcpbus.cli;

import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code calls}: calls in flight and the last ones; {@code calls cancel} ends one. */
@Command(
    name = "calls",
    sortOptions = false,
    description = "Shows calls in flight: who, which tool, since when; \"cancel\" ends one.")
final class CallsCommand extends ServiceCommand {

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "ID|cancel",
      description = "Only the calls of this server; or cancel, to end the call CALL.")
  private @Nullable String word;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "[SERVER/]CALL",
      description = "The call to cancel, as the list names it.")
  private @Nullable String call;

  @Option(
      names = {"-r", "--recent"},
      description = "Also the last 100 calls that have ended.")
  private boolean recent;

  CallsCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected ExitCode run(ServiceClient client) {
    String only = word;
    if ("cancel".equals(only)) {
      cancel(client);
      return ExitCode.DONE;
    }
    if (call != null) {
      throw CommandFailure.usage("\"" + only + "\" must be cancel, to end a call");
    }
    JsonObject calls = client.get(only == null ? "/api/calls" : ServerTool.pathOf(only) + "/calls");
    if (json()) {
      output().json(calls);
      return ExitCode.DONE;
    }
    show(calls, only);
    return ExitCode.DONE;
  }

  private void show(JsonObject calls, @Nullable String only) {
    TextTable table = new TextTable("CALL", "AGE", "WHO", "METHOD", "NAME");
    for (JsonObject each : ContentText.objects(calls, "inFlight")) {
      table.row(
          place(each, only),
          millis(each.getValue("ageMillis")),
          each.getValue("who"),
          each.getValue("method"),
          each.getValue("name"));
    }
    if (table.isEmpty()) {
      output().note("No call is in flight.");
    } else {
      output().table(table);
    }
    if (recent) {
      ended(ContentText.objects(calls, "recent"), only);
    }
  }

  private void ended(List<JsonObject> calls, @Nullable String only) {
    TextTable table = new TextTable("TIME", "CALL", "TOOK", "WHO", "METHOD", "NAME", "OUTCOME");
    for (JsonObject each : calls) {
      String code = Objects.toString(each.getValue("code"), "");
      table.row(
          TimeText.clock(each.getValue("time"), Instant.now()),
          place(each, only),
          millis(each.getValue("tookMillis")),
          each.getValue("who"),
          each.getValue("method"),
          each.getValue("name"),
          code.isEmpty() ? Objects.toString(each.getValue("outcome"), "ok") : code);
    }
    output().line("");
    if (table.isEmpty()) {
      output().note("No call has ended.");
    } else {
      output().table(table);
    }
  }

  private static String place(JsonObject call, @Nullable String only) {
    String server = ContentText.text(call, "id");
    String number = String.valueOf(call.getValue("call"));
    return server.isEmpty() ? (only == null ? "" : only + "/") + number : server + "/" + number;
  }

  private static String millis(@Nullable Object value) {
    if (!(value instanceof Number number)) {
      return "";
    }
    long millis = number.longValue();
    return millis < 2_000 ? millis + " ms" : TimeText.span(Duration.ofMillis(millis));
  }

  private void cancel(ServiceClient client) {
    String wanted = call;
    int slash = wanted == null ? -1 : wanted.indexOf('/');
    if (wanted == null || slash < 1) {
      throw CommandFailure.usage(
          "name the call as \"mcpbus calls\" lists it: mcpbus calls cancel SERVER/NUMBER");
    }
    JsonObject answer =
        client.post(
            ServerTool.pathOf(wanted.substring(0, slash))
                + "/calls/"
                + ServiceClient.segment(wanted.substring(slash + 1))
                + "/cancel",
            new JsonObject());
    if (json()) {
      output().json(answer);
    } else {
      output().line("The call " + wanted + " is cancelled.");
    }
  }
}
