package dev.mcpbus.transport.stdio;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What all child processes of this JVM share: the thread {@code mcpbus-spawn}, which starts
 * processes and scans {@code /proc}, because both take milliseconds, the {@link ProcessLoop} and
 * the {@link OrphanReaper}. They begin with the first child, and end when nobody needs them: no
 * bus, no child, and no task of theirs. The next child gets others. Any thread may call.
 */
public final class ChildThreads {

  private static final Logger LOG = LoggerFactory.getLogger(ChildThreads.class);

  private static int users;
  private static @Nullable ChildThreads current;

  private final ExecutorService spawner =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "mcpbus-spawn");
            thread.setDaemon(true);
            // Of JNA's own thread, too, which stays for a while.
            thread.setContextClassLoader(null);
            return thread;
          });
  private final OrphanReaper reaper = new OrphanReaper();
  private @Nullable ProcessLoop loop;

  private ChildThreads() {
    spawner.execute(Posix::retain); // loads libraries
  }

  /** Somebody needs the threads from now on; without a child there are none yet. */
  public static synchronized void retain() {
    users++;
  }

  /**
   * Somebody who has called {@link #retain} needs them no longer.
   *
   * @return completes when the threads have ended, at once while others need them
   */
  public static synchronized CompletionStage<Void> release() {
    users--;
    ChildThreads ending = current;
    if (users > 0 || ending == null) {
      return CompletableFuture.completedStage(null);
    }
    current = null;
    ending.spawner.execute(Posix::release);
    ending.spawner.shutdown();
    ProcessLoop started = ending.loop;
    return started == null
        ? CompletableFuture.completedStage(null)
        : started.end(ending.reaper::end);
  }

  /** Runs a task on the thread that starts processes. */
  static void spawn(Runnable task) {
    retain();
    get()
        .spawner
        .execute(
            () -> {
              try {
                task.run();
              } catch (RuntimeException | Error e) {
                LOG.error("a task on the spawn thread failed", e);
              } finally {
                release();
              }
            });
  }

  /** For those who hold them: those of now. */
  private static synchronized ChildThreads get() {
    if (current == null) {
      current = new ChildThreads();
    }
    return current;
  }

  static OrphanReaper reaper() {
    return get().reaper;
  }

  static synchronized ProcessLoop loop() {
    ChildThreads all = get();
    ProcessLoop started = all.loop;
    if (started == null) {
      started = new ProcessLoop();
      all.loop = started;
    }
    return started;
  }
}
