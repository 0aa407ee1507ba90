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

  private final @Nullable String callId;
  private final @Nullable String input;
  private final boolean extra;

  public InternalRequest(String method, long deadline) {
    this(method, deadline, null);
  }

  /** A request on behalf of a caller, who may cancel it by {@code callId}. */
  public InternalRequest(String method, long deadline, @Nullable String callId) {
    this(method, deadline, callId, null, false);
  }

  /** A page of a list for a caller, who may state itself what each request states. */
  public InternalRequest(String method, BusCall call) {
    this(method, call.deadline(), call.callId(), call.input(), false);
  }

  private InternalRequest(
      String method,
      long deadline,
      @Nullable String callId,
      @Nullable String input,
      boolean extra) {
    super(method, deadline, 0, deadline);
    this.callId = callId;
    this.input = input;
    this.extra = extra;
  }

  /**
   * A request for a held call, beyond the bound on pending requests: the held call counts there.
   */
  public static InternalRequest extra(String method, long deadline) {
    return new InternalRequest(method, deadline, null, null, true);
  }

  @Override
  boolean isExtra() {
    return extra;
  }

  @Override
  public @Nullable String callId() {
    return callId;
  }

  @Override
  public @Nullable String input() {
    return input;
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
