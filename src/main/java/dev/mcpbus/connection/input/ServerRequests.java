package dev.mcpbus.connection.input;

import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.ClientAnswer;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.session.MessageOwner;
import dev.mcpbus.connection.session.PendingRequest;
import dev.mcpbus.connection.session.Session;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the requests of a server of the {@code initialize} era: {@code ping} at once; those of a
 * private connection with what its client answers, unchanged, whatever their method; roots,
 * sampling and elicitation of a shared connection with the answer of a handler ({@link
 * InputRequests}); any other method, or a question without a handler, with the error -32601. {@code
 * ServerMessages} calls it. Owner: the connection's context.
 */
public final class ServerRequests {

  private static final Logger LOG = LoggerFactory.getLogger(ServerRequests.class);

  private static final Set<FailureCode> CLIENT_GAVE_UP =
      Set.of(FailureCode.CANCELLED, FailureCode.CALL_TIMEOUT);

  private static final int MAX_OPEN = 64;

  private final InputRequests inputs;
  private final @Nullable String client;

  /** The keys of our questions by the id of the server's request. */
  private final Map<RawJson, String> open = new HashMap<>();

  /**
   * @param client the only address that gets the questions, null for any handler
   */
  public ServerRequests(InputRequests inputs, @Nullable String client) {
    this.inputs = inputs;
    this.client = client;
  }

  /**
   * @param owner whose question it is
   */
  public void handle(
      Session session, RawJson requestId, String method, RawJson params, MessageOwner owner) {
    if (method.equals(Methods.PING)) {
      session.answer(requestId, RawJson.EMPTY_OBJECT);
    } else if (!InputRequests.isInput(method) && !InputRequests.isDirect(client)) {
      session.refuse(
          requestId, JsonRpcError.METHOD_NOT_FOUND, "mcpbus does not know the method " + method);
    } else if (open.size() >= MAX_OPEN) {
      session.refuse(
          requestId, JsonRpcError.INTERNAL_ERROR, MAX_OPEN + " questions are open already");
    } else {
      ask(session, requestId, method, params, owner);
    }
  }

  private void ask(
      Session session, RawJson requestId, String method, RawJson params, MessageOwner owner) {
    InputRequests.OutgoingQuestion question =
        inputs.ask(method, params, false, owner.owner(), address(owner), owner.callId());
    open.put(requestId, question.key());
    session.asks(owner, CallDeadline.QUESTION_MILLIS);
    question
        .answer()
        .onComplete(
            answer -> {
              if (open.remove(requestId, question.key())) {
                answer(session, requestId, answer);
              }
            },
            failure -> {
              if (open.remove(requestId, question.key())) {
                if (question.direct()) {
                  refuse(session, requestId, method, failure);
                } else {
                  replace(session, requestId, method, failure);
                }
              }
            });
  }

  /** The only address that gets the question: the one client, or the one whose call is named. */
  private @Nullable String address(MessageOwner owner) {
    PendingRequest call = owner.call();
    return client != null || call == null || !owner.known() || !InputRequests.isDirect(call.input())
        ? client
        : call.input();
  }

  /** The server has cancelled its request: takes the question back and sends no answer. */
  public void cancelled(@Nullable RawJson requestId) {
    String key = requestId == null ? null : open.remove(requestId);
    if (key != null) {
      inputs.withdraw(key);
    }
  }

  /** The session is over: takes its questions back. */
  public void forget() {
    open.clear();
    inputs.withdrawAll();
  }

  private static void answer(Session session, RawJson requestId, ClientAnswer answer) {
    if (answer.isError()) {
      session.fail(requestId, answer.value());
    } else {
      session.answer(requestId, answer.value());
    }
  }

  /**
   * A client of the gateway did not answer: the server gets the reason, never an answer of ours. A
   * client that cancels its call, leaves or lets the time pass is no fault; all else is logged.
   */
  private static void refuse(Session session, RawJson requestId, String method, Throwable failure) {
    McpFailure reason = McpFailure.of(failure);
    boolean unhandled = InputRequests.isUnhandled(reason);
    if (!unhandled && !CLIENT_GAVE_UP.contains(reason.code())) {
      LOG.warn("the server gets no answer to {}: {}", method, reason.getMessage());
    }
    session.refuse(
        requestId,
        unhandled ? JsonRpcError.METHOD_NOT_FOUND : JsonRpcError.INTERNAL_ERROR,
        method + " was not answered: " + reason.getMessage());
  }

  /** No handler on the bus answered: an elicitation that reached one counts as cancelled. */
  private static void replace(
      Session session, RawJson requestId, String method, Throwable failure) {
    if (InputRequests.isUnhandled(failure)) {
      session.refuse(
          requestId, JsonRpcError.METHOD_NOT_FOUND, "no handler is registered for " + method);
    } else if (InputRequests.isUnfit(failure)) {
      session.refuse(requestId, JsonRpcError.INVALID_PARAMS, String.valueOf(failure.getMessage()));
    } else if (method.equals(Methods.ELICITATION)) {
      session.answer(requestId, InputRequests.UNANSWERED);
    } else if (McpFailure.of(failure).isUpstream(JsonRpcError.USER_DECLINED)) {
      session.refuse(requestId, JsonRpcError.USER_DECLINED, "the user has declined " + method);
    } else {
      session.refuse(requestId, JsonRpcError.INTERNAL_ERROR, method + " was not answered");
    }
  }
}
