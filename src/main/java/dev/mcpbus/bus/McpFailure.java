package dev.mcpbus.bus;

import dev.mcpbus.internals.WireMessages;
import dev.mcpbus.protocol.JsonRpcError;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * The one failure of every call: a code, whether the request can have reached the server, when to
 * try again, and a message that names the place and the remedy.
 */
public final class McpFailure extends ReplyException {

  private static final long serialVersionUID = 1;

  /** Whether the request can have reached the server, and so can have had an effect. */
  public enum Sent {
    NO,
    MAYBE
  }

  private final FailureCode code;
  private final Sent sent;
  private final long retryAfterMillis;
  private final transient @Nullable JsonObject data;

  public McpFailure(FailureCode code, Sent sent, String message) {
    this(code, sent, message, -1, null);
  }

  /**
   * @param retryAfterMillis when trying again makes sense, -1 where nothing is known
   * @param data more for programs, such as {@code path} of an invalid argument; null where nothing
   */
  public McpFailure(
      FailureCode code,
      Sent sent,
      String message,
      long retryAfterMillis,
      @Nullable JsonObject data) {
    super(ReplyFailure.RECIPIENT_FAILURE, code.busCode(), message);
    this.code = code;
    this.sent = sent;
    this.retryAfterMillis = retryAfterMillis;
    this.data = data;
  }

  /** Never sent: the caller may try again without a second effect. */
  public static McpFailure notSent(FailureCode code, String message) {
    return new McpFailure(code, Sent.NO, message);
  }

  public static McpFailure maybeSent(FailureCode code, String message) {
    return new McpFailure(code, Sent.MAYBE, message);
  }

  /** An error object of the server: its code and data pass through. */
  public static McpFailure upstream(JsonRpcError error) {
    return new McpFailure(
        FailureCode.UPSTREAM_ERROR,
        Sent.MAYBE,
        error.message(),
        -1,
        new JsonObject()
            .put(
                "error",
                new JsonObject()
                    .put("code", error.code())
                    .put("message", error.message())
                    .put("data", error.data())));
  }

  public FailureCode code() {
    return code;
  }

  public Sent sent() {
    return sent;
  }

  public long retryAfterMillis() {
    return retryAfterMillis;
  }

  /** More for programs; empty where there is nothing. For an upstream error: {@code error}. */
  public JsonObject data() {
    return data == null ? new JsonObject() : data;
  }

  /** {@code {code, message, sent, retryAfter?, data?}}, the form of every non-bus caller. */
  public JsonObject toJson() {
    JsonObject json =
        new JsonObject()
            .put("code", code.name())
            .put("message", getMessage())
            .put("sent", sent == Sent.NO ? "no" : "maybe");
    if (retryAfterMillis >= 0) {
      json.put("retryAfter", retryAfterMillis);
    }
    if (data != null) {
      json.put("data", data);
    }
    return json;
  }

  /** The JSON-RPC {@code error} object: the server's own where there is one. */
  public JsonObject toJsonRpcError() {
    if (code == FailureCode.UPSTREAM_ERROR && data().getJsonObject("error") != null) {
      JsonObject error = data().getJsonObject("error").copy();
      if (error.getValue("data") == null) {
        error.remove("data");
      }
      return error;
    }
    JsonObject detail = toJson();
    detail.remove("message");
    return new JsonObject()
        .put("code", code.jsonRpcCode())
        .put("message", getMessage())
        .put("data", detail);
  }

  /**
   * Answers a call with this. A process of the cluster that does not know mcpbus gets Vert.x's own
   * exception with the same number and message: it could not read ours, and would wait for ever.
   */
  public void replyTo(Message<?> call) {
    if (WireMessages.isFromWire(call) && !WireForm.isSpoken(call.headers().get(Headers.SPEAKS))) {
      call.fail(code.busCode(), getMessage());
    } else {
      call.reply(this);
    }
  }

  /**
   * Reads {@link #toJson}. A code of a newer mcpbus becomes what says the same to a caller who asks
   * whether he may try again.
   */
  static McpFailure fromJson(JsonObject json) {
    Sent sent = "no".equals(json.getString("sent")) ? Sent.NO : Sent.MAYBE;
    String name = json.getString("code", "");
    String message = json.getString("message", "");
    FailureCode known = FailureCode.named(name);
    return new McpFailure(
        known != null ? known : sent == Sent.NO ? FailureCode.UNAVAILABLE : FailureCode.INTERNAL,
        sent,
        known != null ? message : name + ", as a newer mcpbus says: " + message,
        json.getLong("retryAfter", -1L),
        json.getJsonObject("data"));
  }

  /**
   * Any failure of a bus call as one of ours: no handler becomes {@code UNKNOWN_CONNECTION}, a
   * handler that ended before it saw the call {@code UNAVAILABLE}, the bus's own time-out {@code
   * CALL_TIMEOUT}, anything unexpected {@code INTERNAL}.
   */
  public static McpFailure of(Throwable failure) {
    if (failure instanceof McpFailure mine) {
      return mine;
    }
    if (failure instanceof ReplyException reply) {
      if (reply.failureType() == ReplyFailure.NO_HANDLERS) {
        return notSent(FailureCode.UNKNOWN_CONNECTION, "nobody answers: " + reply.getMessage());
      }
      if (WireMessages.wasDiscarded(reply)) {
        return notSent(FailureCode.UNAVAILABLE, "closed before it could take the call");
      }
      if (reply.failureType() == ReplyFailure.TIMEOUT) {
        return maybeSent(FailureCode.CALL_TIMEOUT, "no answer on the bus: " + reply.getMessage());
      }
      FailureCode plain = FailureCode.ofBusCode(reply.failureCode());
      if (reply.failureType() == ReplyFailure.RECIPIENT_FAILURE && plain != null) {
        return maybeSent(plain, String.valueOf(reply.getMessage()));
      }
    }
    return maybeSent(FailureCode.INTERNAL, "unexpected " + failure.getClass().getSimpleName());
  }
}
