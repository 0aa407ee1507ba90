package dev.mcpbus.gateway.session;

import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The questions of servers to one {@code discover} client while none of its calls is under way
 * there. A server asks for roots when it starts, and this client has no stream for it: the next
 * call that offers to answer gets the question before it is sent. Confined to the host's context.
 */
final class UnassignedQuestions {

  private static final int MAX = 16;

  private record EarlyQuestion(String connection, ServerQuestion question, long timer) {}

  private final Vertx vertx;

  /** By the key of the question, in the order in which they came. */
  private final Map<String, EarlyQuestion> waiting = new LinkedHashMap<>();

  UnassignedQuestions(Vertx vertx) {
    this.vertx = vertx;
  }

  /**
   * Keeps a question. It fails with {@code OVERLOADED} if {@value #MAX} wait already, and with
   * {@code CALL_TIMEOUT} after {@link CallDeadline#QUESTION_MILLIS}.
   */
  void add(String connection, ServerQuestion question) {
    if (waiting.size() >= MAX) {
      question
          .answer()
          .tryFail(
              McpFailure.notSent(FailureCode.OVERLOADED, MAX + " questions wait for the client"));
      return;
    }
    long timer =
        vertx.setTimer(
            CallDeadline.QUESTION_MILLIS,
            late ->
                fail(
                    question.key(),
                    FailureCode.CALL_TIMEOUT,
                    "the client has made no call by which it could answer"));
    waiting.put(question.key(), new EarlyQuestion(connection, question, timer));
  }

  /** Takes the questions that came over a connection, of those that {@code offered} accepts. */
  List<ServerQuestion> take(String connection, Predicate<ServerQuestion> offered) {
    if (waiting.isEmpty()) {
      return List.of();
    }
    List<ServerQuestion> taken = new ArrayList<>();
    for (EarlyQuestion early : List.copyOf(waiting.values())) {
      if (early.connection().equals(connection) && offered.test(early.question())) {
        remove(early.question().key());
        taken.add(early.question());
      }
    }
    return taken;
  }

  private @Nullable EarlyQuestion remove(String key) {
    EarlyQuestion early = waiting.remove(key);
    if (early != null) {
      vertx.cancelTimer(early.timer());
    }
    return early;
  }

  private void fail(String key, FailureCode code, String why) {
    EarlyQuestion early = remove(key);
    if (early != null) {
      early.question().answer().tryFail(McpFailure.notSent(code, why));
    }
  }

  /** The server has taken a question back. */
  void withdrawn(String key) {
    fail(key, FailureCode.CANCELLED, "the server does not ask any more");
  }

  /** The client is forgotten. */
  void close() {
    List.copyOf(waiting.keySet())
        .forEach(key -> fail(key, FailureCode.CANCELLED, "the client has gone"));
  }
}
