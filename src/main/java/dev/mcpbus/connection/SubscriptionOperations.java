package dev.mcpbus.connection;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.connection.session.BusCall;
import dev.mcpbus.connection.session.InternalRequest;
import dev.mcpbus.connection.session.ResourceSubscribers;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;

/**
 * The operations of {@code resources.subscribe} and {@code resources.unsubscribe}. Many callers
 * share one subscription of the connection at its server. Owner: the connection's context.
 */
final class SubscriptionOperations {

  private SubscriptionOperations() {}

  /**
   * Notes the caller's subscription, which outlives the session, and subscribes at the server. In
   * the {@code discover} era one stream carries all subscriptions.
   */
  static void subscribe(ReadySession ready, BusCall call, String uri) {
    long now = ready.session().clock().millis();
    ResourceSubscribers subscribers = ready.preferences().subscribers();
    sweep(ready, now);
    ResourceSubscribers.Subscriber holder = holder(call);
    subscribers.add(holder, uri, now);
    updateServer(ready, call)
        .onComplete(
            call::complete,
            failure -> {
              McpFailure known = McpFailure.of(failure);
              if (known.code() == FailureCode.UPSTREAM_ERROR) {
                subscribers.remove(holder, uri); // the server has no such resource
              }
              call.fail(known);
            });
  }

  /** Ends the caller's own subscription; unsubscribes at the server when it was the last one. */
  static void unsubscribe(ReadySession ready, BusCall call, String uri) {
    sweep(ready, ready.session().clock().millis());
    if (ready.preferences().subscribers().remove(holder(call), uri)) {
      updateServer(ready, call)
          .onComplete(call::complete, failure -> call.fail(McpFailure.of(failure)));
    } else {
      call.complete(RawJson.EMPTY_OBJECT);
    }
  }

  private static ResourceSubscribers.Subscriber holder(BusCall call) {
    Requester requester = call.requester();
    String name = call.header(Headers.HOLDER);
    return new ResourceSubscribers.Subscriber(
        requester == null ? null : requester.name(), name == null ? "" : name);
  }

  private static Future<RawJson> updateServer(ReadySession ready, BusCall call) {
    if (ready.isDiscoverEra()) {
      ready.subscriptions().refresh();
      return Future.succeededFuture(RawJson.EMPTY_OBJECT);
    }
    InternalRequest request = InternalRequest.of(call.method(), call);
    ready.session().send(request, call.params());
    return request.future();
  }

  /** Ends the subscriptions that no caller has renewed in time, also at the server. */
  static void sweep(ReadySession ready, long now) {
    for (String uri : ready.preferences().subscribers().sweep(now)) {
      if (ready.isDiscoverEra()) {
        ready.subscriptions().refresh();
      } else {
        ready
            .session()
            .request(
                Methods.RESOURCES_UNSUBSCRIBE,
                RawJson.EMPTY_OBJECT.with("uri", RawJson.string(uri)),
                ready.session().options().requestTimeout())
            .onFailure(refused -> {}); // further updates of the server reach no subscriber
      }
    }
  }
}
