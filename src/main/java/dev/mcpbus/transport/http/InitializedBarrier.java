package dev.mcpbus.transport.http;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps messages behind {@code notifications/initialized}: until the server has accepted that
 * notification, no message may overtake it on another TCP connection. Later messages wait, but at
 * most 1 s, because a server may leave the notification unanswered. Owner: the channel's context.
 */
final class InitializedBarrier {

  private static final long MAX_WAIT_MILLIS = 1_000;

  private final HttpChannel channel;
  private final List<HttpExchange> held = new ArrayList<>(2);
  private @Nullable HttpExchange opening;
  private long timer = -1;

  /** Creates an open barrier. */
  InitializedBarrier(HttpChannel channel) {
    this.channel = channel;
  }

  int waiting() {
    return held.size();
  }

  /** Starts {@code exchange}, now or when the barrier opens. */
  void pass(HttpExchange exchange) {
    if (opening != null) {
      held.add(exchange);
    } else {
      channel.start(exchange);
    }
  }

  /** Starts {@code first} and closes the barrier behind it. */
  void passAlone(HttpExchange first) {
    if (opening != null) {
      held.add(first);
      return;
    }
    opening = first;
    timer = channel.after(MAX_WAIT_MILLIS, this::open);
    channel.start(first);
  }

  /** True if the barrier waits for the end of {@code exchange}; the caller opens it then. */
  boolean waitsFor(HttpExchange exchange) {
    return exchange == opening;
  }

  void open() {
    channel.cancel(timer);
    timer = -1;
    opening = null;
    List<HttpExchange> ready = List.copyOf(held);
    held.clear();
    ready.forEach(channel::start);
  }

  void stop() {
    channel.cancel(timer);
    held.clear();
  }
}
