package dev.mcpbus.transport.stdio;

import dev.mcpbus.transport.OutputListener;
import dev.mcpbus.transport.OutputListener.OutputStreamName;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Splits the stderr of one child into lines for an {@link OutputListener}. Of one chunk the last
 * lines alone are copied, and the others counted, because a child that floods must cost the shared
 * reading thread little. Guarded by its {@link StderrTail}.
 */
final class StderrLines {

  /** No listener keeps more lines than this. */
  static final int MAX_AT_ONCE = 500;

  private static final int FIRST_BYTES = 128;

  private final OutputListener listener;
  private byte[] partial = new byte[0];
  private int length;
  private boolean isCut;

  StderrLines(OutputListener listener) {
    this.listener = listener;
  }

  /** Takes the bytes from the position of {@code bytes} to its limit, and moves neither. */
  void feed(ByteBuffer bytes) {
    int from = skip(bytes);
    for (int i = from; i < bytes.limit(); i++) {
      if (bytes.get(i) == '\n') {
        hold(bytes, from, i);
        endLine();
        from = i + 1;
      }
    }
    hold(bytes, from, bytes.limit());
  }

  /** The position of the first line to copy. */
  private int skip(ByteBuffer bytes) {
    int breaks = 0;
    int from = bytes.limit();
    while (from > bytes.position() && breaks <= MAX_AT_ONCE) {
      from--;
      breaks += bytes.get(from) == '\n' ? 1 : 0;
    }
    if (breaks <= MAX_AT_ONCE) {
      return bytes.position();
    }
    long skipped = 1;
    for (int i = bytes.position(); i < from; i++) {
      skipped += bytes.get(i) == '\n' ? 1 : 0;
    }
    listener.skipped(skipped);
    clear();
    return from + 1;
  }

  private void hold(ByteBuffer bytes, int from, int to) {
    int count = Math.min(to - from, OutputListener.MAX_LINE_BYTES - length);
    isCut |= count < to - from;
    if (count == 0) {
      return;
    }
    if (length + count > partial.length) {
      partial = Arrays.copyOf(partial, Math.max(length + count, FIRST_BYTES));
    }
    bytes.get(from, partial, length, count);
    length += count;
  }

  /** Ends the line that has no line break yet, if there is one. */
  void endLine() {
    int end = length > 0 && !isCut && partial[length - 1] == '\r' ? length - 1 : length;
    if (end > 0) {
      listener.line(OutputStreamName.STDERR, Arrays.copyOf(partial, end), isCut);
    }
    clear();
  }

  private void clear() {
    length = 0;
    isCut = false;
  }
}
