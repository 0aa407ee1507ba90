package dev.mcpbus.client;

import dev.mcpbus.bus.Events;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.NearWords;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The event handlers of one client. Any thread may call; handlers run on the caller's context. */
final class EventSubscriptions {

  /** Notifications that the connection publishes as events of their own. */
  private static final Map<String, String> EVENT_OF =
      Map.of(
          Methods.TOOLS_CHANGED, Events.TOOLS_CHANGED,
          Methods.RESOURCES_CHANGED, Events.RESOURCES_CHANGED,
          Methods.PROMPTS_CHANGED, Events.PROMPTS_CHANGED,
          Methods.RESOURCE_UPDATED, Events.RESOURCE_UPDATED,
          Methods.MESSAGE, Events.LOG,
          Methods.PROGRESS, Events.PROGRESS,
          Methods.TASKS_STATUS, Events.TASK,
          Methods.TASKS_CHANGED, Events.TASK);

  private final Vertx vertx;
  private final Set<MessageConsumer<JsonObject>> consumers = ConcurrentHashMap.newKeySet();

  EventSubscriptions(Vertx vertx) {
    this.vertx = vertx;
  }

  Registration onEvents(String address, Handler<JsonObject> handler) {
    consumers.removeIf(consumer -> !consumer.isRegistered());
    MessageConsumer<JsonObject> consumer =
        vertx
            .eventBus()
            .consumer(address, (Message<JsonObject> message) -> handler.handle(message.body()));
    consumers.add(consumer);
    return new Registration(consumer);
  }

  Registration onEvent(String address, String type, Handler<JsonObject> handler) {
    if (!Events.ALL.contains(type)) {
      throw new IllegalArgumentException(
          "no event has the type '" + type + "'" + NearWords.question(type, Events.ALL));
    }
    return onEvents(
        address,
        event -> {
          if (type.equals(event.getString("type"))) {
            handler.handle(event);
          }
        });
  }

  /** {@code handler} receives the {@code params}, empty where the notification has none. */
  Registration onNotification(String address, String method, Handler<JsonObject> handler) {
    if (method.isBlank()) {
      throw new IllegalArgumentException("a notification has a method, and this one is empty");
    }
    String type = EVENT_OF.getOrDefault(method, Events.NOTIFICATION);
    return onEvent(
        address,
        type,
        event -> {
          if (!type.equals(Events.NOTIFICATION) || method.equals(event.getString("method"))) {
            handler.handle(event.getJsonObject("params", new JsonObject()));
          }
        });
  }

  void close() {
    consumers.forEach(MessageConsumer::unregister);
    consumers.clear();
  }
}
