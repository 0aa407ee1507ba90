package dev.mcpbus.transport;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.transport.TransportException.Reason;
import dev.mcpbus.transport.TransportException.Sent;

/** Reads what a peer sent, with a transport's failure where it is no MCP message. */
public final class InboundParser {

  private InboundParser() {}

  /**
   * Parses one whole message, which may be ambiguous ({@link Envelope#ambiguity}).
   *
   * @throws TransportException {@code LIMIT_EXCEEDED} or {@code PROTOCOL_ERROR}: the channel is
   *     over, because nothing that follows can be trusted
   */
  public static Envelope parse(byte[] bytes, ParseLimits limits) throws TransportException {
    try {
      return Envelope.received(bytes, 0, bytes.length, limits);
    } catch (ProtocolException e) {
      Reason reason =
          switch (e.reason()) {
            case TOO_LARGE, TOO_DEEP, NUMBER_TOO_LONG -> Reason.LIMIT_EXCEEDED;
            default -> Reason.PROTOCOL_ERROR;
          };
      throw new TransportException(
          reason, Sent.MAYBE, "the peer broke the rules: " + e.getMessage());
    }
  }
}
