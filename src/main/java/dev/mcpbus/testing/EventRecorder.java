package dev.mcpbus.testing;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The events of all servers, from its start on, for a test to look at or to wait for. {@code
 * dev.mcpbus.bus.Events} has their types. Any thread may call.
 */
@PublicApi
public final class EventRecorder {

  private record Waiter(Predicate<JsonObject> wanted, Promise<JsonObject> found) {}

  private final Vertx vertx;
  private final MessageConsumer<JsonObject> consumer;
  private final List<JsonObject> events = new ArrayList<>();
  private final List<Waiter> waiters = new ArrayList<>();

  private EventRecorder(Vertx vertx) {
    this.vertx = vertx;
    this.consumer =
        vertx.eventBus().consumer(Addresses.ALL_EVENTS, event -> received(event.body()));
  }

  /** Completes when every event from then on is recorded. */
  public static Future<EventRecorder> start(Vertx vertx) {
    EventRecorder recorder = new EventRecorder(vertx);
    return recorder.consumer.completion().map(recorder);
  }

  private void received(JsonObject event) {
    List<Waiter> served;
    synchronized (this) {
      events.add(event);
      served = waiters.stream().filter(waiter -> waiter.wanted.test(event)).toList();
      waiters.removeAll(served);
    }
    served.forEach(waiter -> waiter.found.tryComplete(event));
  }

  /** All events so far, in the order of arrival. */
  public synchronized List<JsonObject> events() {
    return List.copyOf(events);
  }

  /** The events of one type of one server, so far. */
  public List<JsonObject> events(String server, String type) {
    return events().stream().filter(event -> is(event, server, type)).toList();
  }

  private static boolean is(JsonObject event, String server, String type) {
    return server.equals(event.getString("id")) && type.equals(event.getString("type"));
  }

  /**
   * The first event of that type of that server, of the past or to come.
   *
   * @param patience how long to wait, in real time
   * @return fails with an {@link AssertionError} that shows the events so far
   */
  public Future<JsonObject> await(String server, String type, Duration patience) {
    Promise<JsonObject> found = Promise.promise();
    synchronized (this) {
      List<JsonObject> past = events(server, type);
      if (!past.isEmpty()) {
        return Future.succeededFuture(past.get(0));
      }
      waiters.add(new Waiter(event -> is(event, server, type), found));
    }
    long timer =
        vertx.setTimer(
            Math.max(1, patience.toMillis()),
            late ->
                found.tryFail(
                    problem("no event \"" + type + "\" of \"" + server + "\" within " + patience)));
    return found.future().onComplete(over -> vertx.cancelTimer(timer));
  }

  /** Throws where the server has published such an event. */
  public void assertNone(String server, String type) {
    if (!events(server, type).isEmpty()) {
      throw problem("\"" + server + "\" has published \"" + type + "\"");
    }
  }

  private AssertionError problem(String what) {
    List<String> came =
        events().stream()
            .map(event -> event.getString("id") + " " + event.getString("type"))
            .toList();
    return new AssertionError(
        what
            + "; events so far:"
            + (came.isEmpty() ? " none" : "\n  " + String.join("\n  ", came)));
  }

  /** Records nothing more. */
  public Future<Void> close() {
    return consumer.unregister();
  }
}
