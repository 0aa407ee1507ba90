package dev.mcpbus.connection.session;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import org.jspecify.annotations.Nullable;

/** A request of the connection itself: handshake, lists, health check. */
public final class InternalRequest extends PendingRequest {

  private final Promise<RawJson> promise = Promise.promise();

  private final @Nullable String callId;
  private final boolean extra;

  public InternalRequest(String method, long deadline) {
    this(method, deadline, null);
  }

  /** On behalf of a caller, who may cancel it by {@code callId}. */
  public InternalRequest(String method, long deadline, @Nullable String callId) {
    this(method, deadline, callId, false);
  }

  private InternalRequest(String method, long deadline, @Nullable String callId, boolean extra) {
    super(method, deadline, 0, deadline);
    this.callId = callId;
    this.extra = extra;
  }

  /** For a call that is held: it must get through, however many are. */
  public static InternalRequest extra(String method, long deadline) {
    return new InternalRequest(method, deadline, null, true);
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
  public void fail(McpFailure failure) {
    promise.tryFail(failure);
  }
}
