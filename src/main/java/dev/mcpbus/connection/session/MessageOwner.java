package dev.mcpbus.connection.session;

import org.jspecify.annotations.Nullable;

/**
 * To whom a message of a server belongs, as far as evidence says it ({@link MessageOwners}).
 *
 * @param call the call in flight that it belongs to; null where none is named
 * @param owner the only principal who may get it; null where none is known
 * @param restricted a caller's call may have caused it: it is for {@code owner} and operators alone
 * @param known false where no evidence says whether it belongs to a call, and to which
 */
public record MessageOwner(
    @Nullable PendingRequest call, @Nullable String owner, boolean restricted, boolean known) {

  /** A message about no call of a caller. */
  static final MessageOwner SERVER = new MessageOwner(null, null, false, true);

  /** A message that may belong to calls of several callers. */
  static final MessageOwner UNKNOWN = new MessageOwner(null, null, true, false);

  /** A message about that call. */
  public static MessageOwner of(PendingRequest call) {
    return call.isForCaller() ? new MessageOwner(call, call.owner(), true, true) : SERVER;
  }

  /**
   * The message belongs to a call or a task that is not in flight.
   *
   * @param owner null where it is not known
   */
  public static MessageOwner ofPrincipal(@Nullable String owner) {
    return new MessageOwner(null, owner, true, true);
  }

  /** The caller's id of the call; empty if it belongs to no call in flight, null if unknown. */
  public @Nullable String callId() {
    PendingRequest named = call;
    return named != null ? named.callId() : known ? "" : null;
  }
}
