package dev.mcpbus.connection.session;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * For whose sake a server may be asking that does not say it: it can only be told where all calls
 * that it works on, or may still be working on, are of one principal. Owner: the connection's
 * context; time is passed in.
 */
final class RequestCauses {

  /** So long a server may go on with a call that it was told to give up. */
  static final long LATE_MILLIS = 60_000;

  /** What a program on the bus causes is no principal's. */
  private static final String NOBODY = "";

  private final Map<String, Long> abandoned = new HashMap<>();

  /** A call ended without an answer, at {@code now}. */
  void abandoned(PendingRequest call, long now) {
    abandoned.values().removeIf(until -> until <= now);
    if (call.isCallers()) {
      abandoned.put(owner(call), now + LATE_MILLIS);
    }
  }

  private static String owner(PendingRequest call) {
    String owner = call.owner();
    return owner == null ? NOBODY : owner;
  }

  /** The one principal, null where there are several, or none. */
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
    String one = all.size() == 1 ? all.iterator().next() : NOBODY;
    return one.equals(NOBODY) ? null : one;
  }
}
