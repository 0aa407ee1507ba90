package dev.mcpbus.transport;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;

/**
 * Parses a message of a peer; turns a violation of JSON-RPC into a failure of the transport.
 * Stateless.
 */
public final class InboundParser {

  private InboundParser() {}

  /**
   * Parses one whole message, which may be ambiguous ({@link Envelope#ambiguity}).
   *
   * @throws TransportException {@code LIMIT_EXCEEDED} or {@code PROTOCOL_ERROR}: the caller has to
   *     end the channel, because the bytes that follow cannot be trusted
   */
  public static Envelope parse(byte[] bytes, ParseLimits limits) throws TransportException {
    try {
      return Envelope.received(bytes, 0, bytes.length, limits);
    } catch (ProtocolException e) {
      throw new TransportException(
          e.isLimit() ? Reason.LIMIT_EXCEEDED : Reason.PROTOCOL_ERROR,
          Reached.MAYBE,
          "the peer violated the protocol: " + e.getMessage());
    }
  }
}
