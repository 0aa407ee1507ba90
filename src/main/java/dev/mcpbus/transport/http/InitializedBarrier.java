package dev.mcpbus.transport.http;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Before the server has taken {@code notifications/initialized}, no message may overtake it on
 * another TCP connection: what follows waits, but not for ever for a server that leaves it
 * unanswered. Owner: the channel's context.
 */
final class InitializedBarrier {

  private static final long SHUT_MILLIS = 1_000;

  private final HttpChannel channel;
  private final Consumer<PostExchange> start;
  private final List<PostExchange> held = new ArrayList<>(2);
  private @Nullable PostExchange opening;
  private long timer = -1;

  /**
   * @param start lets an exchange go
   */
  InitializedBarrier(HttpChannel channel, Consumer<PostExchange> start) {
    this.channel = channel;
    this.start = start;
  }

  int waiting() {
    return held.size();
  }

  /** Starts {@code exchange}, now or when the gate opens. */
  void pass(PostExchange exchange) {
    if (opening != null) {
      held.add(exchange);
    } else {
      start.accept(exchange);
    }
  }

  /** Starts {@code first} and shuts the gate behind it. */
  void passAlone(PostExchange first) {
    if (opening != null) {
      held.add(first);
      return;
    }
    opening = first;
    timer = channel.after(SHUT_MILLIS, this::open);
    start.accept(first);
  }

  /** True where the gate waits for the end of {@code exchange}; it is to be opened then. */
  boolean waitsFor(PostExchange exchange) {
    return exchange == opening;
  }

  void open() {
    channel.cancel(timer);
    timer = -1;
    opening = null;
    List<PostExchange> ready = List.copyOf(held);
    held.clear();
    ready.forEach(start);
  }

  void stop() {
    channel.cancel(timer);
    held.clear();
  }
}
