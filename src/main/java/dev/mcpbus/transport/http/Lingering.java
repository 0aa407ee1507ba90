package dev.mcpbus.transport.http;

import java.util.HashSet;
import java.util.Set;

/**
 * Streams that have given their reply. Each may end by itself for a while, so that its connection
 * is used again; then it is cut. One timer for all. Owner: the channel's context.
 */
final class Lingering {

  private static final long LINGER_MILLIS = 2_000;

  private final HttpChannel channel;
  private final Set<EventReader> readers = new HashSet<>(4);
  private long timer = -1;

  Lingering(HttpChannel channel) {
    this.channel = channel;
  }

  void add(EventReader reader) {
    readers.add(reader);
    if (timer < 0) {
      sweepAfter(Set.copyOf(readers));
    }
  }

  void remove(EventReader reader) {
    readers.remove(reader);
  }

  void stop() {
    channel.cancel(timer);
    readers.forEach(EventReader::stop);
    readers.clear();
  }

  private void sweepAfter(Set<EventReader> old) {
    timer =
        channel.after(
            LINGER_MILLIS,
            () -> {
              timer = -1;
              for (EventReader reader : old) {
                if (readers.remove(reader)) {
                  reader.stop();
                }
              }
              if (!readers.isEmpty()) {
                sweepAfter(Set.copyOf(readers));
              }
            });
  }
}
