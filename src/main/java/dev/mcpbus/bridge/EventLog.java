package dev.mcpbus.bridge;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The latest of what is published on one address of the bus, as frames of an event stream. One for
 * all HTTP verticles of a service, so that an event has one id wherever its reader comes in. The
 * first that opens it writes; any thread reads.
 */
final class EventLog {

  private static final int MAX_EVENTS = 1_024;
  private static final long MAX_BYTES = 4L * 1024 * 1024;

  private final String boot;
  private final String address;
  private final String serverMember;
  private final EventRing ring = new EventRing(MAX_EVENTS, MAX_BYTES);
  private final List<Runnable> readers = new CopyOnWriteArrayList<>();
  private @Nullable MessageConsumer<JsonObject> consumer;

  /**
   * @param boot names this life of the log, in ids: never twice the same
   * @param serverMember the member of an event that names the server
   */
  EventLog(String boot, String address, String serverMember) {
    this.boot = boot;
    this.address = address;
    this.serverMember = serverMember;
  }

  String boot() {
    return boot;
  }

  EventRing ring() {
    return ring;
  }

  /** Runs {@code added}, on any thread, when there is one more event. */
  synchronized void open(Vertx vertx, Runnable added) {
    readers.add(added);
    if (consumer == null) {
      consumer = vertx.eventBus().consumer(address, message -> publish(message.body()));
    }
  }

  private void publish(JsonObject event) {
    String text = event.encode();
    Buffer frame =
        Buffer.buffer(text.length() + 64)
            .appendString("id: " + boot + "-" + ring.next() + "\ndata: ")
            // JSON has no raw line break, so one data line holds it.
            .appendString(text)
            .appendString("\n\n");
    ring.add(
        new EventRing.Entry(
            String.valueOf(event.getValue(serverMember)),
            String.valueOf(event.getValue("type")),
            frame));
    readers.forEach(Runnable::run);
  }

  /** The verticle that opened it last ends; so do the others. */
  synchronized void close(Runnable added) {
    readers.remove(added);
    if (consumer != null && readers.isEmpty()) {
      consumer.unregister();
      consumer = null;
    }
  }
}
