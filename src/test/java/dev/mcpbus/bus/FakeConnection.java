package dev.mcpbus.bus;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The addresses of one connection as a test wants them, on the real bus. */
public final class FakeConnection {

  private final Vertx vertx;
  private final ConnectionId id;
  private final List<String> cancelled = new CopyOnWriteArrayList<>();

  public FakeConnection(Vertx vertx, String id) {
    this.vertx = vertx;
    this.id = new ConnectionId(id);
    Codecs.register(vertx);
    on(
        Addresses.CANCEL,
        message -> cancelled.add(((JsonObject) message.body()).getString("callId")));
  }

  public FakeConnection on(String suffix, Handler<Message<Object>> handler) {
    vertx.eventBus().consumer(Addresses.of(id, suffix), handler);
    return this;
  }

  /** Answers in kind with the same result each time. */
  public FakeConnection answering(String suffix, String result) {
    return on(suffix, message -> replyInKind(message, result));
  }

  public static void replyInKind(Message<Object> message, String result) {
    message.reply(
        message.body() instanceof Buffer ? Buffer.buffer(result) : new JsonObject(result));
  }

  public void event(String type, JsonObject more) {
    JsonObject event = new JsonObject().put("type", type).put("id", id.value()).mergeIn(more);
    vertx.eventBus().publish(Addresses.of(id, Addresses.EVENTS), event);
    vertx.eventBus().publish(Addresses.ALL_EVENTS, event);
  }

  /** Ids of the calls that were cancelled. */
  public List<String> cancelled() {
    return cancelled;
  }
}
