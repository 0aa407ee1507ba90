package dev.mcpbus.cli.stdio;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.OutboundMessage.MessageHeader;
import dev.mcpbus.transport.TransportException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One request in flight. Confined to the bridge's context. */
final class BridgeRequest {

  /** Takes what becomes of a request of the bridge's own. */
  interface OwnAnswer {

    /**
     * @param answer a result or an error
     * @param failure why there is no answer; null if there is one
     */
    void ended(@Nullable Envelope answer, @Nullable TransportException failure);
  }

  final long key;
  final RawJson id;
  final String method;
  final RawJson text;

  /** {@code _meta} of a request of the {@code discover} era; null in the {@code initialize} era. */
  final @Nullable RawJson meta;

  /** Takes the answer to a request of the bridge's own; null for one of the client. */
  final @Nullable OwnAnswer own;

  /** The channel that it was given to last. */
  @Nullable Channel channel;

  /** Whether that channel still has it. */
  boolean sent;

  /** When sending failed first before the service got anything of it; 0 if it has not. */
  long failedAt;

  /** Whether the tools were listed for this call, to learn the headers that it needs. */
  boolean listed;

  /** The client has cancelled it, and expects no answer. */
  boolean cancelled;

  /**
   * @param key for the channel, new for each request
   */
  BridgeRequest(
      long key,
      RawJson id,
      String method,
      RawJson text,
      @Nullable RawJson meta,
      @Nullable OwnAnswer own) {
    this.key = key;
    this.id = id;
    this.method = method;
    this.text = text;
    this.meta = meta;
    this.own = own;
  }

  boolean isDiscover() {
    return meta != null;
  }

  OutboundMessage outbound(List<MessageHeader> headers) {
    return OutboundMessage.passedOn(key, id, method, text.array(), headers);
  }

  /** Copies a value: its array is the whole line, which must not stay in memory for one member. */
  static RawJson copy(RawJson value) {
    byte[] bytes =
        Arrays.copyOfRange(value.array(), value.offset(), value.offset() + value.length());
    return RawJson.slice(bytes, 0, bytes.length);
  }
}
