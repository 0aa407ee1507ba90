package dev.mcpbus.client;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.internals.InternalContext;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Connects a server and waits for the result of the first attempt. Any thread may call. */
final class ConnectAttempt {

  private final Vertx vertx;
  private final Set<Promise<Void>> open = ConcurrentHashMap.newKeySet();

  ConnectAttempt(Vertx vertx) {
    this.vertx = vertx;
  }

  /**
   * Connects the server.
   *
   * @param options how long to wait at most, and what cancels the waiting
   * @return completes when it is connected; fails with the failure of the first attempt
   */
  Future<Void> connect(McpServerClient server, CallOptions options) {
    Promise<Void> outcome = InternalContext.promise(vertx);
    open.add(outcome);
    CancellationToken token = options.cancel;
    Runnable cancel = () -> outcome.tryFail(cancelled());
    if (token != null) {
      token.add(cancel);
    }
    Duration timeout = options.timeout;
    long timer =
        timeout == null
            ? -1
            : vertx.setTimer(
                timeout.toMillis(), late -> outcome.tryFail(late(server.id(), timeout)));
    MessageConsumer<JsonObject> events =
        vertx
            .eventBus()
            .consumer(
                Addresses.of(server.id(), Addresses.EVENTS),
                (Message<JsonObject> event) -> received(server.id(), event.body(), outcome));
    // The subscription comes first, so that no event between the two is lost.
    events
        .completion()
        .compose(ready -> server.connect())
        .compose(state -> server.status())
        .onSuccess(status -> read(status, outcome))
        .onFailure(outcome::tryFail);
    return outcome
        .future()
        .onComplete(
            over -> {
              open.remove(outcome);
              vertx.cancelTimer(timer);
              if (token != null) {
                token.remove(cancel);
              }
              events.unregister();
            });
  }

  static McpFailure cancelled() {
    return McpFailure.notSent(FailureCode.CANCELLED, "the caller cancelled the connecting");
  }

  private static McpFailure late(ConnectionId id, Duration timeout) {
    return McpFailure.notSent(
        FailureCode.CALL_TIMEOUT,
        "server '" + id + "' was not connected within " + timeout.toMillis() + " ms");
  }

  private static void read(ServerStatus status, Promise<Void> outcome) {
    JsonObject error = status.json().getJsonObject("lastError");
    if (status.state().serves()) {
      outcome.tryComplete();
    } else if (error != null) {
      outcome.tryFail(failure(error));
    }
  }

  private static void received(ConnectionId id, JsonObject event, Promise<Void> outcome) {
    switch (event.getString("type", "")) {
      case Events.CONNECTED -> outcome.tryComplete();
      case Events.DISCONNECTED -> outcome.tryFail(failure(event));
      case Events.GAVE_UP -> {
        // The attempt may have failed before this class was subscribed.
        JsonObject error = event.getJsonObject("lastError");
        outcome.tryFail(
            error != null
                ? failure(error)
                : McpFailure.notSent(
                    FailureCode.UNAVAILABLE,
                    event.getString("message", "the supervisor has stopped the restarts")));
      }
      case Events.SERVER_REMOVED ->
          outcome.tryFail(
              McpFailure.notSent(
                  FailureCode.UNKNOWN_CONNECTION,
                  "server '" + id + "' was removed while it was connecting"));
      default -> {}
    }
  }

  private static McpFailure failure(JsonObject reported) {
    return McpFailure.fromJson(
        new JsonObject()
            .put("code", reported.getString("code", ""))
            .put("message", reported.getString("message", ""))
            .put("sent", "no"));
  }

  void close() {
    open.forEach(
        outcome ->
            outcome.tryFail(McpFailure.notSent(FailureCode.CANCELLED, "this McpClient is closed")));
  }
}
