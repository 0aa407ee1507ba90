package dev.mcpbus.connection.session;

import dev.mcpbus.protocol.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * Names a call that is to be cancelled: a caller by the call id that it gave, an operator by the
 * number that the {@link CallLog} gave. Immutable.
 *
 * @param callId null if the number names the call
 * @param params what a client says in its cancellation; null if nothing
 */
public record CallReference(@Nullable String callId, long number, @Nullable RawJson params) {

  public static CallReference ofCaller(String callId) {
    return ofCaller(callId, null);
  }

  public static CallReference ofCaller(String callId, @Nullable RawJson params) {
    return new CallReference(callId, 0, params);
  }

  public static CallReference ofOperator(long number) {
    return new CallReference(null, number, null);
  }

  boolean names(PendingRequest call) {
    return callId == null ? call.number() == number : callId.equals(call.callId());
  }

  /** Who cancels, for the failure of the call. */
  String by() {
    return callId == null ? "an operator" : "the caller";
  }
}
