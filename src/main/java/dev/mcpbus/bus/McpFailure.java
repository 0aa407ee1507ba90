package dev.mcpbus.bus;

import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.internals.WireMessages;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.PublicApi;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.Redactor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.json.JsonObject;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The failure of a call: a code, whether the request can have reached the server, when to try
 * again, and a message that names the place and the remedy. Immutable; {@link McpFailureCodec}
 * carries it between nodes.
 */
@PublicApi
public final class McpFailure extends ReplyException {

  private static final long serialVersionUID = 1;

  private static final String OWNER_LEFT = "ownerLeft";

  /** About as long as it takes to hand a connection over. */
  private static final long OWNER_LEFT_MILLIS = 250;

  private static final Pattern BUS_TIMEOUT =
      Pattern.compile(
          "waiting (\\d+)\\(ms\\) for a reply\\. address: \\S+, repliedAddress: (\\S+)");

  /** Whether the request can have reached the server, and so can have had an effect. */
  public enum Sent {
    NO,
    MAYBE
  }

  private final FailureCode code;
  private final Sent sent;
  private final long retryAfterMillis;
  private final transient @Nullable JsonObject data;
  private final transient @Nullable RawJson upstream;

  public McpFailure(FailureCode code, Sent sent, String message) {
    this(code, sent, message, -1, null);
  }

  /**
   * @param retryAfterMillis how long to wait before the next try, milliseconds; -1 if not known
   * @param data details for programs, such as {@code path} of an invalid argument; null for none
   */
  public McpFailure(
      FailureCode code,
      Sent sent,
      String message,
      long retryAfterMillis,
      @Nullable JsonObject data) {
    this(code, sent, message, retryAfterMillis, data, null);
  }

  private McpFailure(
      FailureCode code,
      Sent sent,
      String message,
      long retryAfterMillis,
      @Nullable JsonObject data,
      @Nullable RawJson upstream) {
    super(ReplyFailure.RECIPIENT_FAILURE, code.busCode(), message);
    this.code = code;
    this.sent = sent;
    this.retryAfterMillis = retryAfterMillis;
    this.data = data;
    this.upstream = upstream;
  }

  /** The server has not received the request: a second try cannot have a second effect. */
  public static McpFailure notSent(FailureCode code, String message) {
    return new McpFailure(code, Sent.NO, message);
  }

  /** The call itself is malformed, so that it was not sent. */
  public static McpFailure badRequest(String message) {
    return notSent(FailureCode.BAD_REQUEST, message);
  }

  /** The server can have received the request: a second try can have a second effect. */
  public static McpFailure maybeSent(FailureCode code, String message) {
    return new McpFailure(code, Sent.MAYBE, message);
  }

  /**
   * Bytes are not held, because their owner cannot pay for them.
   *
   * @param why of {@link ByteBudget.ByteAccount#refusal}
   */
  public static McpFailure unpaid(Sent sent, String why) {
    return new McpFailure(FailureCode.OVERLOADED, sent, why, ByteBudget.RETRY_AFTER_MILLIS, null);
  }

  /**
   * The connection has ended on this node, which hands it over, and did not send the request: the
   * next owner may. {@code cluster.routing} waits for that one.
   */
  public static McpFailure ownerLeft(String message) {
    return new McpFailure(
        FailureCode.UNAVAILABLE,
        Sent.NO,
        message,
        OWNER_LEFT_MILLIS,
        new JsonObject().put(OWNER_LEFT, true));
  }

  /** Whether it is the failure of {@link #ownerLeft}. */
  public boolean isOwnerLeft() {
    return sent == Sent.NO && Boolean.TRUE.equals(data().getValue(OWNER_LEFT));
  }

  /**
   * The same failure with another name of a connection in its message, unless the server wrote it.
   */
  public McpFailure renamed(String from, String to) {
    String message = String.valueOf(getMessage());
    return code == FailureCode.UPSTREAM_ERROR || !message.contains(from)
        ? this
        : new McpFailure(code, sent, message.replace(from, to), retryAfterMillis, data);
  }

  /** The failure after an exception that no code expects; names nothing of the program. */
  public static McpFailure defect() {
    return maybeSent(FailureCode.INTERNAL, "a defect of mcpbus; see its log");
  }

  /** The failure for an error object of the server; keeps its code and its data. */
  public static McpFailure upstream(JsonRpcError error) {
    return upstream(error, null);
  }

  /**
   * The failure for an error object of the server; keeps its bytes, too, unless they quote a secret
   * of the server's own.
   */
  public static McpFailure upstream(RawJson error, Redactor redactor) {
    JsonObject members = error.toJsonObject();
    boolean clean = redactor.redact(members).equals(members);
    return upstream(JsonRpcError.of(error).redacted(redactor), clean ? error : null);
  }

  /** The failure for an error object that has no secret of ours; keeps its bytes, too. */
  static McpFailure upstream(RawJson error) {
    return upstream(JsonRpcError.of(error), error);
  }

  private static McpFailure upstream(JsonRpcError error, @Nullable RawJson bytes) {
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
                    .put("data", error.data())),
        bytes);
  }

  /** This failure with the bytes of the error object of the server. */
  McpFailure withUpstream(RawJson bytes) {
    return new McpFailure(code, sent, String.valueOf(getMessage()), retryAfterMillis, data, bytes);
  }

  /** The error object as the server sent it; null where there is none, or mcpbus changed it. */
  public @Nullable RawJson upstream() {
    return upstream;
  }

  /** This failure of a call that mcpbus has repeated so many times. */
  McpFailure repeated(int times) {
    return times == 0
        ? this
        : new McpFailure(
            code,
            sent,
            String.valueOf(getMessage()),
            retryAfterMillis,
            data().copy().put(Headers.REPEATED, times),
            upstream);
  }

  /** How many times mcpbus has repeated the call before it failed in this way. */
  public int repeats() {
    return data().getValue(Headers.REPEATED) instanceof Integer times ? times : 0;
  }

  public FailureCode code() {
    return code;
  }

  /** Whether the server itself answered, with this code of JSON-RPC. */
  public boolean isUpstream(int jsonRpcCode) {
    return code == FailureCode.UPSTREAM_ERROR
        && data().getValue("error") instanceof JsonObject error
        && Integer.valueOf(jsonRpcCode).equals(error.getValue("code"));
  }

  public Sent sent() {
    return sent;
  }

  public long retryAfterMillis() {
    return retryAfterMillis;
  }

  /** Details for programs, or an empty object. For an error of the server: {@code error}. */
  public JsonObject data() {
    return data == null ? new JsonObject() : data;
  }

  /** {@code McpFailure CODE (not sent, retry in 500 ms): message}, for logs and debuggers. */
  @SuppressWarnings("OverrideThrowableToString") // the message alone is the text for callers
  @Override
  public String toString() {
    return "McpFailure "
        + code
        + (sent == Sent.NO ? " (not sent" : " (maybe sent")
        + (retryAfterMillis >= 0 ? ", retry in " + retryAfterMillis + " ms): " : "): ")
        + getMessage();
  }

  /** {@code {code, message, sent, retryAfter?, data?}}: the form on the wire and over HTTP. */
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

  /** The JSON-RPC {@code error} object; the server's own if the server sent one. */
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
   * Replies to a call with this failure. A caller in a process without the codecs of mcpbus
   * receives Vert.x's own exception with the same number and message: it could not decode an {@code
   * McpFailure}, and its call would never complete.
   */
  public void replyTo(Message<?> call) {
    if (WireMessages.isFromWire(call) && !WireForm.isSpoken(call.headers().get(Headers.SPEAKS))) {
      call.fail(code.busCode(), getMessage());
    } else {
      call.reply(this);
    }
  }

  /** All of it, also the bytes of the server's error object; {@link #read} reads them. */
  public Buffer toBuffer() {
    Buffer bytes = Buffer.buffer();
    new McpFailureCodec().encodeToWire(bytes, this);
    return bytes;
  }

  /** Reads {@link #toBuffer}. */
  public static McpFailure read(Buffer bytes) {
    return new McpFailureCodec().decodeFromWire(0, bytes);
  }

  /**
   * Reads {@link #toJson}. A code that only a newer mcpbus knows becomes {@code UNAVAILABLE} if the
   * request was not sent, {@code INTERNAL} otherwise, so that a caller can decide on a retry.
   */
  public static McpFailure fromJson(JsonObject json) {
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
   * Vert.x names a reply address of its own, which says nothing to a reader: {@code Timed out after
   * waiting 30000(ms) for a reply. address: __vertx.reply.7, repliedAddress: mcp.git.ping}.
   */
  private static String timeout(String message) {
    Matcher vertx = BUS_TIMEOUT.matcher(message);
    return vertx.find()
        ? ReceiverWords.silent(vertx.group(2), vertx.group(1))
        : "no answer on the bus in time";
  }

  /**
   * Converts any failure of a bus call. No consumer at the address: {@code UNKNOWN_CONNECTION}. A
   * consumer that was removed before it received the call: that of {@link #ownerLeft}. The bus's
   * own time-out: {@code CALL_TIMEOUT}. A number of {@link FailureCode}: that code. All others:
   * {@code INTERNAL}.
   */
  public static McpFailure of(Throwable failure) {
    if (failure instanceof McpFailure known) {
      return known;
    }
    if (failure instanceof ReplyException reply) {
      if (reply.failureType() == ReplyFailure.NO_HANDLERS) {
        return notSent(FailureCode.UNKNOWN_CONNECTION, ReceiverWords.absent(reply.getMessage()));
      }
      if (WireMessages.wasDiscarded(reply)) {
        return ownerLeft("what was called has ended before it received the call");
      }
      if (reply.failureType() == ReplyFailure.TIMEOUT) {
        return maybeSent(FailureCode.CALL_TIMEOUT, timeout(String.valueOf(reply.getMessage())));
      }
      FailureCode plain = FailureCode.ofBusCode(reply.failureCode());
      if (reply.failureType() == ReplyFailure.RECIPIENT_FAILURE && plain != null) {
        return maybeSent(plain, String.valueOf(reply.getMessage()));
      }
    }
    return maybeSent(FailureCode.INTERNAL, "unexpected " + failure.getClass().getSimpleName());
  }
}
