package dev.mcpbus.connection;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;

/** {@code resources.subscribe} and {@code resources.unsubscribe} of a session that is ready. */
final class SubscriptionOperations {

  private SubscriptionOperations() {}

  /** The wish outlives the session; the modern era has one stream for all of them. */
  static void subscribe(ReadySession live, BusCall call, String uri) {
    long now = live.session().clock().millis();
    ResourceSubscribers watchers = live.wishes().watchers();
    sweep(live, now);
    ResourceSubscribers.Holder holder = holder(call);
    watchers.add(holder, uri, now);
    told(live, call)
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
  static void unsubscribe(ReadySession live, BusCall call, String uri) {
    sweep(live, live.session().clock().millis());
    if (live.wishes().watchers().remove(holder(call), uri)) {
      told(live, call).onComplete(call::complete, failure -> call.fail(McpFailure.of(failure)));
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

  private static Future<RawJson> told(ReadySession live, BusCall call) {
    if (live.isModern()) {
      live.subscriptions().refresh();
      return Future.succeededFuture(RawJson.EMPTY_OBJECT);
    }
    InternalRequest request = new InternalRequest(call.method(), call.deadline(), call.callId());
    live.session().send(request, call.params());
    return request.future();
  }

  /** Subscriptions that nobody has asked for again end at the server, too. */
  static void sweep(ReadySession live, long now) {
    for (String uri : live.wishes().watchers().sweep(now)) {
      if (live.isModern()) {
        live.subscriptions().refresh();
      } else {
        live.session()
            .request(
                Methods.RESOURCES_UNSUBSCRIBE,
                RawJson.EMPTY_OBJECT.with("uri", RawJson.string(uri)),
                live.session().options().requestTimeout())
            .onFailure(refused -> {}); // the server goes on telling what nobody hears
      }
    }
  }
}
