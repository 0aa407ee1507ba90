package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.gateway.request.HostMessage.DoorEvent;
import dev.mcpbus.gateway.request.SessionHostNames;
import dev.mcpbus.internals.ByteBudget;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.EventBus;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The events of one stream of a session: the response to one request, or the standalone stream.
 * Keeps the last events, so that a client whose connection broke can continue (MCP 2025-11-25,
 * Resumability and Redelivery). Confined to the session's host.
 */
final class ResumableStream {

  private static final int MAX_EVENTS = 256;
  private static final int MAX_BYTES = 4 * 1024 * 1024;

  private record Event(long number, Buffer json) {}

  private final EventBus bus;
  private final String id;
  private final ByteBudget.ByteAccount account;
  private final Deque<Event> events = new ArrayDeque<>();
  private long bytes;
  private long last;
  private long handed;
  private @Nullable String address;
  private @Nullable String exchange;
  private boolean kept;
  private boolean ended;

  /**
   * @param id part of the ids of its events
   * @param kept pays for the events; those that it cannot pay are not kept
   */
  ResumableStream(EventBus bus, String id, ByteBudget.ByteAccount kept) {
    this.bus = bus;
    this.id = id;
    this.account = kept;
  }

  String id() {
    return id;
  }

  /**
   * A response of the client reads the stream now.
   *
   * @param address of its HTTP verticle
   * @param response the HTTP verticle's name of it
   */
  void attach(String address, String response) {
    this.address = address;
    exchange = response;
  }

  boolean isReadBy(String response) {
    return response.equals(exchange);
  }

  boolean isReadOn(String node) {
    return address != null
        && address.startsWith(Addresses.GATEWAY_RESPONSES)
        && SessionHostNames.isOn(node, address.substring(Addresses.GATEWAY_RESPONSES.length()));
  }

  boolean isRead() {
    return exchange != null;
  }

  void detach() {
    address = null;
    exchange = null;
  }

  /** The client knows event ids of this stream. */
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

  /** Sends the last message of a response, or keeps it for a client that comes back. */
  void finish(Buffer json) {
    send(json);
    end();
  }

  /**
   * Notes the last message, which the caller sends as a reply.
   *
   * @return its event id; null if the client knows no ids of this stream
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

  /** Ends the stream and the response that reads it. */
  void end() {
    ended = true;
    cutOff();
  }

  /** Ends the response that reads the stream. */
  void cutOff() {
    if (address != null && exchange != null) {
      bus.send(address, Buffer.buffer(), new DoorEvent(exchange, null, true).options());
    }
    detach();
  }

  private Event add(Buffer json) {
    Event event = new Event(++last, json);
    int length = json.length();
    boolean paid = account.take(length);
    while (!events.isEmpty()
        && (!paid || events.size() >= MAX_EVENTS || bytes + length > MAX_BYTES)) {
      int oldest = events.remove().json().length();
      bytes -= oldest;
      account.give(oldest);
      paid = paid || account.take(length);
    }
    if (paid) {
      events.add(event);
      bytes += length;
    }
    return event;
  }

  /** Keeps no event any more. */
  void forget() {
    events.clear();
    account.close();
  }

  private void hand(Event event) {
    handed = event.number();
    if (address != null && exchange != null) {
      bus.send(
          address,
          event.json(),
          new DoorEvent(exchange, id + "_" + event.number(), false).options());
    }
  }

  /** Sends the events after that one, and ends the response if the stream has ended. */
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

  /** Sends the events that no response has received. */
  void resume() {
    resume(handed);
  }
}
