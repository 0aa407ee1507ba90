package dev.mcpbus.cli;

import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code calls}: calls in flight and the last ones; {@code calls cancel} ends one. */
@Command(
    name = "calls",
    sortOptions = false,
    description = "Shows calls in flight and ended calls; cancels one.")
final class CallsCommand extends ServiceCommand {

  private static final Pattern PLACE = Pattern.compile("([^/]+)/(\\d{1,19})(?:@(\\d{1,6}))?");

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "ID|cancel",
      description = "Only the calls of this server; or cancel, to end the call CALL.")
  private @Nullable String word;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "SERVER/NUMBER",
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
      return cancel(client);
    }
    if (call != null) {
      throw CommandFailure.usage("\"" + only + "\" must be cancel, to end a call");
    }
    JsonObject calls = client.get(only == null ? "/api/calls" : ServerTool.pathOf(only) + "/calls");
    return shown(calls, () -> show(calls, only));
  }

  private void show(JsonObject calls, @Nullable String only) {
    TextTable table = new TextTable("CALL", "AGE", "LEFT", "WHO", "METHOD", "NAME");
    for (JsonObject each : ContentText.objects(calls, "inFlight")) {
      table.row(
          place(each, only),
          millis(each.getValue("ageMillis")),
          millis(each.getValue("deadlineMillis")),
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
    for (Object missing : ContentText.array(calls, "missing")) {
      output().note("without the calls of " + missing + ", which did not answer");
    }
    for (Object node : ContentText.array(calls, "missingNodes")) {
      output().note("without calls on private connections of node " + node + ", which is silent");
    }
  }

  private void ended(List<JsonObject> calls, @Nullable String only) {
    TextTable table = new TextTable("TIME", "CALL", "TOOK", "OUTCOME", "WHO", "METHOD", "NAME");
    Instant now = Instant.now();
    for (JsonObject each : calls) {
      table.row(
          TimeText.clock(each.getValue("time"), now),
          place(each, only),
          millis(each.getValue("millis")),
          outcome(each),
          each.getValue("who"),
          each.getValue("method"),
          each.getValue("name"));
    }
    output().line("");
    if (table.isEmpty()) {
      output().note("No call has ended.");
    } else {
      output().table(table);
    }
  }

  private static TableCell outcome(JsonObject call) {
    String outcome = ContentText.text(call, "outcome");
    return new TableCell(
        outcome, outcome.equals("OK") ? TableCell.CellColor.NONE : TableCell.CellColor.WARNING);
  }

  /**
   * {@code SERVER/NUMBER}, of one of several replicas {@code SERVER/NUMBER@REPLICA}; on a private
   * connection of a client the id of the connection stands for the server.
   */
  private static String place(JsonObject call, @Nullable String only) {
    String lease = ContentText.text(call, "lease");
    String server = lease.isEmpty() ? ContentText.text(call, "server") : lease;
    Object replica = call.getValue("replica");
    return (server.isEmpty() && only != null ? only : server)
        + "/"
        + call.getValue("call")
        + (replica == null ? "" : "@" + replica);
  }

  private static String millis(@Nullable Object value) {
    if (!(value instanceof Number number)) {
      return "";
    }
    long millis = number.longValue();
    return millis < 2_000 ? millis + " ms" : TimeText.span(Duration.ofMillis(millis));
  }

  private ExitCode cancel(ServiceClient client) {
    Matcher place = PLACE.matcher(call == null ? "" : call);
    if (!place.matches()) {
      throw CommandFailure.usage(
          "name the call as \"mcpbus calls\" lists it: mcpbus calls cancel SERVER/NUMBER");
    }
    String replica = place.group(3);
    return shown(
        client.post(
            ServerTool.pathOf(place.group(1))
                + "/calls/"
                + place.group(2)
                + "/cancel"
                + (replica == null ? "" : "?replica=" + replica),
            new JsonObject()),
        () -> output().line("The call " + place.group() + " is cancelled."));
  }
}
