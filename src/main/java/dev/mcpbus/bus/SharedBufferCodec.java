package dev.mcpbus.bus;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.MessageCodec;

/**
 * Carries a buffer that the sender does not change after sending and the receiver only reads: by
 * reference on one node, where Vert.x's own codec copies it. Between nodes the bytes follow their
 * length.
 */
final class SharedBufferCodec implements MessageCodec<Buffer, Buffer> {

  @Override
  public void encodeToWire(Buffer out, Buffer message) {
    out.appendInt(message.length()).appendBuffer(message);
  }

  @Override
  public Buffer decodeFromWire(int position, Buffer in) {
    int from = position + Integer.BYTES;
    return in.getBuffer(from, from + in.getInt(position));
  }

  @Override
  public Buffer transform(Buffer message) {
    return message;
  }

  @Override
  public String name() {
    return Codecs.SHARED;
  }

  @Override
  public byte systemCodecID() {
    return -1;
  }
}
