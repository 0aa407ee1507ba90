package dev.mcpbus.transport.stdio;

import io.vertx.core.Future;
import java.time.Duration;

/** One running child process, as its channel sees it. Called on the owner context. */
interface ChildProcess {

  /** What became of a {@link #flush}. */
  enum Flush {
    DONE,
    /** The child does not read for now; {@link ChildEvents.Reader#writable} will be told. */
    BLOCKED,
    /** The child will never read again. */
    BROKEN
  }

  long pid();

  /** Reading begins. What is read goes to the inbox that the child was started with. */
  void start();

  /** Writes of {@code queue} what the child takes now. Never blocks. */
  Flush flush(StdinQueue queue);

  /** The child sees the end of its stdin. Idempotent; nothing is written afterwards. */
  void closeInput();

  /** What still comes on stdout is of no interest any more. */
  void discardOutput();

  /**
   * SIGTERM after {@code grace}, SIGKILL after twice that, to the child and its descendants.
   * Idempotent.
   */
  void shutdown(Duration grace);

  /** Completes, on any thread, when neither the child nor a process that it started is left. */
  Future<Void> gone();
}
