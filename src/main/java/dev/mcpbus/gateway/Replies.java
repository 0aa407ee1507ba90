package dev.mcpbus.gateway;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** Responses that are open. Confined to the context of the HTTP verticle. */
final class Replies {

  private final int maxStreams;
  private final AtomicInteger streams;
  private final Set<Reply> open = new HashSet<>();

  /**
   * @param streams how many there are, at all HTTP verticles together
   */
  Replies(int maxStreams, AtomicInteger streams) {
    this.maxStreams = maxStreams;
    this.streams = streams;
  }

  void add(Reply reply) {
    open.add(reply);
  }

  /** Idempotent. */
  void remove(Reply reply) {
    if (open.remove(reply) && reply.isStanding()) {
      streams.decrementAndGet();
    }
  }

  /** Counts a stream that stays open; false where there are too many. */
  boolean addStream(Reply reply) {
    if (streams.incrementAndGet() > maxStreams) {
      streams.decrementAndGet();
      return false;
    }
    open.add(reply.standing());
    return true;
  }

  /** Ends the streams of clients whose credentials have ended. */
  void check() {
    Set.copyOf(open).forEach(Reply::check);
  }

  /** Shows clients that their responses live. */
  void beat() {
    Set.copyOf(open).forEach(Reply::beat);
  }

  /** Ends streams; who waits for an answer gets it while the server drains. */
  void close() {
    Set.copyOf(open).stream().filter(Reply::isStanding).forEach(Reply::end);
  }
}
