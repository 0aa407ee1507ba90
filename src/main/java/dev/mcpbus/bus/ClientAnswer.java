package dev.mcpbus.bus;

import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;

/**
 * What a client of the gateway answered to a server's question: the {@code result} or the {@code
 * error} of its JSON-RPC response, byte for byte. It is the reply to a {@link QuestionMessage}.
 * Immutable.
 *
 * @param isError whether {@code value} is the error
 */
public record ClientAnswer(boolean isError, RawJson value) {

  /** A header of the reply: {@code true} where the body is the error. */
  private static final String ERROR = "error";

  public static ClientAnswer result(RawJson result) {
    return new ClientAnswer(false, result);
  }

  /** The answer in the reply to a {@link QuestionMessage}. */
  static ClientAnswer of(Message<Object> reply) {
    return reply.body() instanceof JsonObject json // of a node with an older mcpbus
        ? result(RawJson.of(json))
        : new ClientAnswer(reply.headers().contains(ERROR), RawJson.of((Buffer) reply.body()));
  }

  /**
   * Replies to a question when its answer is there. A failure gets an {@link McpFailure}. A node
   * with an older mcpbus asks with a {@code JsonObject}, and gets the result or the failure.
   */
  public static void reply(Message<?> question, Future<ClientAnswer> answer) {
    answer.onComplete(
        one -> one.replyTo(question), failure -> McpFailure.of(failure).replyTo(question));
  }

  private void replyTo(Message<?> question) {
    if (question.body() instanceof Buffer) {
      DeliveryOptions options = new DeliveryOptions().setCodecName(Codecs.SHARED);
      question.reply(value.toBuffer(), isError ? options.addHeader(ERROR, "true") : options);
    } else if (isError) {
      toFailure().replyTo(question);
    } else {
      question.reply(value.toJsonObject());
    }
  }

  /** The failure for {@link #isError an error}; keeps its code, message and data. */
  public McpFailure toFailure() {
    return McpFailure.upstream(value);
  }
}
