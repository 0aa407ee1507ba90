package dev.mcpbus.bus;

import dev.mcpbus.bus.CallRepeats.RepeatRules;
import dev.mcpbus.bus.McpFailure.Sent;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One call that the {@link RequestSender} may make again, at most twice. It repeats a call
 *
 * <ul>
 *   <li>that failed with {@code OWNER_LOST} or {@code UPSTREAM_RESET}, and may have been sent. Not
 *       after {@code UPSTREAM_EXITED}: a call at which a server crashes would crash it three times;
 *   <li>that the {@link RepeatRules} permit, and that asks for no task;
 *   <li>of which nothing has reached its client: no question, and no progress, which would begin
 *       anew and must not fall (MCP, Progress). A log message does not count: it was true, and the
 *       tool does run twice;
 *   <li>that answers no question of an earlier round (MCP 2026-07-28): the server that asked it is
 *       gone;
 *   <li>that the caller has not cancelled, within its deadline.
 * </ul>
 *
 * <p>A repeat is a new request with the same call id: the owner makes all its checks again. Where
 * it was not sent, the caller gets the first failure, because the first attempt may have been.
 * Confined to the caller's context.
 */
final class RepeatedRequest<T> {

  private static final Set<FailureCode> LOST =
      Set.of(FailureCode.OWNER_LOST, FailureCode.UPSTREAM_RESET);

  /** Their time is over, whether or not the repeat was sent. */
  private static final Set<FailureCode> FINAL =
      Set.of(FailureCode.CANCELLED, FailureCode.CALL_TIMEOUT);

  /**
   * Before each repeat, milliseconds: time for the note that the call has reached its client, and
   * for the connection to learn that it is lost. The sender then waits for the owner, the
   * connection for its session.
   */
  static final List<Long> PAUSES = List.of(50L, 250L);

  /** The longest pause that the refusal of a repeat can lead to, milliseconds. */
  private static final long MAX_PAUSE_MILLIS = 1_000;

  private final CallRepeats repeats;
  private final RepeatRules rules;
  private final RequestSender sender;
  private final ConnectionId server;
  private final String suffix;
  private final String callId;
  private final String address;
  private final Object body;
  private final DeliveryOptions options;
  private final long began;
  private final long timeLeft;
  private final long timeout;
  private @Nullable McpFailure first;
  private int made;

  RepeatedRequest(
      CallRepeats repeats,
      RepeatRules rules,
      RequestSender sender,
      ConnectionId server,
      String suffix,
      String callId,
      String address,
      Object body,
      DeliveryOptions options) {
    this.repeats = repeats;
    this.rules = rules;
    this.sender = sender;
    this.server = server;
    this.suffix = suffix;
    this.callId = callId;
    this.address = address;
    this.body = body;
    this.options = options;
    this.began = repeats.now();
    this.timeLeft = CallDeadline.left(options.getHeaders());
    this.timeout = options.getSendTimeout();
  }

  /**
   * The first attempt has failed: makes the call again if that is safe, else fails in the same way.
   */
  Future<Message<T>> lost(Throwable failure) {
    McpFailure known = McpFailure.of(failure);
    if (!isLost(known) || !isSafe() || !repeats.enter(callId)) {
      return Future.failedFuture(failure);
    }
    first = known;
    return next(known)
        .map(
            reply -> {
              if (made > 0) {
                reply.headers().set(Headers.REPEATED, Integer.toString(made));
              }
              return reply;
            })
        .onComplete(ended -> repeats.leave(callId));
  }

  private static boolean isLost(McpFailure failure) {
    return LOST.contains(failure.code()) && failure.sent() == Sent.MAYBE;
  }

  private boolean isSafe() {
    if ("true".equals(options.getHeaders().get(Headers.TASK))) {
      return false;
    }
    try {
      RawJson params =
          body instanceof Buffer bytes
              ? RawJson.checkedObject(bytes, ParseLimits.DEFAULT.withMaxBytes(Integer.MAX_VALUE))
              : RawJson.of((JsonObject) body);
      ServerOperation row = ServerOperation.of(suffix);
      boolean byRules = row != null && row.again == ServerOperation.Again.BY_RULES;
      String tool = byRules ? CallRepeats.tool(params) : null;
      return params.member("task") == null
          && params.member("inputResponses") == null
          && params.member("requestState") == null
          && (tool != null || !byRules)
          && rules.mayRepeat(server, suffix, tool);
    } catch (ProtocolException | ClassCastException noParams) {
      return false;
    }
  }

  /**
   * @param last why the attempt before failed
   */
  private Future<Message<T>> next(McpFailure last) {
    if (made == PAUSES.size()
        || FINAL.contains(last.code())
        || !(isLost(last) || RequestSender.isRefused(last))) {
      return ended(last);
    }
    long pause = Math.max(PAUSES.get(made), Math.min(last.retryAfterMillis(), MAX_PAUSE_MILLIS));
    if (left() <= pause) {
      return ended(last);
    }
    return repeats
        .hasReached(callId, began, pause)
        .compose(reached -> reached ? ended(last) : repeat(last));
  }

  private Future<Message<T>> repeat(McpFailure last) {
    if (repeats.isCancelled(callId)) {
      return Future.failedFuture(
          McpFailure.maybeSent(FailureCode.CANCELLED, "the caller cancelled the call")
              .repeated(made));
    }
    if (left() <= 0) {
      return ended(last);
    }
    made++;
    repeats.repeats(server, first == null ? last.code() : first.code());
    return sender
        .<T>requestOnce(server, address, body, again())
        .recover(failure -> next(McpFailure.of(failure)));
  }

  /** Time left, milliseconds: to the deadline, or until the bus gives up. */
  private long left() {
    long spent = TimeUnit.NANOSECONDS.toMillis(repeats.now() - began);
    return (timeLeft >= 0 ? timeLeft : timeout) - spent;
  }

  private DeliveryOptions again() {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap().addAll(options.getHeaders());
    headers.remove(Headers.SPEAKS).remove(Headers.TO);
    long spent = TimeUnit.NANOSECONDS.toMillis(repeats.now() - began);
    if (!headers.contains(Headers.SINCE)) {
      headers.set(
          Headers.SINCE, CallOrigin.since(sender.membership().self(), CallOrigin.now() - spent));
    }
    return new DeliveryOptions(options)
        .setHeaders(headers)
        .setSendTimeout(Math.max(1, timeout - spent));
  }

  /** The failure that the caller gets: what is certain of all attempts together. */
  private Future<Message<T>> ended(McpFailure last) {
    McpFailure before = first;
    if (made == 0 || before == null) {
      return Future.failedFuture(last);
    }
    McpFailure told =
        last.sent() == Sent.MAYBE
            ? last
            : FINAL.contains(last.code())
                ? McpFailure.maybeSent(last.code(), String.valueOf(last.getMessage()))
                : new McpFailure(
                    before.code(),
                    before.sent(),
                    before.getMessage()
                        + "; a repeat failed with "
                        + last.code()
                        + ": "
                        + last.getMessage(),
                    last.retryAfterMillis(),
                    before.data());
    return Future.failedFuture(told.repeated(made));
  }
}
