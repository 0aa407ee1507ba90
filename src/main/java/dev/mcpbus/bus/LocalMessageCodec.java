package dev.mcpbus.bus;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.MessageCodec;

/**
 * Passes messages of one type by reference on one node: immutable messages, and messages that the
 * sender does not use after sending. They cannot be sent to another node.
 */
final class LocalMessageCodec<T> implements MessageCodec<T, T> {

  private final String name;

  LocalMessageCodec(Class<T> type) {
    this.name = "mcpbus.local." + type.getName();
  }

  @Override
  public void encodeToWire(Buffer buffer, T message) {
    throw new UnsupportedOperationException(name + " cannot be sent to another node");
  }

  @Override
  public T decodeFromWire(int position, Buffer buffer) {
    throw new UnsupportedOperationException(name + " cannot be sent to another node");
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
