package dev.mcpbus.transport.stdio;

import java.util.concurrent.LinkedBlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread {@code mcpbus-spawn}, one for all children, starts processes and scans {@code /proc}:
 * both take milliseconds, too long for an event loop. It lives as long as the JVM.
 */
final class SpawnThread {

  static final SpawnThread INSTANCE = new SpawnThread();

  private static final Logger LOG = LoggerFactory.getLogger(SpawnThread.class);

  private final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();

  private SpawnThread() {
    Thread thread = new Thread(this::run, "mcpbus-spawn");
    thread.setDaemon(true);
    thread.start();
  }

  void execute(Runnable task) {
    tasks.add(task);
  }

  private void run() {
    while (true) {
      try {
        tasks.take().run();
      } catch (InterruptedException e) {
        LOG.debug("ignored an interrupt of the spawn thread");
      } catch (RuntimeException | Error e) {
        LOG.error("a task on the spawn thread failed", e);
      }
    }
  }
}
