package dev.mcpbus.client;

import dev.mcpbus.bus.CacheMode;
import dev.mcpbus.protocol.PublicApi;
import io.modelcontextprotocol.spec.McpSchema;
import io.vertx.core.Handler;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options of one call. For an option that is null the defaults of the {@link McpClient} apply,
 * and if that is null too, the configuration of the connection. Immutable.
 *
 * @param timeout how long the caller waits in all; then the call fails with {@code CALL_TIMEOUT}
 *     and is cancelled at the server. Null: the request time-out of the connection
 * @param progress receives the call's progress in order, on the caller's context, until the call
 *     ends
 * @param cache how the connection uses its cached lists
 * @param validate whether the connection checks tool arguments against the input schema before it
 *     sends them; null: as configured, by default not for the typed methods
 * @param cancel cancels the call
 * @param traceparent W3C trace context, passed to the server
 */
@PublicApi
public record CallOptions(
    @Nullable Duration timeout,
    @Nullable Handler<McpSchema.ProgressNotification> progress,
    @Nullable CacheMode cache,
    @Nullable Boolean validate,
    @Nullable CancellationToken cancel,
    @Nullable String traceparent) {

  /** Sets no option. */
  public static final CallOptions DEFAULT = new CallOptions(null, null, null, null, null, null);

  public CallOptions {
    if (timeout != null && timeout.toMillis() < 1) {
      throw new IllegalArgumentException("a time-out must be at least 1 ms, not " + timeout);
    }
  }

  public static CallOptions timeout(Duration timeout) {
    return DEFAULT.withTimeout(timeout);
  }

  public CallOptions withTimeout(Duration value) {
    return new CallOptions(value, progress, cache, validate, cancel, traceparent);
  }

  public CallOptions withProgress(Handler<McpSchema.ProgressNotification> value) {
    return new CallOptions(timeout, value, cache, validate, cancel, traceparent);
  }

  public CallOptions withCache(CacheMode value) {
    return new CallOptions(timeout, progress, value, validate, cancel, traceparent);
  }

  public CallOptions withValidate(boolean value) {
    return new CallOptions(timeout, progress, cache, value, cancel, traceparent);
  }

  public CallOptions withCancel(CancellationToken value) {
    return new CallOptions(timeout, progress, cache, validate, value, traceparent);
  }

  public CallOptions withTraceparent(String value) {
    return new CallOptions(timeout, progress, cache, validate, cancel, value);
  }

  CallOptions or(CallOptions other) {
    if (other.equals(DEFAULT)) {
      return this;
    }
    return new CallOptions(
        timeout == null ? other.timeout : timeout,
        progress == null ? other.progress : progress,
        cache == null ? other.cache : cache,
        validate == null ? other.validate : validate,
        cancel == null ? other.cancel : cancel,
        traceparent == null ? other.traceparent : traceparent);
  }
}
