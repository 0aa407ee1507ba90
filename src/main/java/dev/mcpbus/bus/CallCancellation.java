package dev.mcpbus.bus;

import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * Takes back a call that nobody waits for any more: the connection ends it and tells its server.
 * Any thread may call.
 */
public final class CallCancellation {

  private static final String CALL_ID = "callId";

  private CallCancellation() {}

  /**
   * Tells the connection that carries out a call to end it. The message goes to every node, for the
   * sender does not know which one carries out the call.
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

  /** The body of a message that takes back a call. */
  static JsonObject body(String callId) {
    return new JsonObject().put(CALL_ID, callId);
  }

  /**
   * The call that such a body names.
   *
   * @throws McpFailure {@code BAD_REQUEST} where it names none
   */
  public static String callId(@Nullable Object body) {
    if (body instanceof JsonObject json && json.getValue(CALL_ID) instanceof String text) {
      return text;
    }
    throw McpFailure.notSent(FailureCode.BAD_REQUEST, "the body must be {\"callId\": string}");
  }
}
