package dev.mcpbus.internals;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Buffers over arrays, and the array under a buffer, without a copy: Vert.x's own methods copy the
 * bytes of each message once more in each direction. No thread may write to a shared array. Any
 * thread may call.
 */
public final class RawBuffers {

  private RawBuffers() {}

  /** A buffer over {@code array}. */
  public static Buffer of(byte[] array) {
    return BufferInternal.buffer(Unpooled.wrappedBuffer(array));
  }

  public static Buffer of(byte[] array, int offset, int length) {
    return BufferInternal.buffer(Unpooled.wrappedBuffer(array, offset, length));
  }

  /** A buffer over three pieces, one after the other. */
  public static Buffer of(byte[] head, byte[] array, int offset, int length, byte[] end) {
    return BufferInternal.buffer(
        Unpooled.wrappedBuffer(
            Unpooled.wrappedBuffer(head),
            Unpooled.wrappedBuffer(array, offset, length),
            Unpooled.wrappedBuffer(end)));
  }

  /**
   * The array that holds the bytes of {@code buffer}, from {@link #offset} on; a copy where there
   * is no such array.
   */
  public static byte[] array(Buffer buffer) {
    ByteBuf bytes = bytes(buffer);
    return bytes.hasArray() ? bytes.array() : buffer.getBytes();
  }

  /** Where the bytes of {@code buffer} begin in its {@link #array}. */
  public static int offset(Buffer buffer) {
    ByteBuf bytes = bytes(buffer);
    return bytes.hasArray() ? bytes.arrayOffset() + bytes.readerIndex() : 0;
  }

  /** Whether the buffer is one piece of memory. */
  public static boolean isWhole(Buffer buffer) {
    return bytes(buffer).nioBufferCount() == 1;
  }

  /** The buffer's pieces of memory, in order. */
  public static List<Buffer> pieces(Buffer buffer) {
    List<Buffer> pieces = new ArrayList<>();
    for (ByteBuffer piece : bytes(buffer).nioBuffers()) {
      pieces.add(BufferInternal.buffer(Unpooled.wrappedBuffer(piece)));
    }
    return pieces;
  }

  private static ByteBuf bytes(Buffer buffer) {
    return ((BufferInternal) buffer).getByteBuf();
  }
}
