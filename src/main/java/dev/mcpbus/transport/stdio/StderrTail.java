package dev.mcpbus.transport.stdio;

import dev.mcpbus.protocol.Redactor;
import dev.mcpbus.transport.OutputListener;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The first and the last bytes that a child has written to stderr, with secrets masked when shown:
 * a program may say why it fails, and then print much. {@link
 * dev.mcpbus.transport.RedactedTransport} masks all texts of all transports, and would not
 * recognize what this class makes of a secret: the ring may begin within one, a line of several is
 * shown alone, and control characters are replaced. So this class masks before it cuts and
 * replaces. The reading thread writes it and any thread reads it; it is the only state of a channel
 * that two threads share, so it is locked.
 */
final class StderrTail {

  /** Bytes of the beginning that are kept. */
  private static final int HEAD = 4 * 1024;

  private final byte[] ring;
  private byte[] head = {};
  private final Redactor redactor;
  private final StderrLines lines;
  private long total;

  /**
   * Creates an empty tail.
   *
   * @param redactor of the values that are never shown
   * @param listener gets each line, not masked
   */
  StderrTail(int capacity, Redactor redactor, OutputListener listener) {
    this.ring = new byte[Math.max(1, capacity)];
    this.redactor = redactor;
    this.lines = new StderrLines(listener);
  }

  /** Appends the remaining bytes of {@code bytes}. */
  synchronized void append(ByteBuffer bytes) {
    lines.feed(bytes);
    if (head.length < HEAD) {
      int kept = Math.min(HEAD - head.length, bytes.remaining());
      byte[] longer = Arrays.copyOf(head, head.length + kept);
      bytes.get(bytes.position(), longer, head.length, kept);
      head = longer;
    }
    int skipped = Math.max(0, bytes.remaining() - ring.length);
    bytes.position(bytes.position() + skipped);
    total += skipped;
    while (bytes.hasRemaining()) {
      int at = (int) (total % ring.length);
      int count = Math.min(ring.length - at, bytes.remaining());
      bytes.get(ring, at, count);
      total += count;
    }
  }

  /** Passes on the line that the child has begun and not ended. */
  synchronized void endLine() {
    lines.endLine();
  }

  /** The first lines and the last ones; what was written between them is missing. */
  String ends() {
    return mask(beginning()) + text();
  }

  /** The lines of the beginning that the ring has lost; empty if it has lost nothing. */
  private synchronized String beginning() {
    if (total <= ring.length) {
      return "";
    }
    int to = head.length;
    while (to > 0 && head[to - 1] != '\n') {
      to--;
    }
    return new String(head, 0, to, StandardCharsets.UTF_8);
  }

  /** The kept text, without its first line if the beginning of that line is lost. */
  String text() {
    return mask(raw());
  }

  /**
   * Returns {@code text} with every secret masked and each control character except the line break
   * replaced.
   */
  String mask(String text) {
    // Without what is not shown: where it stands within a secret, that would not be found.
    String masked = redactor.redact(text.replace("\r", ""));
    StringBuilder shown = new StringBuilder(masked.length());
    masked
        .codePoints()
        .forEach(
            c -> {
              shown.appendCodePoint(c != '\n' && c != '\t' && Character.isISOControl(c) ? '?' : c);
            });
    return shown.toString();
  }

  private synchronized String raw() {
    int length = (int) Math.min(total, ring.length);
    byte[] kept = new byte[length];
    for (int i = 0; i < length; i++) {
      kept[i] = ring[(int) ((total - length + i) % ring.length)];
    }
    if (total <= ring.length) {
      return new String(kept, StandardCharsets.UTF_8);
    }
    int line = 0;
    while (line < length && kept[line] != '\n') {
      line++;
    }
    // Without a line break the ring may begin within a secret, which masking would not recognize.
    int from = line < length ? line + 1 : Math.min(length, redactor.longest());
    return new String(kept, from, length - from, StandardCharsets.UTF_8);
  }
}
