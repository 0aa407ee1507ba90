package dev.mcpbus.connection.session;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.Quirk;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * Refuses messages of a server that can be read in two ways, such as those with a member twice: a
 * later reader might read something else than {@link Session} has checked. An answer ends its call
 * with {@code PROTOCOL_ERROR}, a question gets an error, a notification is dropped. The diagnostics
 * count them. Of a strict entry the same befalls a message whose envelope has nulls. Owner: the
 * connection's context.
 */
final class AmbiguousMessages {

  private static final String NULLS = "null stands for an absent member, and the entry is strict";

  private long count;
  private String last = "";

  /**
   * Refuses {@code message} where it is ambiguous, or has nulls that are not tolerated.
   *
   * @return false where it can be read
   */
  boolean refused(Session session, PendingRequests pending, Envelope message) {
    ProtocolException ambiguity = message.ambiguity();
    boolean nulls = message.hasNulls() && !session.quirks().tolerates(Quirk.NULL_FOR_ABSENT);
    if (ambiguity == null && !nulls) {
      return false;
    }
    String why = ambiguity == null ? NULLS : String.valueOf(ambiguity.getMessage());
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
              "the server's answer to " + call.method() + " cannot be read: " + why));
    }
  }

  void report(JsonObject facts) {
    if (count > 0) {
      facts.put("ambiguousMessages", count).put("ambiguity", last);
    }
  }
}
