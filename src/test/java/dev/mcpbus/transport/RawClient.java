package dev.mcpbus.transport;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Speaks bare JSON-RPC over any transport, for tests; may be called from any thread. */
public final class RawClient implements Channel.Receiver {

  private final Context context;
  private final Map<Long, Promise<JsonObject>> pending = new ConcurrentHashMap<>();
  private final List<Envelope> notifications = new CopyOnWriteArrayList<>();
  private final List<TransportException> closings = new CopyOnWriteArrayList<>();
  private final AtomicLong ids = new AtomicLong();
  private final Promise<Channel> channel = Promise.promise();

  private RawClient(Context context) {
    this.context = context;
  }

  /** Opens a channel on a context of its own. */
  public static RawClient open(Vertx vertx, Transport transport) throws Exception {
    Context context = ((ContextInternal) vertx.getOrCreateContext()).unwrap();
    RawClient client = new RawClient(context);
    context.runOnContext(nothing -> transport.open(context, client).onComplete(client.channel));
    get(client.channel.future());
    return client;
  }

  /** Does the handshake; gives the result of {@code initialize}. */
  public JsonObject handshake() throws Exception {
    return handshake("{}");
  }

  public JsonObject handshake(String capabilities) throws Exception {
    JsonObject result =
        result(
            "initialize",
            "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":"
                + capabilities
                + ",\"clientInfo\":{\"name\":\"raw\",\"version\":\"1\"}}");
    notify("notifications/initialized", "{}");
    return result;
  }

  public void notify(String method, String params) {
    send(
        OutboundMessage.notification(
            method, MessageWriter.notification(method, RawJson.of(params))));
  }

  /** Answers a question of the server. */
  public void answer(long question, String result) {
    RawJson id = RawJson.of(Long.toString(question));
    send(
        OutboundMessage.response(
            Envelope.Kind.RESULT, MessageWriter.result(id, RawJson.of(result))));
  }

  /** The whole response. */
  public Future<JsonObject> request(String method, String params) {
    long id = ids.incrementAndGet();
    Promise<JsonObject> answer = Promise.promise();
    pending.put(id, answer);
    String line = params.replace('\n', ' ');
    send(OutboundMessage.request(id, method, MessageWriter.request(id, method, RawJson.of(line))));
    return answer.future();
  }

  public JsonObject result(String method, String params) throws Exception {
    JsonObject answer = get(request(method, params));
    if (answer.containsKey("error")) {
      throw new AssertionError(answer.encode());
    }
    return answer.getJsonObject("result");
  }

  /** Calls a tool; gives the text of its first content. */
  public String call(String tool, String arguments) throws Exception {
    return result("tools/call", "{\"name\":\"" + tool + "\",\"arguments\":" + arguments + "}")
        .getJsonArray("content")
        .getJsonObject(0)
        .getString("text");
  }

  private void send(OutboundMessage message) {
    context.runOnContext(
        nothing -> {
          try {
            channel.future().result().send(message);
          } catch (TransportException e) {
            onRequestFailed(message.id(), e);
          }
        });
  }

  public void close() throws Exception {
    Promise<Void> closed = Promise.promise();
    context.runOnContext(nothing -> channel.future().result().close().onComplete(closed));
    get(closed.future());
  }

  @Override
  public void onMessage(Envelope message) {
    Promise<JsonObject> answer =
        message.kind() == Envelope.Kind.REQUEST ? null : pending.remove(message.integerId());
    if (answer == null) {
      notifications.add(message);
    } else {
      answer.complete(message.text().toJsonObject());
    }
  }

  @Override
  public void onRequestFailed(long id, TransportException reason) {
    Promise<JsonObject> answer = pending.remove(id);
    if (answer != null) {
      answer.fail(reason);
    }
  }

  @Override
  public void onClosed(TransportException reason) {
    closings.add(reason);
    pending.values().forEach(answer -> answer.tryFail(reason));
  }

  /** What came unasked. */
  public List<Envelope> notifications() {
    return notifications;
  }

  public List<TransportException> closings() {
    return closings;
  }

  public static <T> T get(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
  }
}
