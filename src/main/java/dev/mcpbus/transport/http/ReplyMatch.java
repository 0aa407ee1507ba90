package dev.mcpbus.transport.http;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Which message answers a request that was posted. */
final class ReplyMatch {

  private ReplyMatch() {}

  /**
   * The message where it answers request {@code id}, else null. An error without id can only mean
   * the one request that was posted, so it is given that id.
   */
  static @Nullable Envelope to(long id, Envelope message, ParseLimits limits)
      throws ProtocolException {
    if (message.kind() != Envelope.Kind.RESULT && message.kind() != Envelope.Kind.ERROR) {
      return null;
    }
    if (message.kind() == Envelope.Kind.ERROR && isNameless(message)) {
      RawJson named = message.text().with("id", RawJson.of(Long.toString(id)));
      return Envelope.received(named.array(), named.offset(), named.length(), limits);
    }
    return message.integerId() == id ? message : null;
  }

  static boolean isNameless(Envelope error) {
    RawJson id = error.id();
    return id == null || id.isNull();
  }

  /** The JSON-RPC error that a body is, or null. */
  static @Nullable Envelope error(BoundedBody body, ParseLimits limits) {
    try {
      Envelope envelope = Envelope.parse(body.bytes(), body.offset(), body.length(), limits);
      return envelope.kind() == Envelope.Kind.ERROR ? envelope : null;
    } catch (ProtocolException e) {
      return null;
    }
  }

  static boolean isMethodNotFound(Envelope error) {
    RawJson code = error.payload().member("code");
    return code != null && code.toString().equals("-32601");
  }

  /** Some servers say 400 where the specification wants 404 for a session they do not know. */
  static boolean namesSession(Envelope error) {
    RawJson text = error.payload().member("message");
    return text != null
        && text.isString()
        && text.asString().toLowerCase(Locale.ROOT).contains("session");
  }
}
