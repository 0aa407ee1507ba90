package dev.mcpbus.bus;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.MessageCodec;

/**
 * Passes messages by reference on one node, immutable ones and those that their sender lets go of;
 * they have no wire form.
 */
final class LocalMessageCodec<T> implements MessageCodec<T, T> {

  private final String name;

  LocalMessageCodec(Class<T> type) {
    this.name = "mcpbus.local." + type.getName();
  }

  @Override
  public void encodeToWire(Buffer buffer, T message) {
    throw new UnsupportedOperationException(name + " stays on its node");
  }

  @Override
  public T decodeFromWire(int position, Buffer buffer) {
    throw new UnsupportedOperationException(name + " stays on its node");
  }

  @Override
  public T transform(T message) {
    return message;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public byte systemCodecID() {
    return -1;
  }
}
