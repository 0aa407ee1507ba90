package dev.mcpbus.security;

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
 * One line of JSON for each refusal and each call, when its outcome is known, on the logger {@value
 * #LOGGER}: never an argument, a result or a credential; printable ASCII alone, so that no line can
 * be forged and no terminal moved.
 */
public final class Audit {

  public static final String LOGGER = "dev.mcpbus.audit";

  private static final Logger LOG = LoggerFactory.getLogger(LOGGER);
  private static final int MAX_TEXT = 512;

  /** What became of a request. */
  public enum Decision {
    /** It went on. */
    ALLOW,
    /** The principal may not. */
    DENY,
    /** Nobody knows who asks. */
    UNKNOWN,
    /** Too much at once. */
    LIMIT
  }

  /** Kinds of refusals that one second has lines for; all others of it are counted together. */
  private static final int MAX_KINDS = 100;

  private static final long WINDOW_MILLIS = 1_000;

  private final boolean on;
  private final InstantSource clock;

  /** Refusals of this second by what they say, and how often beside the first time. */
  private final Map<String, Integer> repeated = new LinkedHashMap<>();

  private int others;
  private long windowAt;

  /**
   * @param on false writes nothing
   */
  public Audit(boolean on, InstantSource clock) {
    this.on = on;
    this.clock = clock;
  }

  /** Writes nothing. */
  public static Audit off() {
    return new Audit(false, InstantSource.system());
  }

  /** Whether lines are written at all. */
  public boolean isOn() {
    return on && LOG.isInfoEnabled();
  }

  /**
   * One line. Of refusals the same one is written once a second, at its first time, and once more
   * with their number where there were others.
   *
   * @param source where it came from
   * @param principal null where nobody knows
   * @param operation the route's name, the MCP method, or the address on the bus; of a request that
   *     did not get so far its method and path
   * @param action one word of policies, or {@code connect} where it did not get so far
   * @param server null where it is about none, or about all
   * @param tool of a tool, prompt or resource; null where it is about none
   * @param code {@code OK} or a failure code; {@code OPEN} and {@code END} of what stays open
   * @param sinceNanos when it began, by {@link System#nanoTime}
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
      long sinceNanos) {
    if (!isOn()) {
      return;
    }
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
    line.put("decision", decision.name().toLowerCase(Locale.ROOT)).put("code", code);
    if (decision == Decision.ALLOW || isFirst(line.encode())) {
      write(line.put("ms", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sinceNanos)));
    }
  }

  /** A request that was refused before anybody looked for its route. */
  public void refused(
      HttpServerRequest request, @Nullable Principal principal, Decision decision, String code) {
    line(
        RequestSource.of(request),
        principal,
        request.method() + " " + request.path(),
        "connect",
        null,
        null,
        decision,
        code,
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

  /** Writes what was counted; to be called every second, and at the end. */
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
    String time = clock.instant().truncatedTo(ChronoUnit.MILLIS).toString();
    LOG.info("{}", ascii(new JsonObject().put("time", time).mergeIn(line).encode()));
  }

  private static String bounded(String text) {
    return text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) + "..." : text;
  }

  /** JSON stays JSON: only texts hold other characters, and there an escape means the same. */
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
