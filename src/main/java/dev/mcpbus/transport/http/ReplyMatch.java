package dev.mcpbus.transport.http;

import dev.mcpbus.internals.HeldBytes;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.transport.OutboundMessage;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Finds the message that answers a posted request. Stateless. */
final class ReplyMatch {

  private ReplyMatch() {}

  /**
   * Returns the message if it answers {@code request}, else null. An error without an id can only
   * belong to the one request that was posted, so it gets that id.
   */
  static @Nullable Envelope to(OutboundMessage request, Envelope message, ParseLimits limits)
      throws ProtocolException {
    if (message.kind() != Envelope.Kind.RESULT && message.kind() != Envelope.Kind.ERROR) {
      return null;
    }
    if (message.kind() == Envelope.Kind.ERROR && isNameless(message)) {
      RawJson id = request.writtenId();
      RawJson named =
          message.text().with("id", id == null ? RawJson.of(Long.toString(request.id())) : id);
      return Envelope.received(named.array(), named.offset(), named.length(), limits);
    }
    boolean mine =
        request.writtenId() == null
            ? message.integerId() == request.id()
            : request.writtenId().equals(message.id());
    return mine ? message : null;
  }

  static boolean isNameless(Envelope error) {
    RawJson id = error.id();
    return id == null || id.isNull();
  }

  /** The JSON-RPC error in a body, or null. */
  static @Nullable Envelope error(HeldBytes body, ParseLimits limits) {
    try {
      Envelope envelope = Envelope.parse(body.array(), body.offset(), body.length(), limits);
      return envelope.kind() == Envelope.Kind.ERROR ? envelope : null;
    } catch (ProtocolException e) {
      return null;
    }
  }

  static boolean isMethodNotFound(Envelope error) {
    return JsonRpcError.of(error.payload()).code() == JsonRpcError.METHOD_NOT_FOUND;
  }

  /**
   * Whether a status and an error say that the server does not know the session: 404, or 400 with
   * an error that names no request.
   *
   * @param named whether the error names the request
   * @param alone false where the server can be asked again: then an error that names the request
   *     may be about a resource or a tool
   */
  static boolean saysUnknown(int status, @Nullable Envelope error, boolean named, boolean alone) {
    if (status == 404) {
      return error == null || !named || (alone && !isMethodNotFound(error));
    }
    // Some servers answer an unknown session with 400; the specification requires 404.
    return status == 400
        && !named
        && error != null
        && JsonRpcError.of(error.payload()).message().toLowerCase(Locale.ROOT).contains("session");
  }
}
