package dev.mcpbus.connection.options;

import dev.mcpbus.protocol.PublicApi;
import java.time.Duration;

/**
 * The circuit breaker of a server's calls. Immutable.
 *
 * @param active false where calls have no breaker, default false
 * @param failureRate the share of failed calls at which it opens, default 0.5
 * @param window how many of the last calls count, default 20
 * @param minimumCalls fewer calls than this never open it, default 5
 * @param openFor how long it refuses calls before it lets probes through, default 30 s
 * @param probes how many calls are sent as probes then; all others are refused meanwhile, default 1
 * @param errors whether errors that the server answers with count too: JSON-RPC errors, and results
 *     with {@code isError}; default false
 * @param perTool whether each tool has a breaker of its own, default false
 */
@PublicApi
public record BreakerOptions(
    boolean active,
    double failureRate,
    int window,
    int minimumCalls,
    Duration openFor,
    int probes,
    boolean errors,
    boolean perTool) {

  /** Calls have no breaker. */
  public static final BreakerOptions NONE =
      new BreakerOptions(false, 0.5, 20, 5, Duration.ofSeconds(30), 1, false, false);

  /** The breaker with all defaults. */
  public static final BreakerOptions DEFAULT =
      new BreakerOptions(true, 0.5, 20, 5, Duration.ofSeconds(30), 1, false, false);
}
