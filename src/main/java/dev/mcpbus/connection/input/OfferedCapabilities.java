package dev.mcpbus.connection.input;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.function.Consumer;

/**
 * Follows what callers offer to answer: {@code {"all": capabilities, "servers": {id:
 * capabilities}}}. {@code InputVerticle} collects the offers and publishes each change. Owner: the
 * connection's context.
 */
public final class OfferedCapabilities {

  private static final DeliveryOptions LOCAL = new DeliveryOptions().setLocalOnly(true);

  private OfferedCapabilities() {}

  /**
   * Gives {@code change} the capabilities for server {@code id}, now and after each change, on the
   * caller's context.
   *
   * @return completes after the first call of {@code change}; at once where no component collects
   *     offers
   */
  public static Future<Void> watch(Vertx vertx, ConnectionId id, Consumer<JsonObject> change) {
    vertx
        .eventBus()
        .<JsonObject>localConsumer(
            Addresses.INPUT_OFFERED, message -> change.accept(of(message.body(), id)));
    return vertx
        .eventBus()
        .<JsonObject>request(Addresses.INPUT_OFFERS, new JsonObject(), LOCAL)
        .map(Message::body)
        .onSuccess(offers -> change.accept(of(offers, id)))
        .<Void>mapEmpty()
        .otherwiseEmpty();
  }

  private static JsonObject of(JsonObject offers, ConnectionId id) {
    JsonObject all = offers.getJsonObject("all", new JsonObject()).copy();
    JsonObject own = offers.getJsonObject("servers", new JsonObject()).getJsonObject(id.value());
    return own == null ? all : all.mergeIn(own, true);
  }
}
