package dev.mcpbus.bus;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replies to requests on the bus whose results are JSON objects, other than calls of a server. A
 * {@code Buffer} request gets a {@code Buffer}, every other a {@code JsonObject}; a failure gets an
 * {@link McpFailure}. Each method is to be called on the context of the consumer.
 */
public final class JsonReplies {

  private static final Logger LOG = LoggerFactory.getLogger(JsonReplies.class);

  private JsonReplies() {}

  /**
   * Runs {@code service} and replies when its result is there. An {@link McpFailure} that it throws
   * is the reply; any other exception is logged, and the reply is {@code INTERNAL}.
   */
  public static void serve(Message<?> request, Supplier<Future<JsonObject>> service) {
    try {
      reply(request, service.get());
    } catch (McpFailure refused) {
      refused.replyTo(request);
    } catch (RuntimeException defect) {
      LOG.error("{} failed", request.address(), defect);
      McpFailure.defect().replyTo(request);
    }
  }

  /** Replies with {@code result}, or with the failure that {@link McpFailure#of} makes of its. */
  public static void reply(Message<?> request, Future<JsonObject> result) {
    boolean raw = request.body() instanceof Buffer;
    result.onComplete(
        json -> request.reply(raw ? json.toBuffer() : json),
        failure -> McpFailure.of(failure).replyTo(request));
  }
}
