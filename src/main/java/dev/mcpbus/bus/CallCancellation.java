package dev.mcpbus.bus;

import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * Cancels a call whose caller does not wait any more: the connection ends the call and cancels the
 * request at the server. Any thread may call.
 */
public final class CallCancellation {

  private static final String CALL_ID = "callId";

  private CallCancellation() {}

  /**
   * Publishes the cancellation of a call. It goes to every node, because the sender does not know
   * which node runs the call; the connection there ends it.
   *
   * @param callId the value of {@link Headers#CALL_ID}
   */
  public static void publish(Vertx vertx, ConnectionId server, String callId) {
    publish(vertx, Addresses.of(server, Addresses.CANCEL), callId);
  }

  /**
   * @param address {@code mcp.<id>.cancel} or {@link Addresses#ALL_TOOLS_FUNCTIONS_CANCEL}
   */
  public static void publish(Vertx vertx, String address, String callId) {
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
