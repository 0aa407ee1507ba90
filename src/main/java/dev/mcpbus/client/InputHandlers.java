package dev.mcpbus.client;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.NearWords;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The input handlers of one client: one consumer for each input address in use, with one handler
 * for each method. If a server has handlers, but none for the method of a question, the question
 * goes to the address of all servers. Any thread may call.
 */
final class InputHandlers {

  private static final Logger LOG = LoggerFactory.getLogger(InputHandlers.class);

  private final Vertx vertx;

  /** Guarded by this. */
  private final Map<String, HandlerGroup> groups = new HashMap<>();

  InputHandlers(Vertx vertx) {
    this.vertx = vertx;
  }

  /** Sets or replaces a handler. Succeeds when the connections can reach it. */
  synchronized Future<Void> set(String address, String method, InputHandler handler) {
    if (!Methods.QUESTIONS.contains(method)) {
      return Future.failedFuture(
          McpFailure.badRequest(
              "no server asks '" + method + "'" + NearWords.question(method, Methods.QUESTIONS)));
    }
    HandlerGroup group = groups.computeIfAbsent(address, HandlerGroup::new);
    group.handlers.put(method, handler);
    List<String> methods = List.copyOf(group.handlers.keySet());
    return group.consumer.completion().compose(ready -> group.offering.set(methods));
  }

  static InputHandler elicitation(InputHandler.Elicitation handler) {
    return (server, params) ->
        handler.elicit(server, new ElicitationRequest(params)).map(JsonView::json);
  }

  /** Removes a handler, if there is one; with the last handler, the consumer of the address. */
  synchronized Future<Void> clear(String address, String method) {
    HandlerGroup group = groups.get(address);
    if (group == null || group.handlers.remove(method) == null) {
      return Future.succeededFuture();
    }
    if (!group.handlers.isEmpty()) {
      return group.offering.set(List.copyOf(group.handlers.keySet()));
    }
    groups.remove(address);
    return group.close();
  }

  synchronized Future<Void> close() {
    Future<Void> done =
        Future.join(groups.values().stream().map(HandlerGroup::close).toList()).mapEmpty();
    groups.clear();
    return done;
  }

  private synchronized @Nullable InputHandler find(HandlerGroup group, String method) {
    return group.handlers.get(method);
  }

  private final class HandlerGroup {

    private final String address;
    private final Map<String, InputHandler> handlers = new HashMap<>();
    private final MessageConsumer<JsonObject> consumer;
    private final InputOffer offering;

    HandlerGroup(String address) {
      this.address = address;
      this.consumer = vertx.eventBus().consumer(address, this::receive);
      this.offering = new InputOffer(vertx, address);
    }

    Future<Void> close() {
      return Future.join(consumer.unregister(), offering.withdraw()).mapEmpty();
    }

    private void receive(Message<JsonObject> message) {
      answer(message)
          .onSuccess(message::reply)
          .onFailure(failure -> message.reply(McpFailure.of(failure)));
    }

    private Future<JsonObject> answer(Message<JsonObject> message) {
      JsonObject body = message.body();
      String method = body.getString("method", "");
      InputHandler handler = find(this, method);
      if (handler == null) {
        return address.equals(Addresses.ALL_INPUT) ? refuse(method) : askGlobally(body, method);
      }
      return called(handler, body)
          .map(JsonObject::copy) // fails here where JSON cannot represent a value
          .recover(failure -> Future.failedFuture(reported(body, failure)));
    }

    private static Future<JsonObject> called(InputHandler handler, JsonObject body) {
      try {
        return Objects.requireNonNull(
            handler.answer(
                new ConnectionId(body.getString("id")),
                body.getJsonObject("params", new JsonObject())),
            "the handler returned null");
      } catch (Throwable thrown) {
        return Future.failedFuture(thrown);
      }
    }

    /** Any code that says something of the question itself would send it to another handler. */
    private static McpFailure reported(JsonObject body, Throwable failure) {
      if (failure instanceof McpFailure own && own.code() == FailureCode.UPSTREAM_ERROR) {
        return own;
      }
      String what = body.getString("method") + " of server '" + body.getString("id") + "'";
      LOG.warn("the handler for {} has failed", what, failure);
      return McpFailure.maybeSent(FailureCode.INTERNAL, "the handler for " + what + " has failed");
    }

    /** Sets no deadline: the handler that receives the question ends it in time. */
    private Future<JsonObject> askGlobally(JsonObject body, String method) {
      DeliveryOptions unbounded =
          CallDeadline.set(new DeliveryOptions(), CallDeadline.NONE, CallDeadline.Layer.CALLER);
      return vertx
          .eventBus()
          .<JsonObject>request(Addresses.ALL_INPUT, body, unbounded)
          .map(Message::body)
          .recover(
              failure ->
                  McpFailure.of(failure).code() == FailureCode.UNKNOWN_CONNECTION
                      ? refuse(method)
                      : Future.failedFuture(failure));
    }

    private Future<JsonObject> refuse(String method) {
      return Future.failedFuture(
          McpFailure.notSent(
              FailureCode.METHOD_NOT_FOUND, "no input handler is set for '" + method + "'"));
    }
  }
}
