package dev.mcpbus.security;

import io.vertx.core.json.JsonObject;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One line of JSON for each decision and each call, on the logger {@value #LOGGER}: never an
 * argument, a result or a credential; printable ASCII alone, so that no line can be forged and no
 * terminal moved.
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

  private final boolean on;
  private final InstantSource clock;

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
   * @param principal null where nobody knows
   * @param action one word, or a path where there is no word
   * @param server null where it is about none, or about all
   * @param tool of a tool, prompt or resource; null where it is about none
   * @param code {@code OK} or a failure code
   * @param sinceNanos when it began, by {@link System#nanoTime}
   */
  public void line(
      @Nullable Principal principal,
      String action,
      @Nullable String server,
      @Nullable String tool,
      Decision decision,
      String code,
      long sinceNanos) {
    if (!isOn()) {
      return;
    }
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sinceNanos);
    JsonObject line =
        new JsonObject()
            .put("time", clock.instant().truncatedTo(ChronoUnit.MILLIS).toString())
            .put("principal", principal == null ? null : bounded(principal.name()))
            .put("action", bounded(action));
    if (server != null) {
      line.put("server", bounded(server));
    }
    if (tool != null) {
      line.put("tool", bounded(tool));
    }
    line.put("decision", decision.name().toLowerCase(Locale.ROOT))
        .put("code", code)
        .put("ms", millis);
    LOG.info("{}", ascii(line.encode()));
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
