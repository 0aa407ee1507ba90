package dev.mcpbus.connection.session;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.options.BreakerOptions;
import dev.mcpbus.internals.OptionalLibrary;
import dev.mcpbus.protocol.Methods;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The circuit breakers of one connection, through all its sessions: one for all calls, and by wish
 * one for each listed tool. {@link Session#send} asks before a request leaves, and the request
 * tells how it ended. Requests of the connection itself and pings pass. Owner: the connection's
 * context.
 */
public final class CallBreaker {

  /** What says that the server, or the way to it, does not work. */
  private static final Set<FailureCode> FAILURES =
      EnumSet.of(
          FailureCode.CONNECT_FAILED,
          FailureCode.TLS_ERROR,
          FailureCode.CALL_TIMEOUT,
          FailureCode.UPSTREAM_EXITED,
          FailureCode.UPSTREAM_RESET,
          FailureCode.OUTCOME_UNKNOWN,
          FailureCode.PROTOCOL_ERROR);

  /** Tools beyond this number share the breaker of the connection. */
  private static final int MAX_TOOLS = 1_000;

  /** So many calls the breakers of all tools remember, about 50 bytes each. */
  private static final int MAX_REMEMBERED = 100_000;

  /** Where probes are on their way, their answer may come at any moment. */
  private static final long PROBING_MILLIS = 1_000;

  /** Learns of each change. */
  @FunctionalInterface
  public interface BreakerListener {

    /**
     * @param change {@code {from, to, reason, tool?, retryAfter?}}
     */
    void changed(JsonObject change);

    /** The breaker of all calls wants one more probe, and none is on its way. */
    default void wantsProbe() {}
  }

  /** One breaker, why it has opened, and the probes that are on their way. */
  private static final class Guard {
    final @Nullable String tool;
    final CircuitBreaker breaker;
    final Set<PendingRequest> probes = new HashSet<>();
    String reason = "";
    long openedAt;

    Guard(@Nullable String tool, CircuitBreaker breaker) {
      this.tool = tool;
      this.breaker = breaker;
    }
  }

  private final BreakerOptions options;
  private final Clock clock;
  private final CircuitBreakerConfig config;
  private final BreakerListener listener;
  private final Guard whole;
  private final Map<String, Guard> tools = new ConcurrentHashMap<>();

  private CallBreaker(BreakerOptions options, Clock clock, BreakerListener listener) {
    this.options = options;
    this.clock = clock;
    this.listener = listener;
    InstantSource now = () -> Instant.ofEpochMilli(clock.millis());
    this.config =
        CircuitBreakerConfig.custom()
            .clock(now.withZone(ZoneOffset.UTC))
            .failureRateThreshold((float) (options.failureRate() * 100))
            .slidingWindow(
                options.window(),
                options.minimumCalls(),
                CircuitBreakerConfig.SlidingWindowType.COUNT_BASED)
            .waitDurationInOpenState(options.openFor())
            .permittedNumberOfCallsInHalfOpenState(options.probes())
            .build();
    this.whole = guard(null);
  }

  /**
   * The breakers of a connection; null where its calls have none.
   *
   * @param listener on the connection's context
   * @throws IllegalStateException if the library is missing
   */
  public static @Nullable CallBreaker of(
      BreakerOptions options, Clock clock, BreakerListener listener) {
    if (!options.active()) {
      return null;
    }
    OptionalLibrary.RESILIENCE4J.require();
    return new CallBreaker(options, clock, listener);
  }

  private Guard guard(@Nullable String tool) {
    Guard made = new Guard(tool, CircuitBreaker.of(tool == null ? "calls" : tool, config));
    made.breaker
        .getEventPublisher()
        .onStateTransition(
            event ->
                changed(
                    made,
                    event.getStateTransition().getFromState(),
                    event.getStateTransition().getToState()));
    return made;
  }

  private void changed(Guard guard, State from, State to) {
    guard.probes.clear();
    if (to == State.OPEN) {
      guard.openedAt = clock.millis();
    }
    JsonObject change =
        new JsonObject().put("from", word(from)).put("to", word(to)).put("reason", guard.reason);
    if (guard.tool != null) {
      change.put("tool", guard.tool);
    }
    listener.changed(to == State.OPEN ? change.put("retryAfter", wait(guard)) : change);
  }

  private static String word(State state) {
    return switch (state) {
      case OPEN -> "open";
      case HALF_OPEN -> "halfOpen";
      default -> state.name().toLowerCase(Locale.ROOT);
    };
  }

  private Guard of(PendingRequest call) {
    String tool = options.perTool() ? call.item() : null;
    if (tool == null) {
      return whole;
    }
    Guard known = tools.get(tool);
    if (known == null && tools.size() < Math.min(MAX_TOOLS, MAX_REMEMBERED / options.window())) {
      known = guard(tool);
      tools.put(tool, known);
    }
    return known == null ? whole : known;
  }

  /**
   * The request wants to leave.
   *
   * @return the refusal; null where it may, and then tells {@link #ended}
   */
  @Nullable McpFailure refusal(PendingRequest call) {
    if (!call.isForCaller() || call.method().equals(Methods.PING) || call.isGuarded()) {
      return null; // guarded: it was let through, and another session sends it
    }
    Guard guard = of(call);
    if (guard.breaker.tryAcquirePermission()) {
      call.guardedBy(this);
      if (guard.breaker.getState() == State.HALF_OPEN) {
        guard.probes.add(call);
      }
      return null;
    }
    return new McpFailure(
        FailureCode.UNAVAILABLE,
        McpFailure.Sent.NO,
        "the circuit breaker of "
            + (guard.tool == null ? "this server" : "the tool '" + guard.tool + "'")
            + " is open, so the call was not sent: "
            + guard.reason,
        wait(guard),
        new JsonObject().put("breaker", word(guard.breaker.getState())));
  }

  /** Milliseconds until a call may be sent as a probe. */
  private long wait(Guard guard) {
    return guard.breaker.getState() == State.OPEN
        ? Math.max(1, guard.openedAt + options.openFor().toMillis() - clock.millis())
        : PROBING_MILLIS;
  }

  /**
   * A request that was let through has its answer, or will have none.
   *
   * @param failure null for a result
   * @param toolError whether the result has {@code isError}
   */
  void ended(PendingRequest call, @Nullable McpFailure failure, boolean toolError) {
    Guard guard = of(call);
    boolean probe = guard.probes.remove(call);
    if (!probe && guard.breaker.getState() == State.HALF_OPEN) {
      return; // it was sent before the breaker opened, and says nothing of now
    }
    boolean isError = failure == null ? toolError : failure.code() == FailureCode.UPSTREAM_ERROR;
    if (isError ? options.errors() : failure != null && FAILURES.contains(failure.code())) {
      guard.reason = reason(guard, failure);
      guard.breaker.onError(
          0, TimeUnit.MILLISECONDS, failure == null ? McpFailure.badRequest("isError") : failure);
    } else if (isError || failure == null) {
      guard.breaker.onSuccess(0, TimeUnit.MILLISECONDS); // the server works, and may say no
    } else {
      guard.breaker.releasePermission(); // cancelled, or refused by mcpbus itself
    }
    if (probe && guard.equals(whole) && guard.breaker.getState() == State.HALF_OPEN) {
      listener.wantsProbe();
    }
  }

  /**
   * Said before the failure is counted, because the change of state is told while it is. Without
   * the text of the failure: it may quote the call, and everybody reads this.
   */
  private static String reason(Guard guard, @Nullable McpFailure last) {
    CircuitBreaker.Metrics counted = guard.breaker.getMetrics();
    boolean probe = guard.breaker.getState() == State.HALF_OPEN;
    return (probe
            ? "a probe failed"
            : counted.getNumberOfFailedCalls()
                + 1
                + " of the last "
                + (counted.getNumberOfBufferedCalls() + 1)
                + " calls failed")
        + ", the last with "
        + (last == null ? "isError" : last.code());
  }

  /** A caller starts the server anew, and wants to know whether it works now. */
  public void reset() {
    whole.breaker.reset();
    tools.values().forEach(each -> each.breaker.reset());
  }

  /** Whether the breaker of all calls is closed; those of single tools do not count. */
  public boolean isClosed() {
    return whole.breaker.getState() == State.CLOSED;
  }

  /**
   * Milliseconds until the breaker of all calls lets a probe through; -1 where it is closed, or has
   * let one through.
   */
  public long probeIn() {
    return whole.breaker.getState() == State.OPEN ? wait(whole) : -1;
  }

  /** How many breakers are not closed. */
  public int open() {
    return (int) tools.values().stream().filter(each -> isOpen(each)).count()
        + (isOpen(whole) ? 1 : 0);
  }

  private static boolean isOpen(Guard guard) {
    return guard.breaker.getState() != State.CLOSED;
  }

  /**
   * For {@code status}: {@code {state, reason?, retryAfter?, tools?: [{tool, state, reason,
   * retryAfter?}]}}; of the tools only those whose breaker is not closed.
   */
  public JsonObject toJson() {
    JsonObject json = toJson(whole);
    JsonArray open = new JsonArray();
    tools
        .values()
        .forEach(
            each -> {
              if (isOpen(each)) {
                open.add(toJson(each).put("tool", each.tool));
              }
            });
    return open.isEmpty() ? json : json.put("tools", open);
  }

  private JsonObject toJson(Guard guard) {
    State state = guard.breaker.getState();
    JsonObject json = new JsonObject().put("state", word(state));
    if (state != State.CLOSED) {
      json.put("reason", guard.reason);
    }
    return state == State.OPEN ? json.put("retryAfter", wait(guard)) : json;
  }
}
