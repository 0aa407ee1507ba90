package dev.mcpbus.bus;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.MessageCodec;
import io.vertx.core.json.JsonObject;

/**
 * Carries an {@link McpFailure} with all its members: by reference on one node, as JSON with its
 * length in front between nodes.
 */
final class McpFailureCodec implements MessageCodec<McpFailure, McpFailure> {

  @Override
  public void encodeToWire(Buffer buffer, McpFailure failure) {
    Buffer json = failure.toJson().toBuffer();
    buffer.appendInt(json.length()).appendBuffer(json);
  }

  @Override
  public McpFailure decodeFromWire(int position, Buffer buffer) {
    int length = buffer.getInt(position);
    int from = position + Integer.BYTES;
    return McpFailure.fromJson(new JsonObject(buffer.getBuffer(from, from + length)));
  }

  @Override
  public McpFailure transform(McpFailure failure) {
    return failure;
  }

  @Override
  public String name() {
    return "mcpbus.failure";
  }

  @Override
  public byte systemCodecID() {
    return -1;
  }
}
