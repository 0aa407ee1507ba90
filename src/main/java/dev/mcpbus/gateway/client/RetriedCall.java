package dev.mcpbus.gateway.client;

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
import dev.mcpbus.gateway.client.ClientConnections.Opened;
import dev.mcpbus.gateway.client.OpenQuestions.Question;
import dev.mcpbus.gateway.dialect.Discover;
import dev.mcpbus.gateway.dialect.Initialize;
import dev.mcpbus.gateway.request.HostMessage;
import dev.mcpbus.gateway.request.HostMessage.CallMessage;
import dev.mcpbus.gateway.request.HostMessage.StatedClient;
import dev.mcpbus.gateway.request.UnknownMethods;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.RequestIds;
import dev.mcpbus.security.Principal;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
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

  private @Nullable WaitingResponse waiting;
  private @Nullable String state;
  private long timer = -1;

  /** A request of the client, whose response waits; the reply to {@code message} ends it. */
  record WaitingResponse(Message<?> message, CallMessage call) {
    RawJson params() {
      return HostMessage.params(message);
    }

    String exchange() {
      return call.from().exchange();
    }

    /** What a retry must repeat. */
    private String target() {
      return call.server()
          + " "
          + call.suffix()
          + " "
          + params().without("_meta").without("inputResponses").without("requestState");
    }
  }

  RetriedCall(CallKeeper home, GatewayClient client, CallMessage call, StatedClient stated) {
    super(home, client, call.server(), client.statement(stated));
    this.mayAsk = ASKING.contains(call.suffix());
  }

  @Override
  public boolean offers(String method, RawJson params) {
    return mayAsk && super.offers(method, params);
  }

  /** Whether a retry repeats this call, for the same principal. */
  boolean isOf(WaitingResponse retry) {
    return client.owner.equals(Principal.nameIn(retry.call().from().principal()))
        && target.equals(retry.target());
  }

  /** The {@code requestState} that the client has; null while its response waits. */
  @Override
  @Nullable String state() {
    return state;
  }

  @Override
  CallOrigin origin() {
    WaitingResponse response = waiting;
    return response == null ? CallOrigin.NONE : CallOrigin.of(response.message().headers());
  }

  /** True while a response waits: the client has no questions. */
  @Override
  public boolean isInUse() {
    return state == null;
  }

  /**
   * Sends the call. Servers work on several requests at once, so its log level comes before it. The
   * server may ask for the call before it has answered that; then the client has questions, and the
   * call is sent all the same.
   *
   * @param request of the client
   */
  void begin(Opened own, WaitingResponse request) {
    String level = request.call().level();
    if (level == null) {
      sendTo(own, request);
    } else {
      goesTo(own); // what the server logs about the level is for this call
      client.level(own, level).onComplete(set -> sendTo(own, request));
    }
  }

  private void sendTo(Opened own, WaitingResponse request) {
    if (isOver()) {
      return;
    }
    RawJson params = request.params();
    RawJson meta = params.member("_meta");
    boolean progress = meta != null && meta.member("progressToken") != null;
    String suffix = request.call().suffix();
    long left = suffix.equals(Addresses.REQUEST) ? CallDeadline.STREAM : CallDeadline.NONE;
    RawJson named =
        suffix.equals(Addresses.REQUEST) || suffix.equals(Addresses.NOTIFY)
            ? UnknownMethods.adapted(suffix, params, home::toServer)
            : params;
    send(own, suffix, named, left, progress, request.call().asIs());
  }

  /** The response waits for the answer, or for questions. */
  void await(WaitingResponse response) {
    waiting = response;
    home.waits(response.exchange(), this);
  }

  /** The response that waits, which now gets an answer; null if none waits. */
  private @Nullable WaitingResponse release() {
    WaitingResponse response = waiting;
    waiting = null;
    if (response != null) {
      home.answered(response.exchange());
    }
    return response;
  }

  @Override
  void completed() {
    AsyncResult<RawJson> result = outcome();
    WaitingResponse response = result == null || isOver() ? null : release();
    if (result == null || response == null) {
      return; // the client comes back for it
    }
    if (result.succeeded()) {
      DeliveryOptions options = new DeliveryOptions().setCodecName(Codecs.SHARED);
      CallHeaders.add(options, Headers.TOOL_ERROR, isToolError() ? "true" : null);
      RawJson answer =
          response.call().suffix().equals(Addresses.REQUEST)
              ? named(response, result.result())
              : result.result();
      response.message().reply(answer.toBuffer(), options);
    } else {
      response.message().reply(McpFailure.of(result.cause()));
    }
    end();
  }

  /** The call cannot begin. */
  void fail(Throwable failure) {
    WaitingResponse response = release();
    if (response != null) {
      GatewayClients.refuse(response.message(), failure);
    }
    end();
  }

  // ---- questions

  /**
   * A question that the client does not offer to answer fails after those that came with it have
   * gone to the client, because the server may end the call over it.
   */
  @Override
  public Future<ClientAnswer> ask(Question question) {
    Future<ClientAnswer> answer = super.ask(question);
    return answer.failed()
        ? home.host().vertx().timer(2 * GATHER_MILLIS).compose(gathered -> answer)
        : answer;
  }

  @Override
  public void questionsChanged() {
    home.host().vertx().setTimer(GATHER_MILLIS, now -> put());
  }

  /** Gives the open questions to the client, if its response waits. */
  private void put() {
    WaitingResponse response = hasQuestions() ? release() : null;
    if (response == null) {
      return;
    }
    if (target.isEmpty()) {
      String repeated = response.target();
      try {
        park(COPIES * repeated.length());
      } catch (McpFailure unpaid) {
        response.message().reply(unpaid);
        cancel();
        return;
      }
      target = repeated;
    }
    String fresh = home.host().registry().state();
    state = fresh;
    RawJson asked = Discover.inputRequired(client.questions.requests(this), fresh);
    response.message().reply(asked.toBuffer());
    timer = home.host().vertx().setTimer(CallDeadline.QUESTION_MILLIS, late -> cancel());
    home.noteUse(this);
  }

  /**
   * The client comes back, with answers to some of the questions; {@link OpenQuestions#check} has
   * accepted them.
   */
  void retry(WaitingResponse response) {
    home.host().vertx().cancelTimer(timer);
    state = null;
    await(response);
    home.noteUse(this);
    RawJson responses = response.params().member("inputResponses");
    if (responses != null) {
      client.questions.answer(this, responses);
    }
    completed();
    put();
  }

  // ---- what the server reports

  @Override
  public void reported(String method, RawJson params) {
    WaitingResponse response = waiting;
    if (response != null) {
      ServerNotice.ofCall(
          home.host().vertx().eventBus(),
          response.call().from().verticle(),
          response.exchange(),
          method,
          Methods.isKnown(method) ? params : named(response, params));
    }
  }

  /** What the server says, with the name of the client's request in place of the call's id. */
  private RawJson named(WaitingResponse request, RawJson said) {
    RawJson own = RawJson.string(request.exchange());
    return RequestIds.renamed(said, RawJson.string(callId()), own, own);
  }

  @Override
  public boolean hears(ServerNotice event) {
    WaitingResponse response = waiting;
    if (response == null || event.type().equals(Events.TASK)) {
      return false;
    }
    String level = response.call().level();
    return event.type().equals(Events.LOG)
        ? level != null && Initialize.reaches(event.params(), level)
        : response.call().notices() != null;
  }

  @Override
  public void heard(ServerNotice event, String method) {
    reported(method, event.params());
  }

  // ---- its end

  @Override
  void hostEnds() {
    WaitingResponse response = release();
    cancel();
    if (response != null) {
      response
          .message()
          .reply(
              new McpFailure(
                  FailureCode.OWNER_LOST,
                  connection() == null ? McpFailure.Sent.NO : McpFailure.Sent.MAYBE,
                  "its node has ended before the answer"));
    }
  }

  @Override
  public void cancel() {
    WaitingResponse response = release();
    super.cancel();
    if (response != null) {
      response
          .message()
          .reply(
              new McpFailure(
                  FailureCode.CANCELLED,
                  connection() == null ? McpFailure.Sent.NO : McpFailure.Sent.MAYBE,
                  "the call was cancelled"));
    }
  }

  @Override
  void end() {
    home.host().vertx().cancelTimer(timer);
    super.end();
  }

  @Override
  String ending() {
    return "the client has not answered";
  }
}
