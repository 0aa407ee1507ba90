package dev.mcpbus.transport.stdio;

import dev.mcpbus.transport.stdio.MarkedProcesses.Scan;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kills the processes that a child leaves behind. Each child carries a mark in its environment and
 * its descendants inherit it, so they are found even if they have moved to another session. Scans
 * of {@code /proc} run on the spawn thread; one scan serves all children that have ended meanwhile.
 */
final class DescendantSweep {

  /** The mark of a child, inherited by every process that it starts. */
  static final String VARIABLE = "MCPBUS_LINEAGE";

  private static final Logger LOG = LoggerFactory.getLogger(DescendantSweep.class);
  private static final long PAUSE_NANOS = 2_000_000;
  private static final int MOST_ROUNDS = 500;

  private final MarkedProcesses processes = new MarkedProcesses();
  private final Map<String, Promise<Void>> waiting = new ConcurrentHashMap<>();

  /** Kills every process with the mark {@code lineage}; completes when none is left. */
  Future<Void> sweep(String lineage) {
    Promise<Void> promise = Promise.promise();
    waiting.put(lineage, promise);
    ChildThreads.spawn(this::sweepWaiting);
    return promise.future();
  }

  /** Kills the processes of JVMs that died together with their orphan reaper. */
  void sweepDeadRuns() {
    Map<String, Boolean> known = new HashMap<>();
    Set<String> others = new HashSet<>();
    for (int round = 0; round < MOST_ROUNDS; round++) {
      if (!processes
          .kill(RunId.VARIABLE, run -> known.computeIfAbsent(run, RunId::isDead), others)
          .unsure()) {
        return;
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private void sweepWaiting() {
    Map<String, Promise<Void>> batch = new HashMap<>(waiting);
    if (batch.isEmpty()) {
      return;
    }
    waiting.keySet().removeAll(batch.keySet());
    Set<String> open = new HashSet<>(batch.keySet());
    Set<String> others = new HashSet<>();
    Set<String> alive = Set.of();
    for (int round = 0; !open.isEmpty() && round < MOST_ROUNDS; round++) {
      Scan scan = processes.kill(VARIABLE, open::contains, others);
      alive = scan.values();
      for (String clean : List.copyOf(open)) {
        if (!scan.unsure() && !alive.contains(clean)) {
          open.remove(clean);
          complete(batch.get(clean));
        }
      }
      if (!open.isEmpty()) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
    for (String stuck : open) {
      if (alive.contains(stuck)) {
        LOG.warn(
            "processes of an ended server are still alive after SIGKILL; kill the processes with"
                + " {}={} in their environment",
            VARIABLE,
            stuck);
      }
      complete(batch.get(stuck));
    }
  }

  private static void complete(@Nullable Promise<Void> promise) {
    if (promise != null) {
      promise.tryComplete();
    }
  }
}
