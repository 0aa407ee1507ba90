package dev.mcpbus.transport.http;

import dev.mcpbus.internals.RawBuffers;
import io.vertx.core.buffer.Buffer;
import java.util.Arrays;

/**
 * The bytes of a response body up to a bound. A body in one piece is not copied. Confined to the
 * owner context of its exchange.
 */
final class BoundedBody {

  private static final byte[] NONE = {};

  private final int maxBytes;
  private byte[] bytes = NONE;
  private int offset;
  private int length;

  BoundedBody(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  /**
   * Adds the next piece.
   *
   * @return false if the body exceeds the bound; the piece is not kept then
   */
  boolean add(Buffer piece) {
    int more = piece.length();
    if (more > maxBytes - length) {
      return false;
    }
    if (length == 0) {
      bytes = RawBuffers.array(piece);
      offset = RawBuffers.offset(piece);
      length = more;
      return true;
    }
    if (offset > 0 || length + more > bytes.length) {
      long size = Math.min(maxBytes, Math.max(2L * length, (long) length + more));
      bytes = Arrays.copyOfRange(bytes, offset, offset + (int) size);
      offset = 0;
    }
    piece.getBytes(bytes, length);
    length += more;
    return true;
  }

  byte[] bytes() {
    return bytes;
  }

  int offset() {
    return offset;
  }

  int length() {
    return length;
  }
}
