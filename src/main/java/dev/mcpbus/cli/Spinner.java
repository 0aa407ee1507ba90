package dev.mcpbus.cli;

/**
 * Shows on a terminal that a command still works, and for how long; silent for the first second.
 * Runs a daemon thread until it is closed.
 */
public final class Spinner implements AutoCloseable {

  private static final long STEP_MILLIS = 1_000;

  private final CommandOutput output;
  private final String what;
  private final Thread thread = new Thread(this::run, "mcpbus-progress");
  private String progress = "";
  private boolean closed;

  /**
   * @param what the command does
   */
  public Spinner(CommandOutput output, String what) {
    this.output = output;
    this.what = what;
    thread.setDaemon(true);
    if (output.terminal().err()) {
      thread.start();
    }
  }

  private synchronized void run() {
    long start = System.nanoTime();
    try {
      while (true) {
        wait(STEP_MILLIS);
        if (closed) {
          return;
        }
        long seconds = (System.nanoTime() - start) / 1_000_000_000;
        output.progress(
            what
                + ", "
                + (progress.isEmpty() ? "" : progress + ", ")
                + seconds
                + " s; Ctrl-C cancels");
      }
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }

  /** What the server says about the progress, from now on part of the line. */
  public synchronized void progress(String text) {
    progress = text;
  }

  @Override
  public synchronized void close() {
    closed = true;
    notifyAll();
    output.clearProgress();
  }
}
