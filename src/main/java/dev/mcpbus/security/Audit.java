package dev.mcpbus.security;

import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.security.AuthOptions.AuditFile;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The audit log: one line of JSON for each refusal, and for each call when its outcome is known, on
 * the logger {@value #LOGGER}. A line never holds an argument, a result or a credential. It is
 * printable ASCII alone, so a caller can neither forge a line nor send control codes to a terminal.
 * With a file of its own ({@link AuthOptions#auditFile}) the lines go there in place of the logger.
 * Thread-safe.
 */
public final class Audit {

  public static final String LOGGER = "dev.mcpbus.audit";

  private static final Logger LOG = LoggerFactory.getLogger(LOGGER);
  private static final int MAX_TEXT = 512;

  /** What mcpbus decided on a request. */
  public enum Decision {
    /** Admitted. */
    ALLOW,
    /** The principal has no right to it. */
    DENY,
    /** The caller is not authenticated. */
    UNKNOWN,
    /** Above the rate limit. */
    LIMIT
  }

  /**
   * Kinds of refusals that get lines of their own in one second; the others are counted together.
   */
  private static final int MAX_KINDS = 100;

  private static final long WINDOW_MILLIS = 1_000;

  private final boolean on;
  private final InstantSource clock;
  private final @Nullable AuditLogFile file;

  /** The refusals of this second: the line, and how often it was repeated after the first time. */
  private final Map<String, Integer> repeated = new LinkedHashMap<>();

  private int others;
  private long windowAt;

  /**
   * @param on false writes nothing
   * @param to the file of the lines; null for the logger
   */
  public Audit(boolean on, InstantSource clock, @Nullable AuditFile to) {
    this.on = on;
    this.clock = clock;
    this.file = on && to != null ? new AuditLogFile(to, this::lostLine) : null;
  }

  /** Whether lines are written at all. */
  public boolean isOn() {
    return on && (file != null || LOG.isInfoEnabled());
  }

  /** Opens the file, if there is one, so that the log says at the start if that fails. */
  public void open() {
    if (file != null) {
      file.open();
    }
  }

  /** Writes what is left, and closes the file. Blocks for two seconds at most. */
  public void close() {
    flush();
    if (file != null) {
      file.close();
    }
  }

  /** Why lines cannot be written now; null if they can. */
  public @Nullable String problem() {
    return file == null ? null : file.problem();
  }

  /** Lines that were lost since the start, because the file could not be written. */
  public long lost() {
    return file == null ? 0 : file.lost();
  }

  /** Lines that wait until the file can be written. */
  public int waiting() {
    return file == null ? 0 : file.waiting();
  }

  /** Whether calls must not be sent before {@link #begin} has written their beginnings. */
  public boolean precedesCalls() {
    return file != null && file.refuses();
  }

  /**
   * Writes the beginning of a call, where {@link #precedesCalls}.
   *
   * @return completes on the caller's context when the line is on the disk; fails with {@link
   *     AuditRefusedException} if it cannot be written
   */
  public Future<Void> begin(
      Vertx vertx,
      RequestSource source,
      Principal principal,
      String operation,
      String action,
      @Nullable String server,
      @Nullable String tool) {
    AuditLogFile to = file;
    if (to == null) {
      return Future.succeededFuture();
    }
    Promise<Void> written = InternalContext.promise(vertx);
    JsonObject line = about(source, principal, operation, action, server, tool);
    to.write(
        timed(
            line.put("decision", Decision.ALLOW.name().toLowerCase(Locale.ROOT))
                .put("code", "BEGIN")),
        written);
    return written.future();
  }

  private String lostLine(long count) {
    return timed(
        new JsonObject()
            .put("action", "audit")
            .put("decision", "several")
            .put("code", "LOST")
            .put("count", count));
  }

  /**
   * Writes one line. A refusal that repeats is written once per second; a second line then holds
   * the number of repetitions.
   *
   * @param source where the request came from
   * @param principal null if the caller is not authenticated
   * @param operation the route's name, the MCP method or the bus address; method and path if the
   *     request was refused before routing
   * @param action one of the words of policies, or {@code connect} if it was refused before routing
   * @param server null if the request concerns no server, or all servers
   * @param tool name of a tool or prompt, URI of a resource; null for none
   * @param code {@code OK} or a failure code; {@code OPEN} and {@code END} for streams and sockets
   * @param repeats how many times mcpbus has made the call again, 0 for a call that it made once
   * @param sinceNanos when the request began, by {@link System#nanoTime}
   */
  public void line(
      RequestSource source,
      @Nullable Principal principal,
      String operation,
      String action,
      @Nullable String server,
      @Nullable String tool,
      Decision decision,
      String code,
      int repeats,
      long sinceNanos) {
    if (!isOn()) {
      return;
    }
    JsonObject line = about(source, principal, operation, action, server, tool);
    line.put("decision", decision.name().toLowerCase(Locale.ROOT)).put("code", code);
    if (repeats > 0) {
      line.put("repeated", repeats);
    }
    if (decision == Decision.ALLOW || isFirst(line.encode())) {
      write(line.put("ms", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sinceNanos)));
    }
  }

  private static JsonObject about(
      RequestSource source,
      @Nullable Principal principal,
      String operation,
      String action,
      @Nullable String server,
      @Nullable String tool) {
    JsonObject line =
        new JsonObject()
            .put("principal", principal == null ? null : bounded(principal.name()))
            .put("remote", source.remote())
            .put("door", source.door())
            .put("operation", bounded(operation))
            .put("action", bounded(action));
    if (server != null) {
      line.put("server", bounded(server));
    }
    if (tool != null) {
      line.put("tool", bounded(tool));
    }
    return line;
  }

  /** A path without the secret part of a link. */
  private static String named(String path) {
    int dot = MountPath.LOGIN.owns(path) ? path.indexOf('.') : -1;
    return dot < 0 ? path : path.substring(0, dot);
  }

  /** Writes the line of a request that was refused before routing. */
  public void refused(HttpServerRequest request, @Nullable Principal principal, RefusalCode code) {
    line(
        RequestSource.of(request),
        principal,
        request.method() + " " + named(String.valueOf(request.path())),
        "connect",
        null,
        null,
        code.decision(),
        code.name(),
        0,
        System.nanoTime());
  }

  private synchronized boolean isFirst(String line) {
    if (clock.millis() - windowAt >= WINDOW_MILLIS) {
      flush();
    }
    Integer more = repeated.get(line);
    if (more == null && repeated.size() >= MAX_KINDS) {
      others++;
      return false;
    }
    repeated.put(line, more == null ? 0 : more + 1);
    return more == null;
  }

  /** Writes the numbers of repeated refusals; call it every second and at the end. */
  public synchronized void flush() {
    windowAt = clock.millis();
    repeated.forEach(
        (line, more) -> {
          if (more > 0) {
            write(new JsonObject(line).put("count", more));
          }
        });
    repeated.clear();
    if (others > 0) {
      write(
          new JsonObject()
              .put("action", "connect")
              .put("decision", "several")
              .put("code", "SEVERAL")
              .put("count", others));
      others = 0;
    }
  }

  private void write(JsonObject line) {
    String text = timed(line);
    if (file == null) {
      LOG.info("{}", text);
    } else {
      file.write(text);
    }
  }

  private String timed(JsonObject line) {
    String time = clock.instant().truncatedTo(ChronoUnit.MILLIS).toString();
    return ascii(new JsonObject().put("time", time).mergeIn(line).encode());
  }

  private static String bounded(String text) {
    return text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) + "..." : text;
  }

  /**
   * Escapes all that is not printable ASCII. Only JSON strings hold such characters, and there an
   * escape has the same meaning.
   */
  static String ascii(String json) {
    int plain = 0;
    while (plain < json.length() && isPlain(json.charAt(plain))) {
      plain++;
    }
    if (plain == json.length()) {
      return json;
    }
    StringBuilder text = new StringBuilder(json.length() + 64).append(json, 0, plain);
    for (int i = plain; i < json.length(); i++) {
      char c = json.charAt(i);
      if (isPlain(c)) {
        text.append(c);
      } else {
        text.append(String.format("\\u%04x", (int) c));
      }
    }
    return text.toString();
  }

  private static boolean isPlain(char c) {
    return c >= ' ' && c < 0x7f;
  }
}
