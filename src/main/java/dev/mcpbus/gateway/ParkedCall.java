package dev.mcpbus.gateway;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallCancellation;
import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.CallHeaders;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ResultType;
import dev.mcpbus.security.Principal;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One call of a modern client on a server of the older era, which may ask while it works: the
 * client gets the question as its result, and its retry with the answer goes on where the call
 * waits. Confined to the host's context.
 */
final class ParkedCall implements CallRegistry.Caller {

  /** What a server asks at once arrives one by one, and goes to the client together. */
  private static final long GATHER_MILLIS = 20;

  /**
   * @param key by which whoever asks may take it back
   */
  private record Question(
      String key, String method, JsonObject params, Promise<JsonObject> answer) {}

  private final Vertx vertx;
  private final CallRegistry calls;
  private final String principal;
  private final String target;
  private final JsonObject capabilities;
  private final Consumer<ParkedCall> handedOut;
  private final Consumer<ParkedCall> ended;
  private final String callId;
  private final Map<String, Question> questions = new LinkedHashMap<>();
  private @Nullable Message<?> waiting;
  private @Nullable String state;
  private @Nullable ConnectionId lease;
  private @Nullable Future<RawJson> outcome;
  private long timer = -1;
  private long sequence;
  private boolean over;

  /**
   * @param handedOut hears each time that the client has been given questions
   * @param ended hears once that it is over
   */
  ParkedCall(
      Vertx vertx,
      CallRegistry calls,
      Message<?> message,
      JsonObject capabilities,
      Consumer<ParkedCall> handedOut,
      Consumer<ParkedCall> ended) {
    this.vertx = vertx;
    this.calls = calls;
    this.principal = owner(message);
    this.target = target(message);
    this.capabilities = capabilities;
    this.handedOut = handedOut;
    this.ended = ended;
    this.callId = calls.add(this);
    this.waiting = message;
  }

  /** What a retry must be about, too: the same call of the same principal. */
  private static String target(Message<?> message) {
    RawJson params = SessionMessage.params(message);
    return message.headers().get(SessionMessage.SERVER)
        + " "
        + message.headers().get(SessionMessage.SUFFIX)
        + " "
        + params.without("_meta").without("inputResponses").without("requestState");
  }

  /** By name: the rights of a retry are looked at where it comes in. */
  private static String owner(Message<?> message) {
    return Principal.nameIn(SessionMessage.header(message, SessionMessage.PRINCIPAL));
  }

  boolean isOf(Message<?> message) {
    return principal.equals(owner(message)) && target.equals(target(message));
  }

  boolean isReadBy(String exchange) {
    return waiting != null && exchange.equals(waiting.headers().get(SessionMessage.EXCHANGE));
  }

  @Nullable String state() {
    return state;
  }

  @Nullable ConnectionId lease() {
    return lease;
  }

  /** Makes the call on a connection that is this exchange's alone for now. */
  void begin(ConnectionId connection, RawJson params) {
    lease = connection;
    calls.addLease(connection.value(), this);
    MultiMap headers = waiting == null ? MultiMap.caseInsensitiveMultiMap() : waiting.headers();
    String level = headers.get(SessionMessage.LEVEL);
    if (level != null) {
      Buffer wish = RawJson.EMPTY_OBJECT.with("level", RawJson.string(level)).toBuffer();
      vertx.eventBus().request(Addresses.of(connection, Addresses.LOGLEVEL), wish);
    }
    DeliveryOptions options =
        CallHeaders.of(callId, CallDeadline.NONE, CallDeadline.Layer.CALLER)
            .addHeader(Headers.INPUT, calls.inputs());
    RawJson meta = params.member("_meta");
    if (meta != null && meta.member("progressToken") != null) {
      options.addHeader(Headers.PROGRESS, calls.calling());
    }
    outcome =
        RequestSender.of(vertx)
            .<Buffer>request(
                connection,
                Addresses.of(connection, String.valueOf(headers.get(SessionMessage.SUFFIX))),
                params.toBuffer(),
                options)
            .map(reply -> RawJson.of(reply.body()));
    outcome.onComplete(done -> settle());
  }

  /** The call has ended: the client is told now, or when it comes back. */
  private void settle() {
    Message<?> message = waiting;
    Future<RawJson> result = outcome;
    if (message == null || result == null || !result.isComplete() || over) {
      return;
    }
    if (result.succeeded()) {
      message.reply(result.result().toBuffer(), new DeliveryOptions().setCodecName(Codecs.SHARED));
    } else {
      message.reply(McpFailure.of(result.cause()));
    }
    waiting = null;
    end();
  }

  void fail(Throwable failure) {
    if (waiting != null) {
      waiting.reply(McpFailure.of(failure));
      waiting = null;
    }
    end();
  }

  // ---- questions

  @Override
  public Future<JsonObject> asked(
      @Nullable String call,
      @Nullable String connection,
      String question,
      String method,
      JsonObject params) {
    if (over || !ClientQuestions.isOffered(capabilities, method, params)) {
      return Future.failedFuture(
          McpFailure.notSent(FailureCode.METHOD_NOT_FOUND, "the client does not answer " + method));
    }
    Question asked = new Question(question, method, params, Promise.promise());
    questions.put("input-" + ++sequence, asked);
    vertx.setTimer(GATHER_MILLIS, now -> put());
    return asked.answer().future();
  }

  /** An answer to it will not be looked at. */
  @Override
  public void withdrawn(String question) {
    questions.values().removeIf(asked -> asked.key().equals(question));
  }

  /** Hands the open questions to the client, where it waits. */
  private void put() {
    Message<?> message = waiting;
    if (over || message == null || questions.isEmpty()) {
      return;
    }
    waiting = null;
    String fresh = calls.state();
    state = fresh;
    JsonObject requests = new JsonObject();
    questions.forEach(
        (key, question) ->
            requests.put(
                key,
                new JsonObject()
                    .put("method", question.method())
                    .put("params", ClientQuestions.embedded(question.params()))));
    JsonObject result =
        new JsonObject()
            .put(ResultType.MEMBER, ResultType.INPUT_REQUIRED)
            .put("inputRequests", requests)
            .put("requestState", fresh);
    message.reply(result.toBuffer());
    timer = vertx.setTimer(CallDeadline.QUESTION_MILLIS, late -> cancel());
    handedOut.accept(this);
  }

  /** The client has come back, with answers to some of the questions. */
  void retry(Message<?> message) {
    vertx.cancelTimer(timer);
    state = null;
    waiting = message;
    RawJson responses = SessionMessage.params(message).member("inputResponses");
    JsonObject answers =
        responses != null && responses.isObject() ? responses.toJsonObject() : new JsonObject();
    for (Map.Entry<String, Object> one : answers) {
      Question question = questions.remove(one.getKey());
      if (question != null && one.getValue() instanceof JsonObject answer) {
        question.answer().tryComplete(answer);
      } else if (question != null) {
        questions.put(one.getKey(), question);
      }
    }
    settle();
    put();
  }

  // ---- what the server tells meanwhile

  @Override
  public void told(String call, String method, JsonObject params) {
    Message<?> message = waiting;
    if (message != null) {
      vertx
          .eventBus()
          .send(
              SessionMessage.header(message, SessionMessage.DOOR),
              params,
              new DeliveryOptions()
                  .addHeader(Headers.CALL_ID, message.headers().get(SessionMessage.EXCHANGE))
                  .addHeader(Headers.METHOD, method));
    }
  }

  /** While its client has the questions. */
  @Override
  public boolean giveUp(String connection) {
    if (state == null) {
      return false;
    }
    cancel();
    return true;
  }

  @Override
  public void heard(String connection, JsonObject event) {
    Message<?> message = waiting;
    if (Events.LOG.equals(event.getString("type"))
        && message != null
        && message.headers().contains(SessionMessage.LEVEL)) {
      told(callId, Methods.MESSAGE, event.getJsonObject("params", new JsonObject()));
    }
  }

  // ---- its end

  /** Nobody waits for it, or it waits too long for its client. */
  void cancel() {
    if (over) {
      return;
    }
    ConnectionId connection = lease;
    if (connection != null) {
      CallCancellation.publish(vertx, connection, callId);
    }
    waiting = null;
    end();
  }

  private void end() {
    if (over) {
      return;
    }
    over = true;
    vertx.cancelTimer(timer);
    calls.remove(callId);
    if (lease != null) {
      calls.removeLease(lease.value());
    }
    questions
        .values()
        .forEach(
            question ->
                question
                    .answer()
                    .tryFail(
                        McpFailure.notSent(FailureCode.CANCELLED, "the client has not answered")));
    questions.clear();
    ended.accept(this);
  }
}
