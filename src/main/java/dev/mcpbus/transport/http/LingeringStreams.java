package dev.mcpbus.transport.http;

import java.util.HashSet;
import java.util.Set;

/**
 * Streams that have delivered their reply. Each may end by itself within 2 to 4 s, so that its
 * connection can be used again; then the channel cuts it. One timer serves all streams. Owner: the
 * channel's context.
 */
final class LingeringStreams {

  private static final long LINGER_MILLIS = 2_000;

  private final HttpChannel channel;
  private final Set<EventStreamReader> readers = new HashSet<>(4);
  private long timer = -1;

  LingeringStreams(HttpChannel channel) {
    this.channel = channel;
  }

  void add(EventStreamReader reader) {
    readers.add(reader);
    if (timer < 0) {
      sweepAfter(Set.copyOf(readers));
    }
  }

  void remove(EventStreamReader reader) {
    readers.remove(reader);
  }

  void stop() {
    channel.cancel(timer);
    readers.forEach(EventStreamReader::stop);
    readers.clear();
  }

  private void sweepAfter(Set<EventStreamReader> old) {
    timer =
        channel.after(
            LINGER_MILLIS,
            () -> {
              timer = -1;
              for (EventStreamReader reader : old) {
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
