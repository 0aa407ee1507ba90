package dev.mcpbus.cli.stdio;

import dev.mcpbus.cli.ServiceFinder;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.Printable;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.json.JsonObject;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The errors that a client gets from the bridge itself. Immutable.
 *
 * @param target the MCP endpoint, as people know it
 * @param view what the command line names, null for all servers
 */
record BridgeErrors(String target, @Nullable String view) {

  /** The answer to a request that mcpbus does not answer. */
  RawJson failure(RawJson id, TransportException why) {
    JsonObject data =
        new JsonObject()
            .put("code", why.reason().name())
            .put("sent", why.reached().name().toLowerCase(Locale.ROOT));
    if (why.retryAfterMillis() >= 0) {
      data.put("retryAfter", why.retryAfterMillis());
    }
    return message(id, JsonRpcError.INTERNAL_ERROR, text(why), data);
  }

  /** What to say of a failure, on stderr, too. */
  String text(TransportException why) {
    String what = Printable.line(String.valueOf(why.getMessage()));
    if (isUnreachable(why)) {
      return "mcpbus cannot be reached at "
          + target
          + " ("
          + what
          + "); start it with \"mcpbus run\", then repeat the request, which was not sent";
    }
    return switch (why.reason()) {
      case AUTH_REQUIRED ->
          "mcpbus at "
              + target
              + " wants a valid key: it comes from --key-file, from "
              + ServiceFinder.KEY_VARIABLE
              + ", from \"mcpbus login\", or on this machine from the file of the admin key";
      case OUTCOME_UNKNOWN, UPSTREAM_RESET ->
          "the connection to mcpbus ended before the answer ("
              + what
              + "); the request may have been carried out";
      case CONNECT_FAILED ->
          view == null
              ? what
              : what
                  + "; \""
                  + Printable.line(view)
                  + "\" in the command must be the id of a server or the name of a view;"
                  + " without it the editor gets all servers";
      default -> what;
    };
  }

  /** No connection to the service: nothing was sent, and a later attempt may succeed. */
  static boolean isUnreachable(TransportException why) {
    boolean connection =
        why.reason() == Reason.UPSTREAM_RESET
            || (why.reason() == Reason.CONNECT_FAILED && why.getCause() != null);
    return connection && why.reached() == Reached.NO;
  }

  /** The answer to a line that is no message: its id is not known. */
  static RawJson malformed(ProtocolException fault) {
    int code =
        switch (fault.reason()) {
          case BATCH, DUPLICATE_KEY, NOT_JSON_RPC -> JsonRpcError.INVALID_REQUEST;
          default -> JsonRpcError.PARSE_ERROR;
        };
    return message(RawJson.NULL, code, String.valueOf(fault.getMessage()), null);
  }

  static RawJson message(RawJson id, int code, String text, @Nullable JsonObject data) {
    byte[] bytes = MessageWriter.error(id, code, text, data);
    return RawJson.slice(bytes, 0, bytes.length);
  }
}
