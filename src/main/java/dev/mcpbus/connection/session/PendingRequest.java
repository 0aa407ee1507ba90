package dev.mcpbus.connection.session;

import dev.mcpbus.bus.ConnectionTelemetry;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.OutboundSpan;
import dev.mcpbus.bus.TelemetryOperation;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.RequestIds;
import dev.mcpbus.protocol.TraceContext;
import dev.mcpbus.transport.OutboundMessage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request that waits for its ending: {@link #complete} or {@link #fail}, exactly once. {@link
 * Session#send} takes it. Owner: the connection's context.
 */
public abstract class PendingRequest {

  private final String method;
  private final long hardDeadline;
  private final long idleMillis;
  private long deadline;
  private @Nullable Runnable held;
  private long sentAs;
  private int rounds;
  private @Nullable TelemetryOperation operation;
  private @Nullable CallBreaker breaker;
  private boolean toolError;
  private boolean reached;
  private double progress = Double.NEGATIVE_INFINITY;

  /**
   * @param deadline on the connection's {@link Clock}
   * @param idleMillis each progress notification moves the deadline to this long from then; zero
   *     for never
   * @param hardDeadline the latest deadline that progress can lead to
   */
  public PendingRequest(String method, long deadline, long idleMillis, long hardDeadline) {
    this.method = method;
    this.deadline = deadline;
    this.idleMillis = idleMillis;
    this.hardDeadline = hardDeadline;
  }

  public final String method() {
    return method;
  }

  public final long deadline() {
    return deadline;
  }

  public final long idleMillis() {
    return idleMillis;
  }

  public final long hardDeadline() {
    return hardDeadline;
  }

  /** The number of the caller's call in the {@link CallLog}; 0 for a request of the connection. */
  public long number() {
    return 0;
  }

  /** Our id of the latest request that was sent for it, 0 before. */
  final long sentAs() {
    return sentAs;
  }

  final void sentAs(long id) {
    sentAs = id;
  }

  /**
   * What the server says in a message that MCP does not define, with the caller's id of this call
   * in place of ours and of our progress token.
   */
  final RawJson toCaller(RawJson said) {
    String callId = callId();
    if (callId == null) {
      return said;
    }
    RawJson own = RawJson.string(callId);
    return RequestIds.replaced(
        said,
        id -> RequestIds.number(id) == sentAs ? own : id,
        token -> RequestMeta.requestOf(token) == sentAs ? own : token);
  }

  /**
   * Marks the call as held: it is not at the server, so there is nothing to cancel there.
   *
   * @param abandoned runs if the call ends while it is held; null when the call goes on
   */
  final void hold(@Nullable Runnable abandoned) {
    held = abandoned;
  }

  final boolean isHeld() {
    return held != null;
  }

  /** Runs the action of {@link #hold}: the call has ended. */
  final void abandon() {
    Runnable holder = held;
    held = null;
    if (holder != null) {
      holder.run();
    }
  }

  /** Begins another round trip of the same call; returns its number, from 1. */
  public final int nextRound() {
    progress = Double.NEGATIVE_INFINITY;
    return ++rounds;
  }

  /** The number of round trips after the first request. */
  final int rounds() {
    return rounds;
  }

  /**
   * Extends a deadline that we chose to at least {@code millis} from now; not one of the caller.
   */
  public final void extendBy(long now, long millis) {
    if (idleMillis > 0) {
      deadline = Math.max(deadline, Math.min(hardDeadline, now + millis));
    }
  }

  /**
   * Notes the progress that the server reports, which must not fall (MCP 2025-11-25, Progress).
   *
   * @return false where it is no number, or less than before
   */
  final boolean advance(@Nullable RawJson reported) {
    double value = reported == null ? Double.NaN : reported.asDouble();
    if (Double.isNaN(value) || value < progress) {
      return false;
    }
    progress = value;
    return true;
  }

  /** The server sent a sign of life for the request at {@code now}: extends the deadline. */
  public final void extend(long now) {
    extendBy(now, idleMillis);
  }

  /** The server has opened the stream of the request, which may be silent from now on. */
  final void open() {
    extendBy(0, hardDeadline);
  }

  /** Whether the caller wants the server's own words, also where they break the rules of MCP. */
  boolean isAsIs() {
    return false;
  }

  /** True for a request that opens a stream: its answer comes when the stream ends. */
  boolean isStream() {
    return false;
  }

  /** True for a request that serves a held call, which counts in the bound already. */
  boolean isExtra() {
    return false;
  }

  /** True for a request of a caller, false for one of the connection itself. */
  public boolean isCallers() {
    return false;
  }

  /** Whether a caller's call causes it. */
  boolean isForCaller() {
    return isCallers();
  }

  /** The name of the principal who called; null for a program on the bus and for the connection. */
  public @Nullable String owner() {
    return null;
  }

  /** The call id by which the caller can cancel the request. */
  public @Nullable String callId() {
    return null;
  }

  /**
   * Notes that something of the call leaves for its client.
   *
   * @return the address that wants to know it, {@link dev.mcpbus.bus.Headers#REACHED}; null where
   *     none does, and after the first time
   */
  public final @Nullable String reach() {
    String address = reached ? null : reachedAddress();
    reached = true;
    return address;
  }

  /** The value of {@link dev.mcpbus.bus.Headers#REACHED}; null where there is none. */
  @Nullable String reachedAddress() {
    return null;
  }

  /** The address that gets progress, null where the caller wants none. */
  public @Nullable String progressAddress() {
    return null;
  }

  /** The address that gets the log messages of this call, null where the caller wants none. */
  @Nullable String logAddress() {
    return null;
  }

  /**
   * The address that gets notifications of this call that MCP does not define, null where the
   * caller wants none.
   */
  @Nullable String noticeAddress() {
    return null;
  }

  /**
   * The header {@code Headers.INPUT}: what answers the questions that the server asks for this
   * call; null for the handlers on the bus.
   */
  public @Nullable String input() {
    return null;
  }

  /** Headers of this request, for transports that have headers. */
  public List<OutboundMessage.MessageHeader> headers() {
    return List.of();
  }

  /** The trace that the caller named; null where it named none. */
  public @Nullable TraceContext trace() {
    return null;
  }

  /** The name of the tool that is called, if the server lists it; else null. */
  public @Nullable String item() {
    return null;
  }

  // ---- telemetry

  /** The request {@code id} is about to leave. */
  final void begin(ConnectionTelemetry telemetry, long id, @Nullable RawJson params) {
    operation = telemetry.sent(new OutboundSpan(id, method, item(), params, trace(), isCallers()));
  }

  /** The trace that the request carries to the server: that of its operation, or the caller's. */
  final @Nullable TraceContext carried() {
    TelemetryOperation measured = operation;
    TraceContext own = measured == null ? null : measured.trace();
    return own == null ? trace() : own;
  }

  /** The breaker has let the request through, and wants to know how it ends. */
  final void guardedBy(CallBreaker one) {
    breaker = one;
  }

  /** Whether a breaker has let it through, and does not know yet how it ends. */
  final boolean isGuarded() {
    return breaker != null;
  }

  private void tell(@Nullable McpFailure failure, boolean withToolError) {
    CallBreaker one = breaker;
    if (one != null) {
      breaker = null;
      one.ended(this, failure, withToolError);
    }
  }

  /** The server has answered with a result. */
  final void answered(boolean withToolError) {
    toolError = withToolError;
    tell(null, withToolError);
    TelemetryOperation measured = operation;
    if (measured != null) {
      operation = null;
      measured.succeeded(withToolError);
    }
  }

  /** The server has answered with an error, or will not answer. */
  final void missed(McpFailure failure) {
    tell(failure, false);
    TelemetryOperation measured = operation;
    if (measured != null) {
      operation = null;
      measured.failed(failure);
    }
  }

  /** Whether the last result was the failure of a tool. */
  public final boolean isToolError() {
    return toolError;
  }

  /** The result, which came to another request, is the failure of a tool. */
  public final void toolFailed() {
    toolError = true;
  }

  /**
   * Runs a step of this call. A {@link McpFailure} that it throws ends the call; a defect of ours
   * ends it without naming internals, and is thrown on.
   */
  public void attempt(Runnable step) {
    try {
      step.run();
    } catch (McpFailure refused) {
      fail(refused);
    } catch (RuntimeException defect) {
      fail(McpFailure.defect());
      throw defect;
    }
  }

  /** Ends the request with the result as it came. */
  public abstract void complete(RawJson result);

  /** Ends the request without a result. */
  public final void fail(McpFailure failure) {
    missed(failure);
    failed(failure);
  }

  /** The request ends without a result. */
  protected abstract void failed(McpFailure failure);
}
