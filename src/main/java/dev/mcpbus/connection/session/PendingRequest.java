package dev.mcpbus.connection.session;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.transport.OutboundMessage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request that waits for its one ending: {@link #complete} or {@link #fail}, exactly once. Owner:
 * the connection's context.
 */
public abstract class PendingRequest {

  private final String method;
  private final long hardDeadline;
  private final long idleMillis;
  private long deadline;
  private @Nullable Runnable held;
  private int rounds;
  private double progress = Double.NEGATIVE_INFINITY;

  /**
   * @param deadline on the connection's {@link Clock}
   * @param idleMillis each progress notification moves the deadline this far ahead, zero for never
   * @param hardDeadline progress never moves it past this
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

  /**
   * Held calls are not at the server: nothing is cancelled there.
   *
   * @param abandoned runs where the call ends while it is held; null to let it go on
   */
  final void hold(@Nullable Runnable abandoned) {
    held = abandoned;
  }

  final boolean isHeld() {
    return held != null;
  }

  /** Tells whoever holds the call that it has ended. */
  final void abandon() {
    Runnable holder = held;
    held = null;
    if (holder != null) {
      holder.run();
    }
  }

  /** Counts one more round trip of the same call. */
  public final int nextRound() {
    progress = Double.NEGATIVE_INFINITY;
    return ++rounds;
  }

  /** How often the call was made again. */
  final int rounds() {
    return rounds;
  }

  /** Gives a call whose deadline is ours, not the caller's, at least this long. */
  public final void extendBy(long now, long millis) {
    if (idleMillis > 0) {
      deadline = Math.max(deadline, Math.min(hardDeadline, now + millis));
    }
  }

  /**
   * Takes note of the server's progress, which must not fall (MCP 2025-11-25, Progress).
   *
   * @return false where it is no number, or less than was said before
   */
  final boolean advance(@Nullable RawJson reported) {
    double value = reported == null ? Double.NaN : reported.asDouble();
    if (Double.isNaN(value) || value < progress) {
      return false;
    }
    progress = value;
    return true;
  }

  /** Something was heard of the request at {@code now}. */
  public final void extend(long now) {
    if (idleMillis > 0) {
      deadline = Math.max(deadline, Math.min(hardDeadline, now + idleMillis));
    }
  }

  /** True for a request whose answer only ends a stream. */
  boolean isStream() {
    return false;
  }

  /** True for a request on behalf of one that is held: that one counts already. */
  boolean isExtra() {
    return false;
  }

  /** True for what a caller asked for, not the connection itself. */
  public boolean isCallers() {
    return false;
  }

  /** The principal who caused it, null for a program on the bus and for the connection itself. */
  public @Nullable String owner() {
    return null;
  }

  /** The caller's own name for the request, under which it can be cancelled. */
  public @Nullable String callId() {
    return null;
  }

  /** Where progress goes, null where nobody asked. */
  public @Nullable String progressAddress() {
    return null;
  }

  /** Where log messages go that are of this call alone, null where nobody asked. */
  @Nullable String logAddress() {
    return null;
  }

  /**
   * Who answers what the server asks for its sake, {@code Headers.INPUT}; null for the common way.
   */
  public @Nullable String input() {
    return null;
  }

  /** Headers of its own, for transports that have headers. */
  public List<OutboundMessage.Header> headers() {
    return List.of();
  }

  /** W3C trace context of the caller, null where it sent none. */
  public @Nullable String traceparent() {
    return null;
  }

  /**
   * Runs a step towards the ending of this call. A refusal ends it; a defect of ours ends it
   * without naming internals, and is thrown on.
   */
  public void attempt(Runnable step) {
    try {
      step.run();
    } catch (McpFailure refused) {
      fail(refused);
    } catch (RuntimeException defect) {
      fail(McpFailure.maybeSent(FailureCode.INTERNAL, "a defect of mcpbus; see its log"));
      throw defect;
    }
  }

  /** The result as it came. */
  public abstract void complete(RawJson result);

  public abstract void fail(McpFailure failure);
}
