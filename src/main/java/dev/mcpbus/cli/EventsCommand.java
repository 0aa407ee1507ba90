package dev.mcpbus.cli;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.StringJoiner;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code events}: what happens, as it happens, until Ctrl-C. */
@Command(
    name = "events",
    sortOptions = false,
    description = "Prints events as they happen, until Ctrl-C.")
final class EventsCommand extends ServiceCommand {

  private static final Set<String> ENVELOPE = Set.of("type", "id", "epoch", "time");
  private static final long AGAIN_MILLIS = 1_000;

  @Parameters(arity = "0..*", paramLabel = "ID", description = "Only those of these servers.")
  private List<String> ids = List.of();

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      description = "Only this type, for example stateChanged; several times for several.")
  private List<String> types = List.of();

  @Option(
      names = {"-f", "--follow"},
      description = "For the habit: events are always followed.")
  @SuppressWarnings("UnusedVariable") // takes the option that logs has
  private boolean follow;

  private String last = "";

  EventsCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected ExitCode run(ServiceClient client) {
    while (true) {
      try (BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(client.stream(path()), StandardCharsets.UTF_8))) {
        if (last.isEmpty()) {
          output().progress("waiting for events of " + client.url() + "; Ctrl-C ends");
        }
        read(lines);
      } catch (IOException broken) {
        // below: it comes back where it was
      }
      if (last.isEmpty()) {
        throw new CommandFailure(
            ExitCode.UNREACHABLE, "STREAM_ENDED", client.url() + " has ended the stream of events");
      }
      SettledServers.pause(AGAIN_MILLIS);
    }
  }

  private String path() {
    StringJoiner query = new StringJoiner("&", "/api/events?", "");
    ids.forEach(id -> query.add("server=" + ServiceClient.segment(id)));
    types.forEach(type -> query.add("type=" + ServiceClient.segment(type)));
    if (!last.isEmpty()) {
      query.add("lastEventId=" + ServiceClient.segment(last));
    }
    return query.toString().endsWith("?") ? "/api/events" : query.toString();
  }

  private void read(BufferedReader lines) throws IOException {
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.startsWith("id:")) {
        last = line.substring(3).strip();
      } else if (line.startsWith("data:")) {
        print(line.substring(5).strip());
      }
    }
  }

  private void print(String data) {
    JsonObject event;
    try {
      event = new JsonObject(data);
    } catch (DecodeException | ClassCastException foreign) {
      return;
    }
    if (json()) {
      output().jsonLine(event);
      return;
    }
    JsonObject rest = event.copy();
    ENVELOPE.forEach(rest::remove);
    output()
        .line(
            TimeText.clock(event.getValue("time"), Instant.now())
                + "  "
                + String.format("%-12s", ContentText.text(event, "id"))
                + "  "
                + ContentText.text(event, "type")
                + describe(rest));
  }

  private static String describe(JsonObject members) {
    if (members.getValue("from") instanceof String from
        && members.getValue("to") instanceof String to) {
      return "  " + from + " -> " + to;
    }
    if (members.getValue("message") instanceof String message) {
      String code = ContentText.text(members, "code");
      return "  " + (code.isEmpty() ? "" : code + ": ") + message;
    }
    return members.isEmpty() ? "" : "  " + members.encode();
  }
}
