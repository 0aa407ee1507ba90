package dev.mcpbus.connection.session;

import dev.mcpbus.bus.CacheMode;
import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.CallHeaders;
import dev.mcpbus.bus.CallOrigin;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.TraceContext;
import dev.mcpbus.protocol.schema.ArgumentValidator.Violation;
import dev.mcpbus.transport.OutboundMessage;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A call that came over the bus, with the headers that its caller gave. The reply is of the kind of
 * the request: a {@code JsonObject} for a {@code JsonObject}, the server's own bytes for a {@code
 * Buffer}. {@code Mailbox} makes it; it ends with one reply. Owner: the connection's context.
 */
public final class BusCall extends PendingRequest {

  private final Message<?> message;
  private final @Nullable String jsonCodec;
  private final RawJson params;
  private final @Nullable CacheMode cache;
  private final @Nullable RawJson task;
  private final boolean raw;
  private List<OutboundMessage.MessageHeader> headers = List.of();
  private @Nullable Consumer<RawJson> resultListener;
  private @Nullable OutputCheck output;
  private @Nullable String epoch;
  private boolean relisted;
  private volatile boolean over;
  private boolean repeated;
  private @Nullable String item;
  private @Nullable String owner;
  private boolean ownerRead;
  private @Nullable CallLog log;
  private long number;
  private final long began;
  private long confirmed = Long.MIN_VALUE;
  private boolean left;
  private @Nullable String name;

  private BusCall(
      Message<?> message,
      @Nullable String jsonCodec,
      String method,
      RawJson params,
      long now,
      long deadline,
      long idle,
      long hard) {
    super(method, deadline, idle, hard);
    this.began = now;
    this.message = message;
    this.jsonCodec = jsonCodec;
    this.params = params;
    this.cache = CacheMode.of(header(Headers.CACHE));
    boolean without = message.body() instanceof JsonObject json && !json.containsKey("task");
    this.task = without ? null : taskOf(method, params);
    this.raw = false;
  }

  private BusCall(BusCall outer, String method, RawJson inner, long deadline, long hard) {
    super(method, deadline, outer.idleMillis(), hard);
    this.message = outer.message;
    this.jsonCodec = outer.jsonCodec;
    this.params = inner;
    this.cache = outer.cache;
    this.task = taskOf(method, inner);
    this.raw = true;
    this.epoch = outer.epoch;
    this.log = outer.log;
    this.number = outer.number;
    this.began = outer.began;
    if (log != null) {
      log.replaced(this);
    }
  }

  private static @Nullable RawJson taskOf(String method, RawJson params) {
    return method.equals(Methods.TOOLS_CALL) ? params.member("task") : null;
  }

  /**
   * Reads body and headers. Without a header {@code deadline} the call has the request time-out,
   * which progress extends up to the longest duration of a call. Both count from the arrival of the
   * call, wherever that was.
   *
   * @param jsonCodec the codec for a {@code JsonObject} reply, null for that of Vert.x
   * @throws McpFailure {@code BAD_REQUEST}, {@code LIMIT_EXCEEDED}, or {@code CALL_TIMEOUT} where
   *     its time is over; not sent
   */
  public static BusCall of(
      Message<?> message,
      String method,
      ConnectionOptions options,
      Clock clock,
      @Nullable String jsonCodec) {
    RawJson params = readParams(message.body(), options.limits());
    MultiMap headers = message.headers();
    String since = headers.isEmpty() ? null : headers.get(Headers.SINCE);
    long age = since == null ? clock.waited() : CallOrigin.age(since);
    long began = clock.millis() - age;
    String given = headers.isEmpty() ? null : headers.get(Headers.DEADLINE);
    long max = options.maxCallDuration().toMillis();
    long idle = given == null ? options.requestTimeout().toMillis() : 0;
    long whole = Math.min(given == null ? idle : readTime(given), max);
    if (age > 0 && age >= whole) {
      throw tooLate(age, whole);
    }
    long deadline = began + whole;
    long hard = given == null ? began + max : deadline;
    return new BusCall(message, jsonCodec, method, params, began, deadline, idle, hard);
  }

  private static McpFailure tooLate(long age, long whole) {
    return McpFailure.notSent(
        FailureCode.CALL_TIMEOUT,
        "the time of the call was over before it was sent: it had "
            + whole
            + " ms, and arrived "
            + age
            + " ms ago; try it again, or give it more time");
  }

  private static RawJson readParams(@Nullable Object body, ParseLimits limits) {
    if (body == null) {
      return RawJson.EMPTY_OBJECT;
    }
    if (body instanceof JsonObject json) {
      RawJson raw = RawJson.of(json);
      if (raw.length() > limits.maxBytes()) {
        throw McpFailure.notSent(
            FailureCode.LIMIT_EXCEEDED,
            "the call has " + raw.length() + " bytes, the limit is " + limits.maxBytes());
      }
      return raw;
    }
    if (body instanceof Buffer buffer) {
      try {
        return RawJson.checkedObject(buffer, limits);
      } catch (ProtocolException e) {
        throw McpFailure.notSent(
            e.isLimit() ? FailureCode.LIMIT_EXCEEDED : FailureCode.BAD_REQUEST,
            "the body is not one JSON object: " + e.getMessage());
      }
    }
    throw McpFailure.badRequest(
        "the body must be a JsonObject or a Buffer with a JSON object, not "
            + body.getClass().getSimpleName());
  }

  private static long readTime(String text) {
    long time = CallDeadline.read(text);
    if (time == CallDeadline.NONE) {
      throw McpFailure.badRequest(
          "header '" + Headers.DEADLINE + "' must be milliseconds left, such as 5000");
    }
    return time;
  }

  /**
   * Ends the call where it must not be sent any more, because its time is over.
   *
   * @return whether it has ended
   */
  boolean expire(long now) {
    boolean over = now >= deadline();
    if (over && !isOver()) {
      McpFailure late = tooLate(now - began, deadline() - began);
      fail(
          left
              ? McpFailure.maybeSent(
                  late.code(), "the time of the call was over between its requests to its server")
              : late);
    }
    return over || isOver();
  }

  /**
   * The door that knows whether the client of the call still waits, where that has to be asked: for
   * a call that arrived long ago, that its server has not got yet, and whose door has not said so
   * since. Null where the call may be sent at once, which is nearly always.
   */
  @Nullable String doorToAsk(long now) {
    return left || now - Math.max(began, confirmed) <= CallOrigin.STALE_MILLIS
        ? null
        : header(Headers.DOOR);
  }

  /**
   * The door says that the client waits. An answer that took long may be old itself, and counts
   * from its question; the second one counts as it is.
   */
  void confirm(long asked, long now) {
    confirmed = confirmed == Long.MIN_VALUE ? asked : now;
  }

  /** The call leaves for its server: from now on the server may work on it. */
  void leaves() {
    left = true;
  }

  /** The log has given the call a number. */
  void logged(CallLog in, long as) {
    log = in;
    number = as;
  }

  @Override
  public long number() {
    return number;
  }

  /** When the call arrived at its door, on the connection's clock. */
  long began() {
    return began;
  }

  /** The call is for the tool of this name. */
  public void named(String tool) {
    name = tool;
  }

  /** The name that {@link #named} gave; null if there was none. */
  @Nullable String name() {
    return name;
  }

  /** Whether its caller has an answer, or is gone; any thread. */
  public boolean isOver() {
    return over;
  }

  private void ended(String outcome) {
    over = true;
    CallLog ends = log;
    if (ends != null) {
      ends.ended(this, outcome);
    }
  }

  /** How to use a kept result; null where the caller does not say. */
  public @Nullable CacheMode cache() {
    return cache;
  }

  /** Adds the epoch of the owner to the reply. */
  public void epoch(String ofOwner) {
    epoch = ofOwner;
  }

  private DeliveryOptions delivery() {
    DeliveryOptions options = new DeliveryOptions();
    CallHeaders.add(options, Headers.EPOCH, epoch);
    CallHeaders.add(options, Headers.TOOL_ERROR, isToolError() ? "true" : null);
    return options;
  }

  /**
   * The same call with the method and params of a raw request ({@code mcp.<id>.request}); its
   * caller gets the answer as it comes. One that may be a stream lasts as long as its server
   * speaks, up to {@code maxStreamDuration}.
   */
  public BusCall as(String method, RawJson inner, ConnectionOptions options) {
    if (idleMillis() == 0 || !Methods.mayStream(method)) {
      return new BusCall(this, method, inner, deadline(), hardDeadline());
    }
    long most = options.maxStreamDuration().toMillis();
    long hard = most == 0 ? DeadlineTimer.NONE : began + most;
    return new BusCall(this, method, inner, Math.min(began + idleMillis(), hard), hard);
  }

  /** True for a raw request: a task that the server makes of it goes to the caller as it is. */
  public boolean isRequest() {
    return raw;
  }

  /**
   * True where the caller wants to see the task that the server makes of the call.
   *
   * @throws McpFailure {@code BAD_REQUEST}, not sent
   */
  public boolean wantsTask() {
    String word = header(Headers.TASK);
    if (task != null && !task.isObject()) {
      throw McpFailure.badRequest("\"task\" must be an object, such as {\"ttl\": 60000}");
    }
    if (word != null && !word.equals("true") && !word.equals("false")) {
      throw McpFailure.badRequest("header '" + Headers.TASK + "' must be true or false");
    }
    return word == null ? task != null : word.equals("true");
  }

  /** The member {@code task} of a tool call's params. */
  public @Nullable RawJson task() {
    return task;
  }

  public RawJson params() {
    return params;
  }

  public boolean isRaw() {
    return message.body() instanceof Buffer;
  }

  /** The body of a {@code JsonObject} call. */
  public JsonObject json() {
    return message.body() instanceof JsonObject json ? json : params.toJsonObject();
  }

  /** Whether the caller wants the server's own refusal: {@link Headers#AS_IS}. */
  @Override
  public boolean isAsIs() {
    String word = header(Headers.AS_IS);
    return "true".equals(word) || Headers.AS_IS_TASKS.equals(word);
  }

  /** Whether the caller alone decides that the call is a task: {@link Headers#AS_IS_TASKS}. */
  public boolean asksForTasks() {
    return Headers.AS_IS_TASKS.equals(header(Headers.AS_IS));
  }

  public @Nullable String header(String name) {
    return message.headers().isEmpty() ? null : message.headers().get(name);
  }

  @Override
  public @Nullable String callId() {
    return header(Headers.CALL_ID);
  }

  /** The name of the principal; kept after the first use because bounds compare it often. */
  @Override
  public @Nullable String owner() {
    if (!ownerRead) {
      ownerRead = true;
      Requester requester = requester();
      owner = requester == null ? null : requester.name();
    }
    return owner;
  }

  @Override
  public @Nullable String progressAddress() {
    return header(Headers.PROGRESS);
  }

  @Override
  @Nullable String reachedAddress() {
    return header(Headers.REACHED);
  }

  @Override
  @Nullable String logAddress() {
    return header(Headers.LOG);
  }

  @Override
  @Nullable String noticeAddress() {
    return header(Headers.NOTICES);
  }

  @Override
  public @Nullable String input() {
    return header(Headers.INPUT);
  }

  @Override
  public boolean isCallers() {
    return true;
  }

  /** The principal who called, null for a program on the bus. */
  public @Nullable Requester requester() {
    return Requester.of(message.headers());
  }

  /** Sets the arguments that the tool's schema wants in headers as well. */
  public void headers(List<OutboundMessage.MessageHeader> mirrored) {
    headers = mirrored;
  }

  @Override
  public List<OutboundMessage.MessageHeader> headers() {
    return headers;
  }

  @Override
  public @Nullable TraceContext trace() {
    return CallHeaders.trace(message.headers());
  }

  /** Notes the tool that is called, by the name in the server's list. */
  public void listed(String name) {
    item = name;
  }

  @Override
  public @Nullable String item() {
    return item;
  }

  /**
   * Sets what takes the result before the caller does; not called if the result depends on answers
   * to questions, which the params do not show.
   */
  public void onResult(Consumer<RawJson> listener) {
    resultListener = listener;
  }

  /** Sets the check of the result against the tool's output schema. */
  public void inspect(OutputCheck check) {
    output = check;
  }

  /** True at the first use only: a call that its server has not run is sent again once. */
  public boolean repeat() {
    boolean first = !repeated;
    repeated = true;
    left = false;
    return first;
  }

  /** True at the first use only: the tools are listed again once for a call. */
  public boolean relist() {
    boolean first = !relisted;
    relisted = true;
    return first;
  }

  @Override
  public void complete(RawJson answer) {
    RawJson result = raw && !Methods.isKnown(method()) ? toCaller(answer) : answer;
    if (resultListener != null && rounds() == 0) {
      resultListener.accept(result);
    }
    OutputCheck check = output;
    if (check == null) {
      reply(result, delivery());
    } else {
      check
          .check(result)
          .onComplete(
              found -> {
                Violation wrong = found.succeeded() ? found.result().orElse(null) : null;
                DeliveryOptions options = delivery();
                if (wrong != null) {
                  options.addHeader(Headers.OUTPUT_MISMATCH, wrong.path() + ": " + wrong.message());
                }
                reply(result, options);
              });
    }
  }

  private void reply(RawJson result, DeliveryOptions options) {
    String outcome = isToolError() ? "TOOL_ERROR" : "OK";
    if (isRaw()) {
      message.reply(result.toBuffer(), options);
      ended(outcome);
      return;
    }
    try {
      message.reply(result.toJsonObject(), options.setCodecName(jsonCodec));
      ended(outcome);
    } catch (DecodeException e) {
      fail(
          McpFailure.maybeSent(
              FailureCode.PROTOCOL_ERROR,
              "the result of " + method() + " cannot be read as JSON: " + e.getMessage()));
    }
  }

  @Override
  protected void failed(McpFailure failure) {
    failure.replyTo(message);
    ended(failure.code().name());
  }
}
