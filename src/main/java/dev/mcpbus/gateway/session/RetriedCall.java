package dev.mcpbus.gateway.session;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.CallHeaders;
import dev.mcpbus.bus.CallOrigin;
import dev.mcpbus.bus.ClientAnswer;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ServerNotice;
import dev.mcpbus.bus.ServerOperation;
import dev.mcpbus.gateway.request.SessionMessage;
import dev.mcpbus.gateway.request.UnknownMethods;
import dev.mcpbus.gateway.session.PrivateConnections.Opened;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.RequestIds;
import dev.mcpbus.protocol.ResultType;
import dev.mcpbus.security.Principal;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A parked call whose client gets questions as a result and repeats the call with the answers (MCP
 * 2026-07-28, Multi Round-Trip Requests). Confined to the host's context.
 */
final class RetriedCall extends ParkedCall {

  /** Questions that the server asks at once arrive one by one and go to the client together. */
  private static final long GATHER_MILLIS = 20;

  /** The addresses of the requests whose result may be questions (MCP 2026-07-28). */
  private static final Set<String> ASKING =
      ServerOperation.suffixes(
          row -> row.method != null && Methods.MULTI_ROUND_TRIP.contains(row.method));

  /** Its params wait as bytes, and as the text that a retry must repeat. */
  private static final int COPIES = 2;

  /** Whether its result may be questions. */
  private final boolean mayAsk;

  /** What a retry must repeat; empty until the client has questions. */
  private String target = "";

  private @Nullable Message<?> waiting;
  private @Nullable String state;
  private long timer = -1;

  RetriedCall(ParkedCalls home, DiscoverClient client, Message<?> message) {
    super(
        home,
        client,
        SessionMessage.header(message, SessionMessage.SERVER),
        client.statement(message));
    this.mayAsk = ASKING.contains(SessionMessage.header(message, SessionMessage.SUFFIX));
  }

  @Override
  boolean offers(String method, RawJson params) {
    return mayAsk && super.offers(method, params);
  }

  private static String target(Message<?> message) {
    return SessionMessage.header(message, SessionMessage.SERVER)
        + " "
        + SessionMessage.header(message, SessionMessage.SUFFIX)
        + " "
        + SessionMessage.params(message)
            .without("_meta")
            .without("inputResponses")
            .without("requestState");
  }

  /** Whether a retry repeats this call, for the same principal. */
  boolean isOf(Message<?> message) {
    return client
            .owner()
            .equals(Principal.nameIn(SessionMessage.header(message, SessionMessage.PRINCIPAL)))
        && target.equals(target(message));
  }

  /** The {@code requestState} that the client has; null while its response waits. */
  @Override
  @Nullable String state() {
    return state;
  }

  @Override
  CallOrigin origin() {
    Message<?> response = waiting;
    return response == null ? CallOrigin.NONE : CallOrigin.of(response.headers());
  }

  /** True while a response waits: the client has no questions. */
  @Override
  boolean isInUse() {
    return state == null;
  }

  /**
   * Sends the call. Servers work on several requests at once, so its log level comes before it. The
   * server may ask for the call before it has answered that; then the client has questions, and the
   * call is sent all the same.
   *
   * @param message the client's request
   */
  void begin(Opened own, Message<?> message) {
    String level = message.headers().get(SessionMessage.LEVEL);
    if (level == null) {
      sendTo(own, message);
    } else {
      goesTo(own); // what the server logs about the level is for this call
      client.level(own, level).onComplete(set -> sendTo(own, message));
    }
  }

  private void sendTo(Opened own, Message<?> message) {
    if (isOver()) {
      return;
    }
    RawJson params = SessionMessage.params(message);
    RawJson meta = params.member("_meta");
    boolean progress = meta != null && meta.member("progressToken") != null;
    String suffix = SessionMessage.header(message, SessionMessage.SUFFIX);
    boolean asIs = message.headers().contains(Headers.AS_IS);
    long left = suffix.equals(Addresses.REQUEST) ? CallDeadline.STREAM : CallDeadline.NONE;
    RawJson named =
        suffix.equals(Addresses.REQUEST) || suffix.equals(Addresses.NOTIFY)
            ? UnknownMethods.adapted(suffix, params, home::toServer)
            : params;
    send(own, suffix, named, left, progress, asIs);
  }

  /** The response of that message waits for the answer, or for questions. */
  void await(Message<?> message) {
    waiting = message;
    home.waits(SessionMessage.header(message, SessionMessage.EXCHANGE), this);
  }

  /** The response that waits, which now gets an answer; null if none waits. */
  private @Nullable Message<?> release() {
    Message<?> message = waiting;
    waiting = null;
    if (message != null) {
      home.answered(SessionMessage.header(message, SessionMessage.EXCHANGE));
    }
    return message;
  }

  @Override
  void completed() {
    AsyncResult<RawJson> result = outcome();
    Message<?> message = result == null || isOver() ? null : release();
    if (result == null || message == null) {
      return; // the client comes back for it
    }
    if (result.succeeded()) {
      DeliveryOptions options = new DeliveryOptions().setCodecName(Codecs.SHARED);
      CallHeaders.add(options, Headers.TOOL_ERROR, isToolError() ? "true" : null);
      RawJson answer =
          SessionMessage.header(message, SessionMessage.SUFFIX).equals(Addresses.REQUEST)
              ? named(message, result.result())
              : result.result();
      message.reply(answer.toBuffer(), options);
    } else {
      message.reply(McpFailure.of(result.cause()));
    }
    end();
  }

  /** The call cannot begin. */
  void fail(Throwable failure) {
    Message<?> message = release();
    if (message != null) {
      DiscoverClients.refuse(message, failure);
    }
    end();
  }

  // ---- questions

  /**
   * A question that the client does not offer to answer fails after those that came with it have
   * gone to the client, because the server may end the call over it.
   */
  @Override
  public Future<ClientAnswer> asked(
      @Nullable String call, @Nullable String at, String question, String method, RawJson params) {
    Future<ClientAnswer> answer = super.asked(call, at, question, method, params);
    return answer.failed()
        ? home.host.vertx().timer(2 * GATHER_MILLIS).compose(gathered -> answer)
        : answer;
  }

  @Override
  void questionsChanged() {
    home.host.vertx().setTimer(GATHER_MILLIS, now -> put());
  }

  /** Gives the open questions to the client, if its response waits. */
  private void put() {
    Message<?> message = hasQuestions() ? release() : null;
    if (message == null) {
      return;
    }
    if (target.isEmpty()) {
      String repeated = target(message);
      try {
        park(COPIES * repeated.length());
      } catch (McpFailure unpaid) {
        message.reply(unpaid);
        cancel();
        return;
      }
      target = repeated;
    }
    String fresh = home.host.registry().state();
    state = fresh;
    Map<String, RawJson> result = new LinkedHashMap<>();
    result.put(ResultType.MEMBER, RawJson.string(ResultType.INPUT_REQUIRED));
    result.put("inputRequests", inputRequests());
    result.put("requestState", RawJson.string(fresh));
    message.reply(RawJson.object(result).toBuffer());
    timer = home.host.vertx().setTimer(CallDeadline.QUESTION_MILLIS, late -> cancel());
    home.noteUse(this);
  }

  /**
   * The client comes back, with answers to some of the questions; {@link #checkAnswers} has
   * accepted them.
   */
  void retry(Message<?> message) {
    home.host.vertx().cancelTimer(timer);
    state = null;
    await(message);
    home.noteUse(this);
    RawJson responses = SessionMessage.params(message).member("inputResponses");
    if (responses != null) {
      answer(responses);
    }
    completed();
    put();
  }

  // ---- what the server reports

  @Override
  public void reported(String call, String method, RawJson params) {
    Message<?> message = waiting;
    if (message != null) {
      ServerNotice.ofCall(
          home.host.vertx().eventBus(),
          SessionMessage.header(message, SessionMessage.VERTICLE),
          SessionMessage.header(message, SessionMessage.EXCHANGE),
          method,
          Methods.isKnown(method) ? params : named(message, params));
    }
  }

  /** What the server says, with the name of the client's request in place of the call's id. */
  private RawJson named(Message<?> request, RawJson said) {
    RawJson own = RawJson.string(SessionMessage.header(request, SessionMessage.EXCHANGE));
    return RequestIds.renamed(said, RawJson.string(callId), own, own);
  }

  @Override
  boolean wantsLog(RawJson params) {
    Message<?> message = waiting;
    String level = message == null ? null : message.headers().get(SessionMessage.LEVEL);
    return level != null && SessionInbox.reaches(params, level);
  }

  @Override
  boolean hears(String type) {
    Message<?> message = waiting;
    return message != null
        && type.equals(Events.NOTIFICATION)
        && message.headers().contains(Headers.NOTICES);
  }

  @Override
  public void heard(ServerNotice event) {
    String method = event.type().equals(Events.LOG) ? Methods.MESSAGE : event.method();
    reported(callId, method, event.params());
  }

  // ---- its end

  @Override
  void hostEnds() {
    Message<?> message = release();
    cancel();
    if (message != null) {
      message.reply(
          new McpFailure(
              FailureCode.OWNER_LOST,
              connection() == null ? McpFailure.Sent.NO : McpFailure.Sent.MAYBE,
              "its node has ended before the answer"));
    }
  }

  @Override
  void cancel() {
    Message<?> message = release();
    super.cancel();
    if (message != null) {
      message.reply(
          new McpFailure(
              FailureCode.CANCELLED,
              connection() == null ? McpFailure.Sent.NO : McpFailure.Sent.MAYBE,
              "the call was cancelled"));
    }
  }

  @Override
  void end() {
    home.host.vertx().cancelTimer(timer);
    super.end();
  }

  @Override
  String ending() {
    return "the client has not answered";
  }
}
