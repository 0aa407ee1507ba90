package dev.mcpbus.gateway;

import dev.mcpbus.bus.Addresses;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What a session says on one stream: the response to one request, or the standing stream. Keeps the
 * last events, so that a client that was cut off can go on. Confined to the session's host.
 */
final class ResumableStream {

  private static final int MAX_EVENTS = 256;
  private static final int MAX_BYTES = 4 * 1024 * 1024;

  private record Event(long number, Buffer json) {}

  private final EventBus bus;
  private final String id;
  private final Deque<Event> events = new ArrayDeque<>();
  private long bytes;
  private long last;
  private long handed;
  private @Nullable String door;
  private @Nullable String exchange;
  private boolean kept;
  private boolean ended;

  /**
   * @param id part of the ids of its events
   */
  ResumableStream(EventBus bus, String id) {
    this.bus = bus;
    this.id = id;
  }

  String id() {
    return id;
  }

  /** Who reads now. */
  void attach(String address, String response) {
    door = address;
    exchange = response;
  }

  boolean isReadBy(String response) {
    return response.equals(exchange);
  }

  boolean isReadOn(String node) {
    return door != null
        && door.startsWith(Addresses.GATEWAY_RESPONSES)
        && SessionHostNames.isOn(node, door.substring(Addresses.GATEWAY_RESPONSES.length()));
  }

  boolean isRead() {
    return exchange != null;
  }

  void detach() {
    door = null;
    exchange = null;
  }

  /** The client knows ids of this stream. */
  void keep() {
    kept = true;
  }

  boolean isKept() {
    return kept;
  }

  boolean isEnded() {
    return ended;
  }

  void send(byte[] json) {
    send(Buffer.buffer(json));
  }

  private void send(Buffer json) {
    kept = true;
    Event event = add(json);
    if (isRead()) {
      hand(event);
    }
  }

  /** The last message of a response, for whoever reads now or comes back for it. */
  void finish(Buffer json) {
    send(json);
    end();
  }

  /**
   * The last message, which is handed over as a reply.
   *
   * @return its id, null where the client has never heard of ids
   */
  @Nullable String finishBy(Buffer json) {
    ended = true;
    if (!kept) {
      return null;
    }
    Event event = add(json);
    handed = event.number();
    detach();
    return id + "_" + event.number();
  }

  /** No more will come; whoever reads is told. */
  void end() {
    ended = true;
    cutOff();
  }

  /** Whoever reads is told that it is over for him. */
  void cutOff() {
    if (door != null && exchange != null) {
      bus.send(
          door,
          Buffer.buffer(),
          new DeliveryOptions()
              .addHeader(SessionMessage.EXCHANGE, exchange)
              .addHeader(SessionMessage.END, "true"));
    }
    detach();
  }

  private Event add(Buffer json) {
    Event event = new Event(++last, json);
    events.add(event);
    bytes += json.length();
    while (events.size() > 1 && (events.size() > MAX_EVENTS || bytes > MAX_BYTES)) {
      bytes -= events.remove().json().length();
    }
    return event;
  }

  private void hand(Event event) {
    handed = event.number();
    if (door != null && exchange != null) {
      bus.send(
          door,
          event.json(),
          new DeliveryOptions()
              .addHeader(SessionMessage.EXCHANGE, exchange)
              .addHeader(SessionMessage.EVENT, id + "_" + event.number()));
    }
  }

  /** Sends what came after that event, and ends where nothing more will come. */
  void resume(long after) {
    for (Event event : events) {
      if (event.number() > after) {
        hand(event);
      }
    }
    if (ended) {
      end();
    }
  }

  /** Sends what nobody has read yet. */
  void resume() {
    resume(handed);
  }
}
