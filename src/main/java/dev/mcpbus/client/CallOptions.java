package dev.mcpbus.client;

import dev.mcpbus.bus.CacheMode;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Handler;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The options of one call. For an option that is not set the defaults of the {@link McpClient}
 * apply, and without one there the configuration of the connection. Immutable.
 */
@PublicApi
public final class CallOptions {

  /** Sets no option. */
  public static final CallOptions DEFAULT =
      new CallOptions(null, null, null, null, null, null, null, null, null);

  final @Nullable Duration timeout;
  final @Nullable Handler<CallProgress> progress;
  final @Nullable CacheMode cache;
  final @Nullable Boolean validate;
  final @Nullable CancellationToken cancel;
  final @Nullable String traceparent;
  final @Nullable Boolean toolFailure;
  final @Nullable String principal;
  final @Nullable Boolean loginWait;

  private CallOptions(
      @Nullable Duration timeout,
      @Nullable Handler<CallProgress> progress,
      @Nullable CacheMode cache,
      @Nullable Boolean validate,
      @Nullable CancellationToken cancel,
      @Nullable String traceparent,
      @Nullable Boolean toolFailure,
      @Nullable String principal,
      @Nullable Boolean loginWait) {
    this.timeout = timeout;
    this.progress = progress;
    this.cache = cache;
    this.validate = validate;
    this.cancel = cancel;
    this.traceparent = traceparent;
    this.toolFailure = toolFailure;
    this.principal = principal;
    this.loginWait = loginWait;
  }

  /** As {@link #withTimeout}, and no other option. */
  public static CallOptions timeout(Duration timeout) {
    return DEFAULT.withTimeout(timeout);
  }

  /**
   * @param value how long the caller waits in all, at least 1 ms; then the call fails with {@code
   *     CALL_TIMEOUT} and is cancelled at the server. Default: the request time-out of the
   *     connection
   */
  public CallOptions withTimeout(Duration value) {
    if (value.toMillis() < 1) {
      throw new IllegalArgumentException("a time-out must be at least 1 ms, not " + value);
    }
    return new CallOptions(
        value, progress, cache, validate, cancel, traceparent, toolFailure, principal, loginWait);
  }

  /**
   * @param value receives the call's progress in order, on the caller's context, until the call
   *     ends
   */
  public CallOptions withProgress(Handler<CallProgress> value) {
    return new CallOptions(
        timeout, value, cache, validate, cancel, traceparent, toolFailure, principal, loginWait);
  }

  /**
   * @param value how the connection uses its cached lists
   */
  public CallOptions withCache(CacheMode value) {
    return new CallOptions(
        timeout, progress, value, validate, cancel, traceparent, toolFailure, principal, loginWait);
  }

  /**
   * @param value whether the connection checks tool arguments against the input schema before it
   *     sends them. Default: as configured; that is for arguments as a {@code JsonObject}, not for
   *     those as a map or in bytes
   */
  public CallOptions withValidate(boolean value) {
    return new CallOptions(
        timeout, progress, cache, value, cancel, traceparent, toolFailure, principal, loginWait);
  }

  /**
   * @param value cancels the call
   */
  public CallOptions withCancel(CancellationToken value) {
    return new CallOptions(
        timeout, progress, cache, validate, value, traceparent, toolFailure, principal, loginWait);
  }

  /**
   * @param value W3C trace context, passed to the server
   */
  public CallOptions withTraceparent(String value) {
    return new CallOptions(
        timeout, progress, cache, validate, cancel, value, toolFailure, principal, loginWait);
  }

  /**
   * @param value whether a result that says {@code isError} fails the call with {@code TOOL_FAILED}
   *     and the tool's text. Default: it is a result as any other
   */
  public CallOptions withToolFailure(boolean value) {
    return new CallOptions(
        timeout, progress, cache, validate, cancel, traceparent, value, principal, loginWait);
  }

  /**
   * @param value the name of the principal for whom the program calls: a server that acts for its
   *     callers uses that principal's credential, and what is kept because of the call, such as a
   *     question, is that principal's. Default: the program itself, which such a server refuses
   *     with {@code AUTH_REQUIRED}
   */
  public CallOptions withPrincipal(String value) {
    return new CallOptions(
        timeout, progress, cache, validate, cancel, traceparent, toolFailure, value, loginWait);
  }

  /**
   * @param value whether a call that needs a login of its principal waits until that person has
   *     logged in, as long as its time-out. Default: it fails with {@code AUTH_REQUIRED} and the
   *     link at once
   */
  public CallOptions withLoginWait(boolean value) {
    return new CallOptions(
        timeout, progress, cache, validate, cancel, traceparent, toolFailure, principal, value);
  }

  /** How long the caller waits in all; null if it is not set. */
  public @Nullable Duration timeout() {
    return timeout;
  }

  /** Receives the call's progress; null if it is not set. */
  public @Nullable Handler<CallProgress> progress() {
    return progress;
  }

  /** Cancels the call; null if it is not set. */
  public @Nullable CancellationToken cancel() {
    return cancel;
  }

  /** These options, and those of {@code other} where one is not set here. */
  CallOptions or(CallOptions other) {
    return new CallOptions(
        timeout == null ? other.timeout : timeout,
        progress == null ? other.progress : progress,
        cache == null ? other.cache : cache,
        validate == null ? other.validate : validate,
        cancel == null ? other.cancel : cancel,
        traceparent == null ? other.traceparent : traceparent,
        toolFailure == null ? other.toolFailure : toolFailure,
        principal == null ? other.principal : principal,
        loginWait == null ? other.loginWait : loginWait);
  }

  /** The options that are set; of handlers, the token and the trace only that they are. */
  @Override
  public String toString() {
    Map<String, @Nullable Object> all = new LinkedHashMap<>();
    all.put("timeout", timeout);
    all.put("cache", cache);
    all.put("validate", validate);
    all.put("toolFailure", toolFailure);
    all.put("principal", principal);
    all.put("loginWait", loginWait);
    all.put("progress", progress == null ? null : "set");
    all.put("cancel", cancel == null ? null : "set");
    all.put("traceparent", traceparent == null ? null : "set");
    all.values().removeIf(Objects::isNull);
    return "call options " + all;
  }
}
