package dev.mcpbus.connection;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * A request that waits for its one ending: {@link #complete} or {@link #fail}, exactly once. Owner:
 * the connection's context.
 */
abstract class Pending {

  private final String method;
  private final long hardDeadline;
  private final long idleMillis;
  private long deadline;

  /**
   * @param deadline on the connection's {@link Clock}
   * @param idleMillis each progress notification moves the deadline this far ahead, zero for never
   * @param hardDeadline progress never moves it past this
   */
  Pending(String method, long deadline, long idleMillis, long hardDeadline) {
    this.method = method;
    this.deadline = deadline;
    this.idleMillis = idleMillis;
    this.hardDeadline = hardDeadline;
  }

  final String method() {
    return method;
  }

  final long deadline() {
    return deadline;
  }

  final long idleMillis() {
    return idleMillis;
  }

  final long hardDeadline() {
    return hardDeadline;
  }

  /** Something was heard of the request at {@code now}. */
  final void extend(long now) {
    if (idleMillis > 0) {
      deadline = Math.max(deadline, Math.min(hardDeadline, now + idleMillis));
    }
  }

  /** The caller's own name for the request, under which it can be cancelled. */
  @Nullable String callId() {
    return null;
  }

  /** Where progress goes, null where nobody asked. */
  @Nullable String progressAddress() {
    return null;
  }

  /** W3C trace context of the caller, null where it sent none. */
  @Nullable String traceparent() {
    return null;
  }

  /** The result as it came. */
  abstract void complete(RawJson result);

  abstract void fail(McpFailure failure);
}
