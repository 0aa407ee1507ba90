package dev.mcpbus.connection.input;

import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.connection.session.Session;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests of a server of the {@code initialize} era: {@code ping} at once; roots,
 * sampling and elicitation with the answer of a handler ({@link InputRequests}); any other method,
 * or a question without a handler, with the error -32601. {@code ServerMessages} calls it. Owner:
 * the connection's context.
 */
public final class ServerRequests {

  private static final int MAX_OPEN = 64;

  private final InputRequests inputs;
  private final Function<String, @Nullable String> ownerOf;
  private final @Nullable String client;

  /** The keys of our questions by the id of the server's request. */
  private final Map<RawJson, String> open = new HashMap<>();

  /**
   * @param ownerOf the principal of a task by its id; null where it is unknown
   * @param client the only address that gets the questions, null for any handler
   */
  public ServerRequests(
      InputRequests inputs, Function<String, @Nullable String> ownerOf, @Nullable String client) {
    this.inputs = inputs;
    this.ownerOf = ownerOf;
    this.client = client;
  }

  public void handle(Session session, RawJson requestId, String method, RawJson params) {
    if (method.equals(Methods.PING)) {
      session.answer(requestId, RawJson.EMPTY_OBJECT);
    } else if (!InputRequests.isInput(method)) {
      session.refuse(
          requestId, JsonRpcError.METHOD_NOT_FOUND, "mcpbus does not know the method " + method);
    } else if (open.size() >= MAX_OPEN) {
      session.refuse(
          requestId, JsonRpcError.INTERNAL_ERROR, MAX_OPEN + " questions are open already");
    } else {
      ask(session, requestId, method, params.toJsonObject());
    }
  }

  private void ask(Session session, RawJson requestId, String method, JsonObject params) {
    InputRequests.OutgoingQuestion question =
        inputs.ask(method, params, false, owner(session, params), client, null);
    open.put(requestId, question.key());
    session.extendAll(CallDeadline.QUESTION_MILLIS);
    question
        .answer()
        .onComplete(
            answer -> {
              if (open.remove(requestId, question.key())) {
                session.answer(requestId, RawJson.of(answer));
              }
            },
            failure -> {
              if (open.remove(requestId, question.key())) {
                refuse(session, requestId, method, failure);
              }
            });
  }

  /**
   * The principal of the task that the question names; else of the calls that the server works on.
   */
  private @Nullable String owner(Session session, JsonObject params) {
    if (params.getValue("_meta") instanceof JsonObject meta
        && meta.containsKey(MetaKeys.RELATED_TASK)) {
      return meta.getValue(MetaKeys.RELATED_TASK) instanceof JsonObject related
              && related.getValue("taskId") instanceof String task
          ? ownerOf.apply(task)
          : null;
    }
    return session.cause();
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

  private static void refuse(Session session, RawJson requestId, String method, Throwable failure) {
    if (InputRequests.isUnhandled(failure)) {
      session.refuse(
          requestId, JsonRpcError.METHOD_NOT_FOUND, "no handler is registered for " + method);
    } else if (InputRequests.isUnfit(failure)) {
      session.refuse(requestId, JsonRpcError.INVALID_PARAMS, String.valueOf(failure.getMessage()));
    } else if (method.equals(Methods.ELICITATION)) {
      session.answer(requestId, RawJson.of(InputRequests.declined()));
    } else {
      session.refuse(requestId, JsonRpcError.INTERNAL_ERROR, method + " was not answered");
    }
  }
}
