package dev.mcpbus.doctor;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerOrigin;
import dev.mcpbus.doctor.FailureClues.Diagnosis;
import dev.mcpbus.transport.StdioOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The steps from the start to the end of one server, as a connection to it reports them. Blocks for
 * the handshake time-out at most, and some seconds more.
 */
public final class ConnectionCheck {

  private static final Set<String> READY = Set.of("READY", "DEGRADED");

  /** What the connection may take beside the handshake: to connect, and to report its failure. */
  private static final Duration MORE = Duration.ofSeconds(15);

  /** A login at a page is not waited for: after this time the server is asked what it wants. */
  private static final long LOGIN_MILLIS = 2_000;

  private static final long PAUSE_MILLIS = 20;

  private final ExaminedServer server;
  private final ServerDefinition definition;
  private final @Nullable Endpoint endpoint;
  private final Stopwatch time = Stopwatch.start();
  private final List<DoctorStep> steps = new ArrayList<>();
  private long pid = -1;
  private long pidMillis;
  private List<String> junk = List.of();
  private List<String> stderr = List.of();

  /**
   * @param server a copy of the server, which is not connected yet; for {@link #present} the
   *     connection itself
   */
  public ConnectionCheck(ExaminedServer server, ServerDefinition definition) {
    this.server = server;
    this.definition = definition;
    this.endpoint = Endpoint.of(definition.transport()).orElse(null);
  }

  /** The steps until one fails. */
  public List<DoctorStep> run() {
    ask(Addresses.CONNECT);
    JsonObject status = settled();
    if (READY.contains(status.getString("state", ""))) {
      ready(status);
    } else {
      failed(status);
    }
    return steps;
  }

  /**
   * The steps of a connection that is there, where no second one can be made: connects and ends
   * nothing.
   */
  public List<DoctorStep> present() {
    JsonObject status = ask(Addresses.STATUS);
    if (READY.contains(status.getString("state", ""))) {
      ready(status);
      return steps;
    }
    JsonObject error = status.getJsonObject("lastError", new JsonObject());
    String state = "The connection is " + status.getString("state", "in no known state");
    steps.add(
        DoctorStep.failed(
            "handshake",
            -1,
            Finding.of(
                DoctorCause.FAILED_OTHERWISE,
                error.isEmpty() ? state : state + ": " + error.getString("message"),
                "Connect it, and look at the log of the program that provides it")));
    return steps;
  }

  private JsonObject ask(String suffix) {
    return server.ask(suffix, new JsonObject());
  }

  // ---- waiting

  private JsonObject settled() {
    boolean asked = false;
    boolean installs = false;
    while (true) {
      JsonObject status = ask(Addresses.STATUS);
      look(status);
      installs |= status.containsKey("installing");
      Duration whole =
          definition
              .handshakeTimeout()
              .plus(installs ? definition.installTimeout() : Duration.ZERO);
      boolean over =
          READY.contains(status.getString("state", ""))
              || status.getJsonObject("lastError") != null
              || time.millis() > whole.plus(MORE).toMillis();
      if (over) {
        return status;
      }
      if (!asked && endpoint != null && endpoint.oauth() && time.millis() > LOGIN_MILLIS) {
        asked = true;
        if (wantsLogin(endpoint)) {
          return status.put("lastError", error("AUTH_REQUIRED", "HTTP 401: a login is waited for"));
        }
      }
      pause();
    }
  }

  private static boolean wantsLogin(Endpoint endpoint) {
    return HttpProbe.of(endpoint)
        .ping(endpoint.url())
        .filter(answer -> answer.status() == 401)
        .isPresent();
  }

  /** Keeps what a session tells only while it lives. */
  private void look(JsonObject status) {
    JsonObject transport = status.getJsonObject("transport", new JsonObject());
    if (pid < 0 && transport.getLong("pid", -1L) > 0) {
      pid = transport.getLong("pid");
      pidMillis = time.millis();
    }
    junk = lines(transport.getString("stdout", ""), junk);
    stderr = lines(transport.getString("stderr", ""), stderr);
  }

  private static List<String> lines(String text, List<String> before) {
    return text.isBlank() ? before : text.lines().toList();
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CancellationException("interrupted");
    }
  }

  private static JsonObject error(String code, String message) {
    return new JsonObject().put("code", code).put("message", message);
  }

  // ---- the server works

  private void ready(JsonObject status) {
    output();
    if (definition.transport() instanceof StdioOptions) {
      steps.add(DoctorStep.ok("started", Math.max(0, pidMillis), process()));
      steps.add(words());
    } else if (endpoint != null && endpoint.isHttp()) {
      steps.add(DoctorStep.ok("http", -1, "an MCP endpoint answers"));
      steps.add(DoctorStep.ok("login", -1, login()));
    }
    steps.add(DoctorStep.ok("era", -1, era(status)));
    steps.add(DoctorStep.ok("handshake", status.getLong("connectMillis", -1L), server(status)));
    steps.add(lists(status));
    if (!steps.get(steps.size() - 1).hasFailed()) {
      steps.add(ping());
      quirks(ask(Addresses.STATUS).getJsonArray("quirks", new JsonArray()));
    }
    if (endpoint == null && pid > 0) {
      steps.add(end());
    }
  }

  private String process() {
    return pid < 0 ? "it ran" : "process " + pid;
  }

  private DoctorStep words() {
    if (junk.isEmpty()) {
      return DoctorStep.ok("first words", -1, "nothing but messages on stdout");
    }
    return DoctorStep.note(
        "first words",
        -1,
        "stdout also has lines that are no messages",
        Finding.of(
                DoctorCause.STDOUT_JUNK,
                "The server writes other lines than messages to stdout",
                "mcpbus skips them as long as they are no flood, other clients do not: let the server"
                    + " log to stderr")
            .with(junk.stream().limit(3).toList()));
  }

  private String login() {
    if (endpoint != null && endpoint.oauth()) {
      return "by OAuth";
    }
    return endpoint == null || endpoint.headers().isEmpty()
        ? "none is needed"
        : "the headers of the entry are accepted";
  }

  private String era(JsonObject status) {
    String era = status.getString("era", "").toLowerCase(Locale.ROOT);
    String tried =
        pinsVersion()
            ? "the entry names it"
            : era.equals("discover")
                ? "server/discover answered"
                : "server/discover was tried first";
    return era + " " + status.getString("protocolVersion", "?") + "; " + tried;
  }

  private boolean pinsVersion() {
    ServerOrigin origin = definition.origin();
    return origin != null && origin.entry().containsKey("protocolVersion");
  }

  private static String server(JsonObject status) {
    JsonObject server = status.getJsonObject("server", new JsonObject());
    String name = (server.getString("name", "") + " " + server.getString("version", "")).strip();
    return name.isEmpty() ? "a server without a name" : name;
  }

  private DoctorStep lists(JsonObject status) {
    Stopwatch own = Stopwatch.start();
    JsonObject offered = status.getJsonObject("capabilities", new JsonObject());
    List<String> facts = new ArrayList<>();
    for (String kind : List.of("tools", "prompts", "resources")) {
      if (offered.containsKey(kind)) {
        try {
          int count = ask(kind + ".list").getJsonArray(kind, new JsonArray()).size();
          facts.add(count + " " + (count == 1 ? kind.substring(0, kind.length() - 1) : kind));
        } catch (ExaminationException e) {
          return DoctorStep.failed("lists", own.millis(), listFailed(kind, e));
        }
      }
    }
    String fact = facts.isEmpty() ? "it offers nothing" : String.join(", ", facts);
    Finding odd = odd(ask(Addresses.STATUS));
    return odd == null
        ? DoctorStep.ok("lists", own.millis(), fact)
        : DoctorStep.note("lists", own.millis(), fact, odd);
  }

  private static Finding listFailed(String kind, ExaminationException why) {
    return Finding.of(
        DoctorCause.LIST_FAILED,
        "The server does not list its " + kind + ": " + why.getMessage(),
        "It is the server that fails: look at its log");
  }

  private static @Nullable Finding odd(JsonObject status) {
    JsonObject leftOut = status.getJsonObject("leftOutTools", new JsonObject());
    if (!leftOut.isEmpty()) {
      return Finding.of(
              DoctorCause.TOOLS_LEFT_OUT,
              leftOut.size() + (leftOut.size() == 1 ? " tool is" : " tools are") + " left out",
              "Their schemas cannot be used; the server's authors can correct them")
          .with(
              leftOut.stream()
                  .limit(3)
                  .map(each -> each.getKey() + ": " + each.getValue())
                  .toList());
    }
    String twice = status.getString("duplicateTools", "");
    return twice.isEmpty()
        ? null
        : Finding.of(
            DoctorCause.DUPLICATE_TOOLS,
            "The server lists tools of the same name: " + twice,
            "Only the first of each can be called; the server's authors can correct it");
  }

  private DoctorStep ping() {
    Stopwatch own = Stopwatch.start();
    try {
      ask(Addresses.PING);
      return DoctorStep.ok("ping", own.millis(), "answered");
    } catch (ExaminationException e) {
      return DoctorStep.failed(
          "ping",
          own.millis(),
          Finding.of(
              DoctorCause.PING_FAILED,
              "The server does not answer a ping: " + e.getMessage(),
              "mcpbus restarts a server that answers no ping: \"pingInterval\": \"0\" turns that"
                  + " off"));
    }
  }

  /** What the server does that MCP does not say, and that mcpbus tolerates. */
  private void quirks(JsonArray quirks) {
    if (!quirks.isEmpty()) {
      List<JsonObject> all = quirks.stream().map(JsonObject.class::cast).toList();
      steps.add(
          DoctorStep.note(
              "quirks",
              -1,
              all.size() == 1 ? "1 is tolerated" : all.size() + " are tolerated",
              Finding.of(
                      DoctorCause.QUIRKS,
                      "MCP does not say it, and mcpbus tolerates it; other clients may not",
                      "Nothing is broken here. The server's authors can correct it; \"strict\":"
                          + " true refuses it")
                  .with(
                      all.stream()
                          .map(one -> one.getString("says") + ": " + one.getString("remedy"))
                          .toList())));
    }
  }

  private DoctorStep end() {
    Stopwatch own = Stopwatch.start();
    long grace =
        definition.transport() instanceof StdioOptions stdio ? stdio.closeGrace().toMillis() : 0;
    ask(Addresses.DISCONNECT);
    while (ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false)
        && own.millis() < 3 * grace + 2_000) {
      pause();
    }
    long took = own.millis();
    return took < grace
        ? DoctorStep.ok("end", took, "the process ends when its stdin closes")
        : DoctorStep.note(
            "end",
            took,
            "the process had to be ended",
            Finding.of(
                DoctorCause.DOES_NOT_END,
                "The process does not end by itself within " + grace + " ms after its stdin closes",
                "Nothing is left behind: mcpbus sends SIGTERM, then SIGKILL"));
  }

  // ---- the server does not work

  private void failed(JsonObject status) {
    output();
    JsonObject error = status.getJsonObject("lastError");
    if (error == null) {
      error = error("HANDSHAKE_TIMEOUT", "no answer within " + time.millis() + " ms");
    }
    long took = time.millis();
    ask(Addresses.DISCONNECT);
    SeenFailure seen =
        new SeenFailure(
            definition,
            error.getString("code", ""),
            error.getString("message", ""),
            stderr.isEmpty() ? ofMessage(error.getString("message", "")) : stderr,
            junk,
            endpoint);
    Diagnosis diagnosis = FailureClues.of(seen);
    before(diagnosis.step());
    steps.add(DoctorStep.failed(diagnosis.step(), took, diagnosis.finding()));
  }

  /** The steps that went well before the one that failed. */
  private void before(String step) {
    if (definition.transport() instanceof StdioOptions && !step.equals("started")) {
      steps.add(DoctorStep.ok("started", Math.max(0, pidMillis), process()));
      if (!step.equals("first words")) {
        steps.add(words());
      }
    } else if (endpoint != null && endpoint.isHttp() && step.equals("handshake")) {
      steps.add(DoctorStep.ok("http", -1, "something answers"));
    }
  }

  /** The service's log of what the server said; it outlives the session. */
  private void output() {
    JsonArray lines;
    try {
      lines =
          server
              .ask(Addresses.LOGS, new JsonObject().put("limit", 500))
              .getJsonArray("lines", new JsonArray());
    } catch (ExaminationException e) {
      return;
    }
    stderr = from(lines, "stderr", stderr);
    junk = from(lines, "stdout", junk);
  }

  private static List<String> from(JsonArray lines, String source, List<String> otherwise) {
    List<String> found =
        lines.stream()
            .map(JsonObject.class::cast)
            .filter(line -> source.equals(line.getString("from")))
            .map(line -> line.getString("text", ""))
            .toList();
    return found.isEmpty() ? otherwise : found;
  }

  /** A failure quotes the end of stderr, where nothing else has kept it. */
  private static List<String> ofMessage(String message) {
    int at = message.indexOf("stderr: ");
    return at < 0
        ? List.of()
        : Stream.of(message.substring(at + "stderr: ".length()).split("\\R")).toList();
  }
}
