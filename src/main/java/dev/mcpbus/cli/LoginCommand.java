package dev.mcpbus.cli;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code login}: has mcpbus connect to a server that wants a login, prints the login page, and
 * waits until the person has logged in there. The browser's redirect goes to mcpbus, not to this
 * command. Without a server the person signs in at mcpbus itself.
 */
@Command(
    name = "login",
    sortOptions = false,
    description = {
      "Logs in at a server with OAuth, or at mcpbus itself.",
      "Without SERVER you sign in at the mcpbus of --url, in a browser on any machine. From then on "
          + "commands for exactly this URL come as you, also where they had the admin key of this "
          + "machine; --key-file and MCPBUS_KEY come before it. Ends with: mcpbus logout.",
      "With SERVER it prints the page to open in a browser on the machine of mcpbus, and waits.",
      "At a server that acts for its callers (\"identity\": \"caller\") you log in yourself: the "
          + "page may be opened on any machine, and asks for your key."
    })
final class LoginCommand extends ServiceCommand {

  private static final long POLL_MILLIS = 500;

  /** How long mcpbus may take to find the server's login page. */
  private static final Duration FIND = Duration.ofSeconds(30);

  /** How often the server is tried again while the person logs in. */
  private static final Duration AGAIN = Duration.ofSeconds(5);

  private static final Set<String> DOWN = Set.of("FAILED", "RECONNECTING", "IDLE", "CLOSED");

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "SERVER",
      description = "The server. Default: mcpbus itself.")
  private @Nullable String named;

  @Option(
      names = "--as",
      paramLabel = "WHO",
      description = "me or mcpbus: whose login it is. Default: as the server's entry says.")
  private @Nullable String who;

  @Option(names = "--open", description = "Also open the page in the browser of this machine.")
  private boolean open;

  private String server = "";

  LoginCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected ServiceClient find(ServiceFinder finder) {
    return named == null ? finder.withoutKey() : super.find(finder);
  }

  @Override
  protected ExitCode run(ServiceClient client) {
    try {
      return named == null ? signIn(client) : logIn(client, named);
    } finally {
      output().clearProgress();
    }
  }

  private ExitCode logIn(ServiceClient client, String at) {
    server = at;
    String path = ServerTool.pathOf(server);
    JsonObject status = client.get(path);
    boolean ofCallers = "caller".equals(status.getValue("identity"));
    if (who != null && !who.equals(ofCallers ? "me" : "mcpbus")) {
      throw CommandFailure.usage(
          "--as "
              + who
              + ": the server "
              + server
              + (ofCallers
                  ? " acts for its callers, so it is --as me"
                  : " has one login for all, so it is --as mcpbus"));
    }
    if (ofCallers) {
      boolean fresh = new CallerLoginSteps(client, path, (page, end) -> show("", page, end)).run();
      return done(fresh ? "knows you now" : "knows you; no login is needed");
    }
    if ("READY".equals(status.getValue("state"))) {
      return done("is connected; no login is needed");
    }
    if (!(status.getValue("config") instanceof JsonObject config) || !config.containsKey("url")) {
      throw new CommandFailure(
          ExitCode.NOT_FOUND,
          "NO_LOGIN",
          "the server "
              + server
              + " has no URL to log in at; \"mcpbus status "
              + server
              + "\" shows it");
    }
    String id = ContentText.text(status, "id");
    client.post(path + "/restart", new JsonObject());
    Instant tried = Instant.now();
    Instant until = tried.plus(FIND);
    String shown = "";
    while (Instant.now().isBefore(until)) {
      JsonObject login = login(client, id);
      if (login != null && !shown.equals(ContentText.text(login, "page"))) {
        shown = ContentText.text(login, "page");
        Instant end = TimeText.instant(login.getValue("until"));
        until = end == null ? until : end;
        show(" on the machine of mcpbus", shown, until);
      }
      SettledServers.pause(POLL_MILLIS);
      status = client.get(path);
      if ("READY".equals(status.getValue("state"))) {
        return done("is connected, you are logged in");
      }
      boolean down = DOWN.contains(ContentText.text(status, "state"));
      if (shown.isEmpty() && down && failedForGood(status, tried.minus(FIND))) {
        break;
      }
      if (!shown.isEmpty() && down && Instant.now().isAfter(tried.plus(AGAIN))) {
        client.post(path + "/restart", new JsonObject());
        tried = Instant.now();
      }
    }
    throw failed(status, shown);
  }

  private ExitCode signIn(ServiceClient client) {
    if (who != null) {
      throw CommandFailure.usage("--as is for a login at a SERVER, which is missing");
    }
    InstantSource clock = InstantSource.system();
    KeptSignIn kept = new KeptSignIn(context().home(), client.url(), clock);
    kept.prepare();
    DeviceSignIn steps =
        new DeviceSignIn(
            client,
            page -> show(", and compare the code " + page.code(), page.url(), page.until()),
            wait -> SettledServers.pause(wait.toMillis()),
            clock);
    kept.keep(steps.run());
    String name =
        ContentText.text(new ServiceClient(client.url(), kept).get("/api/caller"), "name");
    String url = client.url().toString();
    return shown(
        new JsonObject().put("url", url).put("loggedIn", true).put("name", name),
        () -> {
          output().line("You are logged in at " + url + " as " + name + ".");
          if (context().variables().containsKey(ServiceFinder.KEY_VARIABLE)) {
            output().note(ServiceFinder.KEY_VARIABLE + " is set, and comes before this login.");
          }
        });
  }

  /** A failure that no login page can mend; mcpbus says AUTH_REQUIRED while a page is open. */
  private static boolean failedForGood(JsonObject status, Instant since) {
    if (!(status.getValue("lastError") instanceof JsonObject error)) {
      return false;
    }
    Instant at = TimeText.instant(error.getValue("time"));
    return at != null && at.isAfter(since) && !"AUTH_REQUIRED".equals(error.getValue("code"));
  }

  private ExitCode done(String text) {
    return shown(
        new JsonObject().put("server", server).put("loggedIn", true),
        () -> output().line("The server " + server + " " + text + "."));
  }

  private void show(String where, String page, Instant until) {
    if (open && page.startsWith("http")) {
      open(page);
    }
    if (json()) {
      output().jsonLine(new JsonObject().put("page", page).put("until", until.toString()));
      return;
    }
    output().line("Open this page in a browser" + where + ":");
    output().line(page);
    output().progress("waiting for the login, until " + until);
  }

  /** Where there is no such program, the person opens the printed page. */
  private static void open(String page) {
    boolean mac = System.getProperty("os.name", "").startsWith("Mac");
    try {
      new ProcessBuilder(mac ? "open" : "xdg-open", page)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start();
    } catch (IOException e) {
      // The page is printed, too.
    }
  }

  private static @Nullable JsonObject login(ServiceClient client, String id) {
    return ContentText.objects(client.get("/api/logins"), "logins").stream()
        .filter(login -> id.equals(login.getValue("server")) && login.containsKey("page"))
        .findFirst()
        .orElse(null);
  }

  private CommandFailure failed(JsonObject status, String page) {
    String why =
        status.getValue("lastError") instanceof JsonObject error
            ? ContentText.text(error, "code") + ": " + ContentText.text(error, "message")
            : "state " + status.getValue("state");
    return new CommandFailure(
        ExitCode.NOT_ALLOWED,
        page.isEmpty() ? "NO_LOGIN_PAGE" : "LOGIN_TIMEOUT",
        (page.isEmpty()
                ? "mcpbus found no login page for " + server
                : "no login at " + server + " in time")
            + "; "
            + why);
  }
}
