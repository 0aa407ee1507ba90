package dev.mcpbus.bus;

import dev.mcpbus.protocol.RawJson;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.MessageCodec;
import io.vertx.core.json.JsonObject;

/**
 * Carries an {@link McpFailure} with all its members: by reference on one node, as JSON with its
 * length in front between nodes. One member has the text of a server's error object, if there is
 * one; a node with an older mcpbus does not read it.
 */
final class McpFailureCodec implements MessageCodec<McpFailure, McpFailure> {

  private static final String UPSTREAM = "upstream";

  @Override
  public void encodeToWire(Buffer buffer, McpFailure failure) {
    JsonObject members = failure.toJson();
    RawJson upstream = failure.upstream();
    if (upstream != null) {
      members.put(UPSTREAM, upstream.toString());
    }
    Buffer json = members.toBuffer();
    buffer.appendInt(json.length()).appendBuffer(json);
  }

  @Override
  public McpFailure decodeFromWire(int position, Buffer buffer) {
    int length = buffer.getInt(position);
    int from = position + Integer.BYTES;
    JsonObject members = new JsonObject(buffer.getBuffer(from, from + length));
    McpFailure failure = McpFailure.fromJson(members);
    return members.getValue(UPSTREAM) instanceof String text
        ? failure.withUpstream(RawJson.of(text))
        : failure;
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
