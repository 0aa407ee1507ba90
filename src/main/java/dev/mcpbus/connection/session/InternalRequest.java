package dev.mcpbus.connection.session;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import org.jspecify.annotations.Nullable;

/**
 * A request of the connection itself, such as the handshake, a list or a health check; its ending
 * completes a future. Owner: the connection's context.
 */
public final class InternalRequest extends PendingRequest {

  private final Promise<RawJson> promise = Promise.promise();

  private final @Nullable BusCall caller;
  private final boolean states;
  private final boolean extra;

  public InternalRequest(String method, long deadline) {
    this(method, deadline, null, false, false);
  }

  private InternalRequest(
      String method, long deadline, @Nullable BusCall caller, boolean states, boolean extra) {
    super(method, deadline, 0, deadline);
    this.caller = caller;
    this.states = states;
    this.extra = extra;
  }

  /** A request on behalf of a caller, who may cancel it. */
  public static InternalRequest of(String method, BusCall caller) {
    return new InternalRequest(method, caller.deadline(), caller, false, false);
  }

  /** A page of a list for a caller, who may state itself what each request states. */
  public static InternalRequest page(String method, BusCall caller) {
    return new InternalRequest(method, caller.deadline(), caller, true, false);
  }

  /**
   * A request for a held call, beyond the bound on pending requests: the held call counts there.
   */
  public static InternalRequest extra(String method, long deadline) {
    return new InternalRequest(method, deadline, null, false, true);
  }

  @Override
  boolean isExtra() {
    return extra;
  }

  @Override
  boolean isForCaller() {
    return caller != null;
  }

  @Override
  public @Nullable String owner() {
    return caller == null ? null : caller.owner();
  }

  @Override
  public @Nullable String callId() {
    return caller == null ? null : caller.callId();
  }

  @Override
  @Nullable String logAddress() {
    return caller == null ? null : caller.logAddress();
  }

  @Override
  @Nullable String noticeAddress() {
    return caller == null ? null : caller.noticeAddress();
  }

  @Override
  public @Nullable String input() {
    return caller == null || !states ? null : caller.input();
  }

  @Override
  boolean isStream() {
    return method().equals(Methods.LISTEN);
  }

  public Future<RawJson> future() {
    return promise.future();
  }

  @Override
  public void complete(RawJson result) {
    promise.tryComplete(result);
  }

  @Override
  protected void failed(McpFailure failure) {
    promise.tryFail(failure);
  }
}
