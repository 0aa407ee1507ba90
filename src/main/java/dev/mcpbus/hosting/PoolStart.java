package dev.mcpbus.hosting;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.Events;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Publishes {@link Events#POOL_STARTED} when each server of the start has had its first attempt:
 * its connection is ready, or has failed. Lazy servers are not waited for. Confined to the context
 * of {@link ServersVerticle}.
 */
final class PoolStart {

  /** What ends the first attempt of a server. */
  private static final Set<String> ENDINGS =
      Set.of(
          Events.CONNECTED,
          Events.DISCONNECTED,
          Events.RESTARTING,
          Events.GAVE_UP,
          Events.SERVER_REMOVED);

  private final Vertx vertx;
  private final Set<String> waiting;
  private final MessageConsumer<JsonObject> events;
  private boolean begun;

  private PoolStart(Vertx vertx, Set<String> ids) {
    this.vertx = vertx;
    this.waiting = ids;
    this.events =
        vertx
            .eventBus()
            .consumer(
                Addresses.ALL_EVENTS,
                message -> {
                  if (ENDINGS.contains(message.body().getString("type", ""))) {
                    waiting.remove(message.body().getString("id"));
                    check();
                  }
                });
  }

  /**
   * Begins to listen, before the servers are started.
   *
   * @param ids of the servers that start by themselves
   */
  static PoolStart watch(Vertx vertx, List<String> ids) {
    return new PoolStart(vertx, new HashSet<>(ids));
  }

  /**
   * The servers are added. Those that another node runs already send no event.
   *
   * @param statuses of all servers
   */
  void begun(Supplier<Future<JsonArray>> statuses) {
    statuses
        .get()
        .onComplete(
            read -> {
              JsonArray all = read.succeeded() ? read.result() : new JsonArray();
              Set<String> known = new HashSet<>();
              all.forEach(
                  one -> {
                    JsonObject status = (JsonObject) one;
                    known.add(status.getString("id"));
                    if (isOver(status)) {
                      waiting.remove(status.getString("id"));
                    }
                  });
              if (read.succeeded()) {
                waiting.retainAll(known); // the others stay removed
              }
              begun = true;
              check();
            });
  }

  private static boolean isOver(JsonObject status) {
    String state = status.getString("state", "");
    return !state.equals(ConnectionState.IDLE.name())
        && !state.equals(ConnectionState.CONNECTING.name())
        && !state.equals(ConnectionState.CLOSED.name());
  }

  private void check() {
    if (begun && waiting.isEmpty() && events.isRegistered()) {
      events.unregister();
      vertx
          .eventBus()
          .publish(
              Addresses.ALL_EVENTS,
              new JsonObject()
                  .put("type", Events.POOL_STARTED)
                  .put("time", Instant.now().toString()));
    }
  }

  void stop() {
    events.unregister();
  }
}
