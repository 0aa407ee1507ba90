package dev.mcpbus.bridge;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.policy.PolicyCheck;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * A message of an event-bus peer in the form for the bus: with its principal, and with call ids and
 * task ids that no other principal can name; and the way back for the reply. Confined to the
 * bridge's context.
 */
final class PeerMessage {

  private final @Nullable Object body;
  private final TaskIdSealing.@Nullable SealedCall passing;

  /**
   * @param headers that the peer has set; the constructor adds those that only mcpbus sets
   * @throws McpFailure if the call id is not valid, or if the peer was never given the task
   */
  PeerMessage(
      Requester requester,
      TaskIdSealing tasks,
      String address,
      @Nullable Object given,
      JsonObject headers) {
    String callId = headers.getString(Headers.CALL_ID);
    if (callId != null) {
      headers.put(Headers.CALL_ID, requester.callId(callId));
    }
    headers.put(Headers.PRINCIPAL, requester.text());
    if (!(given instanceof JsonObject params)) {
      body = given;
      passing = null;
    } else if (EventBusRules.isCancel(address)) {
      body = requester.cancelling(params);
      passing = null;
    } else {
      boolean all = address.equals(Addresses.ALL_TOOLS_CALL);
      String suffix = all ? Addresses.TOOLS_CALL : EventBusRules.suffix(address).orElse("");
      if (!TaskIdSealing.concerns(suffix)) {
        body = given;
        passing = null;
        return;
      }
      RawJson raw = RawJson.of(params);
      TaskIdSealing.SealedCall made =
          tasks
          .new SealedCall(
              requester, all ? server(raw) : EventBusRules.server(address), suffix, raw);
      body = made.params().equals(raw) ? params : made.params().toJsonObject();
      passing = made;
    }
  }

  private static String server(RawJson call) {
    return PolicyCheck.tool(call).map(ToolName::server).orElse("");
  }

  @Nullable Object body() {
    return body;
  }

  @Nullable Object answer(@Nullable Object result) {
    return passing == null || !(result instanceof JsonObject json) || !mayName(json)
        ? result
        : passing.sealed(json.toBuffer()).toJsonObject();
  }

  /** Most results contain no task id and are not encoded and parsed again. */
  private static boolean mayName(JsonObject result) {
    return result.containsKey("task")
        || result.containsKey("tasks")
        || result.containsKey("taskId")
        || result.containsKey("_meta");
  }

  Throwable failure(Throwable failure) {
    return passing == null ? failure : passing.sealed(failure);
  }
}
