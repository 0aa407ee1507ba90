package dev.mcpbus.transport.stdio;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.transport.OutboundMessage;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.LongPredicate;

/**
 * Messages that wait to be written to a child's stdin, one per line. Confined to the owner context.
 */
final class StdinQueue {

  private final ArrayDeque<OutboundMessage> queue = new ArrayDeque<>();
  private final int limit;
  private long bytes;
  private int headWritten;
  private long written;

  StdinQueue(int limit) {
    this.limit = limit;
  }

  /** False if the queue is full. An empty queue accepts a message of any length. */
  boolean offer(OutboundMessage message) {
    int length = message.bytes().length + 1;
    if (bytes > 0 && bytes + length > limit) {
      return false;
    }
    queue.add(message);
    bytes += length;
    return true;
  }

  boolean isEmpty() {
    return queue.isEmpty();
  }

  /** How many bytes have left the queue in total. */
  long written() {
    return written;
  }

  /**
   * Copies the first waiting bytes, as many as fit; they stay in the queue until {@link
   * #written(long)}.
   */
  void copyTo(ByteBuffer target) {
    int from = headWritten;
    for (OutboundMessage message : queue) {
      byte[] line = message.bytes();
      int count = Math.min(line.length - from, target.remaining());
      target.put(line, from, count);
      if (!target.hasRemaining()) {
        return;
      }
      target.put((byte) '\n');
      from = 0;
      if (!target.hasRemaining()) {
        return;
      }
    }
  }

  /** Removes the first {@code count} bytes, which the child has received. */
  void written(long count) {
    written += count;
    bytes -= count;
    long left = headWritten + count;
    OutboundMessage head = queue.peek();
    while (head != null && left > head.bytes().length) {
      left -= head.bytes().length + 1;
      queue.remove();
      head = queue.peek();
    }
    headWritten = (int) left;
  }

  /** Removes the requests of which no byte is written and whose ids match. */
  void removeIf(LongPredicate which) {
    boolean untouched = headWritten == 0;
    for (Iterator<OutboundMessage> all = queue.iterator(); all.hasNext(); ) {
      OutboundMessage message = all.next();
      if (untouched && message.kind() == Envelope.Kind.REQUEST && which.test(message.id())) {
        all.remove();
        bytes -= message.bytes().length + 1;
      }
      untouched = true;
    }
  }

  /** Empties the queue. Returns the requests of which no byte was written. */
  List<Long> drop() {
    List<Long> unsent = new ArrayList<>();
    boolean touched = headWritten > 0;
    for (OutboundMessage message : queue) {
      if (!touched && message.kind() == Envelope.Kind.REQUEST) {
        unsent.add(message.id());
      }
      touched = false;
    }
    queue.clear();
    bytes = 0;
    headWritten = 0;
    return unsent;
  }
}
