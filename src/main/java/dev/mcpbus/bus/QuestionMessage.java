package dev.mcpbus.bus;

import dev.mcpbus.bus.CallDeadline.Layer;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * A server's question to one client of the gateway, as it goes from the connection to the session
 * host ({@link Addresses#GATEWAY_INPUT}): the facts in headers, the params as the bytes that the
 * server sent. The reply is a {@link ClientAnswer}. Immutable.
 *
 * @param key by which {@link #withdraw} takes the question back
 * @param connection the connection of the server
 * @param call the caller's id of the call that needs the answer; empty if none in flight does, null
 *     where it is unknown
 * @param params {@link RawJson#isAbsent absent} where the server sent none
 */
public record QuestionMessage(
    String key, String connection, @Nullable String call, String method, RawJson params) {

  private static final String KEY = "question";
  private static final String CONNECTION = "id";
  private static final String WITHDRAWN = "withdrawn";

  /**
   * Sends the question to the one address that gets it.
   *
   * @return fails as the host fails it, or as the bus does where there is no such host
   */
  public Future<ClientAnswer> sendTo(RequestSender sender, String address) {
    DeliveryOptions options =
        new DeliveryOptions()
            .setCodecName(Codecs.SHARED)
            .setSendTimeout(Layer.CALLER.timeout(CallDeadline.QUESTION_MILLIS))
            .addHeader(KEY, key)
            .addHeader(CONNECTION, connection)
            .addHeader(Headers.METHOD, method);
    CallHeaders.add(options, Headers.CALL_ID, call);
    return sender
        .<Object>request(null, address, params.paramsBuffer(), options)
        .map(ClientAnswer::of);
  }

  /** Takes the question with this key back. */
  public static void withdraw(EventBus bus, String address, String key) {
    bus.send(
        address,
        Buffer.buffer(),
        new DeliveryOptions().addHeader(KEY, key).addHeader(WITHDRAWN, "true"));
  }

  /** Reads a question; a node with an older mcpbus sends a {@code JsonObject}. */
  public static QuestionMessage of(Message<?> message) {
    if (message.body() instanceof JsonObject body) {
      return new QuestionMessage(
          body.getString(KEY, ""),
          body.getString(CONNECTION, ""),
          body.getString("call"),
          body.getString("method", ""),
          RawJson.of(body.getJsonObject("params", new JsonObject())));
    }
    return new QuestionMessage(
        String.valueOf(message.headers().get(KEY)),
        String.valueOf(message.headers().get(CONNECTION)),
        message.headers().get(Headers.CALL_ID),
        String.valueOf(message.headers().get(Headers.METHOD)),
        RawJson.ofParams((Buffer) message.body()));
  }

  /** The key of a question that the message takes back; null if the message is a question. */
  public static @Nullable String withdrawn(Message<?> message) {
    if (message.body() instanceof JsonObject body) {
      return body.getBoolean(WITHDRAWN, false) ? body.getString(KEY) : null;
    }
    return message.headers().contains(WITHDRAWN) ? message.headers().get(KEY) : null;
  }
}
