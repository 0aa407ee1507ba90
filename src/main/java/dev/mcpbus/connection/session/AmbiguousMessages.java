package dev.mcpbus.connection.session;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * Refuses what a server says in two ways at once: whoever reads it next might read something else
 * than was looked at here. A call ends with {@code PROTOCOL_ERROR}, a question is answered with an
 * error, a notification is dropped. Diagnostics tell how many there were. Owner: the connection's
 * context.
 */
final class AmbiguousMessages {

  private long count;
  private String last = "";

  /**
   * Refuses {@code message} where it is ambiguous.
   *
   * @return false where it can be read
   */
  boolean refused(Session session, PendingRequests pending, Envelope message) {
    ProtocolException ambiguity = message.ambiguity();
    if (ambiguity == null) {
      return false;
    }
    String why = String.valueOf(ambiguity.getMessage());
    count++;
    last = why;
    RawJson id = message.id();
    if (message.kind() == Envelope.Kind.REQUEST && id != null) {
      session.refuse(id, JsonRpcError.INVALID_REQUEST, why);
    } else if (message.kind() != Envelope.Kind.NOTIFICATION) {
      end(pending.remove(message.integerId()), why);
    }
    return true;
  }

  private static void end(@Nullable PendingRequest call, String why) {
    if (call != null) {
      call.fail(
          McpFailure.maybeSent(
              FailureCode.PROTOCOL_ERROR,
              "the server's answer to " + call.method() + " is ambiguous: " + why));
    }
  }

  void report(JsonObject facts) {
    if (count > 0) {
      facts.put("ambiguousMessages", count).put("ambiguity", last);
    }
  }
}
