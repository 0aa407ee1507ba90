package dev.mcpbus.connection.session;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the principal for whom a server asks a question, when the server does not name the call:
 * the principal is known only if one principal made all calls that the server may still work on.
 * Owner: the connection's context; time is passed in.
 */
final class RequestCauses {

  /** How long a server may go on with a call after it was cancelled. */
  static final long LATE_MILLIS = 60_000;

  /** Stands for programs on the bus, which have no principal. */
  private static final String NO_PRINCIPAL = "";

  private final Map<String, Long> abandoned = new HashMap<>();

  /** Notes a call that ended at {@code now} without an answer. */
  void abandoned(PendingRequest call, long now) {
    abandoned.values().removeIf(until -> until <= now);
    if (call.isCallers()) {
      abandoned.put(owner(call), now + LATE_MILLIS);
    }
  }

  private static String owner(PendingRequest call) {
    String owner = call.owner();
    return owner == null ? NO_PRINCIPAL : owner;
  }

  /** The only principal, null where there are several, or none. */
  @Nullable String of(Iterable<PendingRequest> waiting, long now) {
    Set<String> all = new HashSet<>();
    for (PendingRequest call : waiting) {
      if (call.isCallers()) {
        all.add(owner(call));
      }
    }
    abandoned.forEach(
        (owner, until) -> {
          if (until > now) {
            all.add(owner);
          }
        });
    String one = all.size() == 1 ? all.iterator().next() : NO_PRINCIPAL;
    return one.equals(NO_PRINCIPAL) ? null : one;
  }
}
