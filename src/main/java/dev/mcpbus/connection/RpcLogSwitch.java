package dev.mcpbus.connection;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Timers;
import dev.mcpbus.connection.options.RpcLogTaps;
import dev.mcpbus.protocol.MessageTap;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where the JSON-RPC messages of a connection are shown now: {@code mcp.<id>.rpclog}. It begins
 * with the mode of the configuration. An operator sets another one for a time, which holds for the
 * present session and for each that follows it; then the mode of the configuration comes back by
 * itself. A connection that is made anew, because its definition has changed, because it has
 * crashed or because it has moved to another node, has the mode of the configuration; a private
 * connection that an operator's mode covers begins with that one. Owner: the connection's context.
 */
final class RpcLogSwitch {

  static final int DEFAULT_SECONDS = 600;
  static final int MAX_SECONDS = 86_400;

  private final RpcLogTaps taps;
  private final Timers timers;
  private final InstantSource clock;
  private final Consumer<@Nullable MessageTap> session;
  private String mode;
  private @Nullable MessageTap tap;
  private @Nullable Instant until;
  private long timer = -1;

  /**
   * @param session gives the present session another tap; null for none
   */
  RpcLogSwitch(
      RpcLogTaps taps, Timers timers, InstantSource clock, Consumer<@Nullable MessageTap> session) {
    this.taps = taps;
    this.timers = timers;
    this.clock = clock;
    this.session = session;
    this.mode = taps.configured();
    this.tap = taps.tap(mode);
    RpcLogTaps.TemporaryMode begun = taps.temporary();
    long left = begun == null ? 0 : Duration.between(clock.instant(), begun.until()).toMillis();
    if (begun != null && left > 0) {
      timer = timers.set(left, this::configured);
      use(begun.mode(), begun.until());
    }
  }

  /** The tap for a new session; null where nothing is shown. */
  @Nullable MessageTap tap() {
    return tap;
  }

  /** Whether an operator has set another mode than that of the configuration. */
  boolean isTemporary() {
    return until != null;
  }

  /** {@code {mode, until?}}; {@code until} is when the mode of the configuration comes back. */
  JsonObject toJson() {
    JsonObject json = new JsonObject().put("mode", mode);
    return until == null ? json : json.put("until", until.toString());
  }

  /**
   * Sets the mode.
   *
   * @param body {@code {mode, seconds?}}; a {@code mode} of null is that of the configuration
   * @return {@link #toJson}
   * @throws McpFailure {@code BAD_REQUEST}
   */
  JsonObject set(JsonObject body) {
    Object wanted = body.getValue("mode");
    if (!body.containsKey("mode")
        || (wanted != null && !(wanted instanceof String word && taps.modes().contains(word)))) {
      throw McpFailure.badRequest(
          "\"mode\" must be one of " + taps.modes() + ", or null for that of the configuration");
    }
    int seconds = seconds(body.getValue("seconds"));
    timers.cancel(timer);
    timer = -1;
    if (wanted == null || wanted.equals(taps.configured())) {
      configured();
    } else {
      timer = timers.set(TimeUnit.SECONDS.toMillis(seconds), this::configured);
      use((String) wanted, clock.instant().plusSeconds(seconds));
    }
    return toJson();
  }

  private static int seconds(@Nullable Object value) {
    if (value == null) {
      return DEFAULT_SECONDS;
    }
    if (value instanceof Integer number && number >= 1 && number <= MAX_SECONDS) {
      return number;
    }
    throw McpFailure.badRequest("\"seconds\" must be 1 to " + MAX_SECONDS);
  }

  private void configured() {
    use(taps.configured(), null);
  }

  private void use(String next, @Nullable Instant end) {
    until = end;
    if (!mode.equals(next)) {
      mode = next;
      tap = taps.tap(next);
      session.accept(tap);
    }
  }

  /** The connection ends. */
  void close() {
    timers.cancel(timer);
    timer = -1;
  }
}
