package dev.mcpbus.transport;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.PublicApi;
import dev.mcpbus.protocol.RawJson;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message to send.
 *
 * @param kind request, notification, or an answer to a request of the server
 * @param id our id if {@code kind} is a request, else -1
 * @param method the method of a request or notification, else null
 * @param bytes the whole JSON-RPC message, without a line break; never changed after this
 * @param headers for transports with headers; other transports ignore them
 * @param writtenId the id in {@code bytes} of a request that is passed on with the id of another
 *     client; null where {@code id} itself is written there
 */
@SuppressWarnings("ArrayRecordComponent") // no code compares messages
@PublicApi
public record OutboundMessage(
    Envelope.Kind kind,
    long id,
    @Nullable String method,
    byte[] bytes,
    List<MessageHeader> headers,
    @Nullable RawJson writtenId) {

  /** A header that belongs to one message, for transports with headers. */
  public record MessageHeader(CharSequence name, CharSequence value) {}

  public static OutboundMessage request(long id, String method, byte[] bytes) {
    return request(id, method, bytes, List.of());
  }

  public static OutboundMessage request(
      long id, String method, byte[] bytes, List<MessageHeader> headers) {
    return new OutboundMessage(Envelope.Kind.REQUEST, id, method, bytes, headers, null);
  }

  /**
   * A request of another client, passed on byte for byte. Streamable HTTP alone can send it.
   *
   * @param id ours, for {@link Channel#forget} and {@link Channel.Receiver#onRequestFailed}
   * @param writtenId the client's id, which the answer has, too
   */
  public static OutboundMessage passedOn(
      long id, RawJson writtenId, String method, byte[] bytes, List<MessageHeader> headers) {
    return new OutboundMessage(Envelope.Kind.REQUEST, id, method, bytes, headers, writtenId);
  }

  public static OutboundMessage notification(String method, byte[] bytes) {
    return new OutboundMessage(Envelope.Kind.NOTIFICATION, -1, method, bytes, List.of(), null);
  }

  public static OutboundMessage response(Envelope.Kind kind, byte[] bytes) {
    return new OutboundMessage(kind, -1, null, bytes, List.of(), null);
  }
}
