package dev.mcpbus.cli;

import io.vertx.core.json.JsonObject;
import java.io.Console;
import java.io.IOException;
import java.nio.charset.Charset;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code credentials}: what the caller has stored at mcpbus for servers. A secret comes from stdin,
 * and from a terminal without an echo: an argument would stand in the shell's history and in the
 * list of processes.
 */
@Command(
    name = "credentials",
    sortOptions = false,
    description = {
      "Lists, sets or removes what you have stored for servers that act for their caller.",
      "set reads the secret from stdin; at a terminal it asks, and shows nothing of what you type. "
          + "No command shows a secret again."
    })
final class CredentialsCommand extends ServiceCommand {

  private static final String PATH = "/api/credentials";

  /** Bytes of a secret that are read; mcpbus takes fewer. */
  private static final int MOST = 100_000;

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private enum Deed {
    list,
    set,
    remove
  }

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "ACTION",
      description = "list (default), set or remove.")
  private Deed deed = Deed.list;

  @Parameters(index = "1", arity = "0..1", paramLabel = "SERVER", description = "The server.")
  private @Nullable String server;

  @Option(
      names = "--of",
      paramLabel = "PRINCIPAL",
      description = "Those of another principal, to list and remove; needs the admin right.")
  private @Nullable String principal;

  CredentialsCommand(CommandContext context) {
    super(context);
  }

  /** The path of what is stored for a server. */
  static String path(String server, @Nullable String principal) {
    String id = ServerTool.pathOf(server);
    return query(PATH + id.substring(id.lastIndexOf('/')), principal);
  }

  private static String query(String path, @Nullable String principal) {
    return principal == null ? path : path + "?principal=" + ServiceClient.segment(principal);
  }

  @Override
  protected ExitCode run(ServiceClient client) {
    String of = server;
    if (deed == Deed.list && of == null) {
      JsonObject all = client.get(query(PATH, principal));
      return shown(all, () -> list(all));
    }
    if (of == null) {
      throw CommandFailure.usage("name the server: mcpbus credentials " + deed + " SERVER");
    }
    return switch (deed) {
      case list -> throw CommandFailure.usage("credentials list takes no server");
      case set -> set(client, of);
      case remove -> removed(client.delete(path(of, principal)), of);
    };
  }

  private void list(JsonObject all) {
    TextTable table = new TextTable("SERVER", "WHAT", "SINCE");
    for (JsonObject one : ContentText.objects(all, "credentials")) {
      table.row(
          one.getValue("server"),
          one.getValue("kind"),
          TimeText.clock(one.getValue("since"), Instant.now()));
    }
    if (table.isEmpty()) {
      output().note("Nothing is stored for " + ContentText.text(all, "principal") + ".");
    } else {
      output().table(table);
    }
  }

  private ExitCode set(ServiceClient client, String of) {
    if (principal != null) {
      throw CommandFailure.usage("each principal sets its own secrets alone");
    }
    JsonObject body = new JsonObject().put("secret", secret(of));
    JsonObject stored = client.send("PUT", path(of, null), body, Map.of(), PATIENCE);
    return shown(
        stored,
        () ->
            output().line("The secret for " + ContentText.text(stored, "server") + " is stored."));
  }

  private ExitCode removed(JsonObject answer, String of) {
    boolean any = answer.getInteger("removed", 0) > 0;
    return shown(
        answer,
        () ->
            output()
                .line(
                    any
                        ? "What was stored for " + of + " is removed."
                        : "Nothing was stored for " + of + "."));
  }

  private String secret(String of) {
    String text = context().terminal().in() ? asked(of) : read();
    if (text.isEmpty()) {
      throw CommandFailure.usage("the secret is empty; pipe it into the command");
    }
    return text;
  }

  @SuppressWarnings("SystemConsoleNull") // null where stdout is no terminal
  private static String asked(String of) {
    Console console = System.console();
    char[] typed =
        console == null ? null : console.readPassword("%s", "The secret for " + of + ": ");
    if (typed == null) {
      throw CommandFailure.usage(
          "the secret cannot be asked for without showing it here; pipe it into the command");
    }
    return new String(typed);
  }

  /** All of stdin, without the line break at its end. */
  private String read() {
    try {
      byte[] bytes = context().in().readNBytes(MOST);
      return new String(bytes, Charset.defaultCharset()).replaceFirst("\\r?\\n$", "");
    } catch (IOException e) {
      throw CommandFailure.usage("stdin cannot be read");
    }
  }
}
