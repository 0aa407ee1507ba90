package dev.mcpbus.transport.stdio;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
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

  private final SpawnThread spawner;
  private final Map<String, Promise<Void>> waiting = new ConcurrentHashMap<>();

  DescendantSweep(SpawnThread spawner) {
    this.spawner = spawner;
  }

  /** Kills every process with the mark {@code lineage}; completes when none is left. */
  Future<Void> sweep(String lineage) {
    Promise<Void> promise = Promise.promise();
    waiting.put(lineage, promise);
    spawner.execute(this::sweepWaiting);
    return promise.future();
  }

  /** Kills the processes of JVMs that died together with their orphan reaper. */
  void sweepDeadRuns() {
    Map<String, Boolean> known = new HashMap<>();
    scan(RunId.VARIABLE, run -> known.computeIfAbsent(run, RunId::isDead));
  }

  private void sweepWaiting() {
    Map<String, Promise<Void>> batch = new HashMap<>(waiting);
    if (batch.isEmpty()) {
      return;
    }
    waiting.keySet().removeAll(batch.keySet());
    Set<String> open = new HashSet<>(batch.keySet());
    for (int round = 0; !open.isEmpty() && round < MOST_ROUNDS; round++) {
      Set<String> found = scan(VARIABLE, open::contains);
      for (String clean : List.copyOf(open)) {
        if (!found.contains(clean)) {
          open.remove(clean);
          complete(batch.get(clean));
        }
      }
      if (!open.isEmpty()) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
    for (String stuck : open) {
      LOG.warn(
          "processes of an ended server are still alive after SIGKILL; kill the processes with"
              + " {}={} in their environment",
          VARIABLE,
          stuck);
      complete(batch.get(stuck));
    }
  }

  private static void complete(@Nullable Promise<Void> promise) {
    if (promise != null) {
      promise.tryComplete();
    }
  }

  /**
   * Kills each process whose {@code variable} has a value that {@code wanted} accepts; returns
   * these values.
   */
  private static Set<String> scan(String variable, Predicate<String> wanted) {
    Set<String> found = new HashSet<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path process : all) {
        String value = variableOf(process, variable);
        if (value != null && wanted.test(value)) {
          found.add(value);
          kill(process, variable, value);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      LOG.warn(
          "cannot scan /proc for processes that ended servers left behind: {}", e.getMessage());
    }
    return found;
  }

  /**
   * Opens a pidfd, then reads the mark again: it is then the mark of the process that the
   * descriptor refers to, so no other process is ever signalled.
   */
  private static void kill(Path process, String variable, String value) {
    int pid = Integer.parseInt(process.getFileName().toString());
    int pidfd = Posix.pidfdOpen(pid);
    if (value.equals(variableOf(process, variable))) {
      if (pidfd >= 0) {
        Posix.pidfdSendSignal(pidfd, Posix.SIGKILL);
      } else {
        Posix.kill(pid, Posix.SIGKILL);
      }
    }
    if (pidfd >= 0) {
      Posix.close(pidfd);
    }
  }

  private static @Nullable String variableOf(Path process, String name) {
    String prefix = name + "=";
    try {
      String environment =
          Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1);
      int from = environment.startsWith(prefix) ? 0 : environment.indexOf("\0" + prefix) + 1;
      if (from == 0 && !environment.startsWith(prefix)) {
        return null;
      }
      int to = environment.indexOf('\0', from);
      return environment.substring(from + prefix.length(), to < 0 ? environment.length() : to);
    } catch (IOException e) {
      return null;
    }
  }
}
