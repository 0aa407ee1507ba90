package dev.mcpbus.cli;

/**
 * Runs a step when Ctrl-C or SIGTERM ends the process, then closes the service of the command. The
 * exit code stays that of the signal: 130 or 143. The step runs on a thread of its own.
 */
final class InterruptHook implements AutoCloseable {

  private final Thread hook;

  /**
   * @param step what to do at the server; a failure of it is ignored
   * @param client closed afterwards
   */
  InterruptHook(Runnable step, ServiceClient client) {
    this.hook =
        new Thread(
            () -> {
              try {
                step.run();
              } catch (CommandFailure tooLate) {
                // the call has ended, or the service is gone
              } finally {
                client.close();
              }
            },
            "mcpbus-interrupt");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** The step is no longer needed. */
  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException ending) {
      // The process is ending: the hook runs.
    }
  }
}
