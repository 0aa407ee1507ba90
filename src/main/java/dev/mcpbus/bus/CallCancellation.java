package dev.mcpbus.bus;

import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * Cancels a call whose caller does not wait any more: the connection ends the call and cancels the
 * request at the server. Any thread may call.
 */
public final class CallCancellation {

  private static final String CALL_ID = "callId";
  private static final String PARAMS = "params";

  private CallCancellation() {}

  /**
   * Publishes the cancellation of a call. It goes to every node, because the sender does not know
   * which node runs the call; the connection there ends it. Between two attempts of a call that is
   * repeated no connection has it, so {@link CallRepeats} of this Vert.x, which sent it, ends it.
   *
   * @param callId the value of {@link Headers#CALL_ID}
   */
  public static void publish(Vertx vertx, ConnectionId server, String callId) {
    publish(vertx, Addresses.of(server, Addresses.CANCEL), callId);
  }

  /**
   * As {@link #publish(Vertx, ConnectionId, String)}, with what the client says: the server gets
   * these params, with the id of its own request.
   */
  public static void publish(Vertx vertx, ConnectionId server, String callId, RawJson params) {
    CallRepeats.of(vertx).cancel(callId);
    vertx
        .eventBus()
        .publish(
            Addresses.of(server, Addresses.CANCEL), body(callId).put(PARAMS, params.toString()));
  }

  /**
   * What the client says in its cancellation; null if nothing.
   *
   * @throws McpFailure {@code BAD_REQUEST} if it is no JSON object
   */
  public static @Nullable RawJson params(@Nullable Object body) {
    if (!(body instanceof JsonObject json) || !(json.getValue(PARAMS) instanceof String text)) {
      return null;
    }
    try {
      return RawJson.checkedObject(Buffer.buffer(text), ParseLimits.DEFAULT);
    } catch (ProtocolException e) {
      throw McpFailure.badRequest("\"params\" must be the text of an object: " + e.getMessage());
    }
  }

  /**
   * @param address {@code mcp.<id>.cancel} or {@link Addresses#ALL_TOOLS_FUNCTIONS_CANCEL}
   */
  public static void publish(Vertx vertx, String address, String callId) {
    CallRepeats.of(vertx).cancel(callId);
    vertx.eventBus().publish(address, body(callId));
  }

  /** The body of a cancellation. */
  static JsonObject body(String callId) {
    return new JsonObject().put(CALL_ID, callId);
  }

  /**
   * The id of the call in the body of a cancellation.
   *
   * @throws McpFailure {@code BAD_REQUEST} if there is none
   */
  public static String callId(@Nullable Object body) {
    if (body instanceof JsonObject json && json.getValue(CALL_ID) instanceof String text) {
      return text;
    }
    throw McpFailure.badRequest("the body must be {\"callId\": string}");
  }
}
