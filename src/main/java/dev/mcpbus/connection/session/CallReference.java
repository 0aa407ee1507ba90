package dev.mcpbus.connection.session;

import org.jspecify.annotations.Nullable;

/**
 * Names a call that is to be cancelled: a caller by the call id that it gave, an operator by the
 * number that the {@link CallLog} gave. Immutable.
 *
 * @param callId null if the number names the call
 */
public record CallReference(@Nullable String callId, long number) {

  public static CallReference ofCaller(String callId) {
    return new CallReference(callId, 0);
  }

  public static CallReference ofOperator(long number) {
    return new CallReference(null, number);
  }

  boolean names(PendingRequest call) {
    return callId == null ? call.number() == number : callId.equals(call.callId());
  }

  /** Who cancels, for the failure of the call. */
  String by() {
    return callId == null ? "an operator" : "the caller";
  }
}
