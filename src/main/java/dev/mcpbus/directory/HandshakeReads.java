package dev.mcpbus.directory;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.RequestSender;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Reads what servers said in their handshakes: their status with {@code {handshake: true}}, because
 * neither an event nor the list of servers has it. Confined to the context of the {@link
 * DirectoryVerticle}.
 */
final class HandshakeReads {

  private final Vertx vertx;

  /** The requests in flight, by server. */
  private final Map<String, Future<Void>> running = new HashMap<>();

  HandshakeReads(Vertx vertx) {
    this.vertx = vertx;
  }

  /**
   * Asks a server's connection for its status.
   *
   * @param status receives the reply; nothing if the request fails
   */
  void read(String id, Consumer<JsonObject> status) {
    Promise<Void> read = Promise.promise();
    running.put(id, read.future());
    RequestSender.of(vertx)
        .<JsonObject>read(
            new ConnectionId(id),
            Addresses.STATUS,
            new JsonObject().put("handshake", true),
            new DeliveryOptions())
        .onComplete(
            reply -> {
              try {
                if (reply.succeeded()) {
                  status.accept(reply.result());
                }
              } finally {
                running.remove(id, read.future());
                read.complete();
              }
            });
  }

  /** The requests in flight to these servers. */
  List<Future<Void>> of(Collection<?> ids) {
    List<Future<Void>> some = new ArrayList<>();
    running.forEach(
        (id, reading) -> {
          if (ids.contains(id)) {
            some.add(reading);
          }
        });
    return some;
  }

  /** The server was removed. */
  void forget(String id) {
    running.remove(id);
  }
}
