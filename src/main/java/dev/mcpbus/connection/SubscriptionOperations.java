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

/** {@code resources.subscribe} and {@code resources.unsubscribe} of a session that is ready. */
final class SubscriptionOperations {

  private SubscriptionOperations() {}

  /** The wish outlives the session; the modern era has one stream for all of them. */
  static void subscribe(ReadySession ready, BusCall call, String uri) {
    long now = ready.session().clock().millis();
    ResourceSubscribers watchers = ready.preferences().watchers();
    sweep(ready, now);
    ResourceSubscribers.Holder holder = holder(call);
    watchers.add(holder, uri, now);
    told(ready, call)
        .onComplete(
            call::complete,
            failure -> {
              McpFailure known = McpFailure.of(failure);
              if (known.code() == FailureCode.UPSTREAM_ERROR) {
                watchers.remove(holder, uri); // the server has no such resource
              }
              call.fail(known);
            });
  }

  /** Ends the caller's own subscription; the server hears of it when nobody has one any more. */
  static void unsubscribe(ReadySession ready, BusCall call, String uri) {
    sweep(ready, ready.session().clock().millis());
    if (ready.preferences().watchers().remove(holder(call), uri)) {
      told(ready, call).onComplete(call::complete, failure -> call.fail(McpFailure.of(failure)));
    } else {
      call.complete(RawJson.EMPTY_OBJECT);
    }
  }

  private static ResourceSubscribers.Holder holder(BusCall call) {
    Requester who = call.requester();
    String name = call.header(Headers.HOLDER);
    return new ResourceSubscribers.Holder(
        who == null ? null : who.name(), name == null ? "" : name);
  }

  private static Future<RawJson> told(ReadySession ready, BusCall call) {
    if (ready.isModern()) {
      ready.subscriptions().refresh();
      return Future.succeededFuture(RawJson.EMPTY_OBJECT);
    }
    InternalRequest request = new InternalRequest(call.method(), call.deadline(), call.callId());
    ready.session().send(request, call.params());
    return request.future();
  }

  /** Subscriptions that nobody has asked for again end at the server, too. */
  static void sweep(ReadySession ready, long now) {
    for (String uri : ready.preferences().watchers().sweep(now)) {
      if (ready.isModern()) {
        ready.subscriptions().refresh();
      } else {
        ready
            .session()
            .request(
                Methods.RESOURCES_UNSUBSCRIBE,
                RawJson.EMPTY_OBJECT.with("uri", RawJson.string(uri)),
                ready.session().options().requestTimeout())
            .onFailure(refused -> {}); // the server goes on telling what nobody hears
      }
    }
  }
}
