package dev.mcpbus.bridge;

import dev.mcpbus.bus.Events;
import dev.mcpbus.policy.PolicyFilter;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The latest messages of one address of the bus, as frames of an event stream. All HTTP verticles
 * of a node share it, so that an event has the same id for each. The verticle that opens it first
 * writes on its context; any thread reads.
 */
final class EventLog {

  /** How much the clocks of nodes, and the arrival of one event at two nodes, may differ. */
  private static final long OVERLAP_MILLIS = 2_000;

  private static final int MAX_EVENTS = 1_024;
  private static final long MAX_BYTES = 4L * 1024 * 1024;

  private final String boot;
  private final String address;
  private final String serverMember;
  private volatile boolean clustered;
  private volatile long openedAt;
  private final EventRing ring = new EventRing(MAX_EVENTS, MAX_BYTES);
  private final List<Runnable> readers = new CopyOnWriteArrayList<>();
  private @Nullable MessageConsumer<JsonObject> consumer;

  /**
   * @param boot names this instance of the log in the ids; unique
   * @param serverMember the member of an event that names the server
   */
  EventLog(String boot, String address, String serverMember) {
    this.boot = boot;
    this.address = address;
    this.serverMember = serverMember;
  }

  EventRing ring() {
    return ring;
  }

  /** Opens the log; {@code added} runs on any thread after each new event. */
  synchronized void open(Vertx vertx, Runnable added) {
    readers.add(added);
    if (consumer == null) {
      clustered = vertx.isClustered();
      openedAt = System.currentTimeMillis();
      TaskIdSealing tasks = new TaskIdSealing(vertx);
      consumer = vertx.eventBus().consumer(address, message -> publish(tasks, message.body()));
    }
  }

  /**
   * The id of an event of this log. In a cluster it contains the time of arrival: other nodes
   * number the events differently, and continue by the time.
   */
  private String id(long number, long millis) {
    String id = boot + "-" + number;
    return clustered ? id + "@" + millis : id;
  }

  /** The id for a reader that has got all events before {@code number}. */
  String before(long number) {
    EventRing.StoredEvent next = ring.at(number);
    return id(number - 1, next == null ? System.currentTimeMillis() : next.at());
  }

  /** Where a reader continues. */
  record LogPosition(long number, boolean complete) {}

  /** The place after {@code id}; not complete if events since then may no longer be kept. */
  LogPosition after(String id) {
    int at = id.indexOf('@');
    String own = at < 0 ? id : id.substring(0, at);
    int cut = own.lastIndexOf('-');
    if (cut >= 0 && own.substring(0, cut).equals(boot)) {
      long number = number(own.substring(cut + 1), -2);
      if (number >= -1 && number < ring.next()) {
        return new LogPosition(number + 1, true);
      }
    } else if (clustered && at >= 0) {
      long since = number(id.substring(at + 1), 0) - OVERLAP_MILLIS;
      long number = ring.since(since);
      boolean forgotten = number == ring.first() && (number > 0 || since < openedAt);
      return new LogPosition(number, !forgotten);
    }
    return new LogPosition(ring.first(), false);
  }

  private static long number(String text, long otherwise) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      return otherwise;
    }
  }

  private void publish(TaskIdSealing tasks, JsonObject fact) {
    JsonObject event = Events.TASK.equals(fact.getValue("type")) ? tasks.sealed(fact) : fact;
    long now = System.currentTimeMillis();
    Buffer frame = frame(event, now);
    JsonObject bare = PolicyFilter.withoutTools(event);
    ring.add(
        new EventRing.StoredEvent(
            String.valueOf(event.getValue(serverMember)),
            String.valueOf(event.getValue("type")),
            event.getValue("principal") instanceof String owner ? owner : null,
            resource(event),
            now,
            frame,
            event.equals(bare) ? frame : bare == null ? null : frame(bare, now)));
    readers.forEach(Runnable::run);
  }

  private Buffer frame(JsonObject event, long now) {
    String text = event.encode();
    return Buffer.buffer(text.length() + 64)
        .appendString("id: " + id(ring.next(), now) + "\ndata: ")
        // JSON has no raw line break, so one data line holds it.
        .appendString(text)
        .appendString("\n\n");
  }

  /** The URI of the resource that was updated; null for other events. */
  static @Nullable String resource(JsonObject event) {
    return Events.RESOURCE_UPDATED.equals(event.getValue("type"))
            && event.getValue("params") instanceof JsonObject params
        ? String.valueOf(params.getValue("uri"))
        : null;
  }

  /** Removes a verticle that stops; the last one ends the log. */
  synchronized void close(Runnable added) {
    readers.remove(added);
    if (consumer != null && readers.isEmpty()) {
      consumer.unregister();
      consumer = null;
    }
  }
}
