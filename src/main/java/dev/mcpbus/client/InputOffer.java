package dev.mcpbus.client;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ServerAddress;
import dev.mcpbus.protocol.Methods;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Collection;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Publishes which questions the handlers of one input address can answer. It repeats the offer
 * every 20 s, because an offer that is not repeated expires after 60 s, such as after the end of
 * this process. {@link InputHandlers} guards the calls; the timer runs on the context that creates
 * it.
 */
final class InputOffer {

  private static final Duration TTL = Duration.ofSeconds(60);

  private final Vertx vertx;
  private final @Nullable String server;
  private final String name = UUID.randomUUID().toString();
  private final MessageConsumer<Object> renewals;
  private final long timer;
  private JsonObject capabilities = new JsonObject();

  /**
   * @param address the input address of one server, or that of all servers
   */
  InputOffer(Vertx vertx, String address) {
    this.vertx = vertx;
    this.server = ServerAddress.parse(address).map(of -> of.server().value()).orElse(null);
    this.renewals = vertx.eventBus().consumer(Addresses.INPUT_RENEW, renew -> offer());
    this.timer = vertx.setPeriodic(TTL.toMillis() / 3, again -> offer());
  }

  /** Offers the capabilities that {@code methods} need. */
  Future<Void> set(Collection<String> methods) {
    JsonObject all = new JsonObject();
    methods.forEach(method -> all.mergeIn(capability(method), true));
    synchronized (this) {
      capabilities = all;
    }
    return offer();
  }

  private static JsonObject capability(String method) {
    return switch (method) {
      case Methods.ELICITATION ->
          new JsonObject()
              .put(
                  "elicitation",
                  new JsonObject().put("form", new JsonObject()).put("url", new JsonObject()));
      case Methods.SAMPLING -> new JsonObject().put("sampling", new JsonObject());
      case Methods.ROOTS_LIST -> new JsonObject().put("roots", new JsonObject());
      default -> new JsonObject();
    };
  }

  /**
   * Sends the offer; never fails. If the collector of the offers is not running yet, it requests
   * all offers when it starts.
   */
  private Future<Void> offer() {
    JsonObject body = new JsonObject().put("offer", name).put("ttl", TTL.toMillis());
    synchronized (this) {
      body.put("capabilities", capabilities.copy());
    }
    if (server != null) {
      body.put("id", server);
    }
    return vertx.eventBus().request(Addresses.INPUT_OFFER, body).<Void>mapEmpty().otherwiseEmpty();
  }

  Future<Void> withdraw() {
    vertx.cancelTimer(timer);
    return renewals
        .unregister()
        .compose(
            gone ->
                vertx
                    .eventBus()
                    .request(Addresses.INPUT_WITHDRAW, new JsonObject().put("offer", name)))
        .<Void>mapEmpty()
        .otherwiseEmpty();
  }
}
