package dev.mcpbus.transport.stdio;

import io.vertx.core.Future;
import java.time.Duration;

/** One running child process as its channel uses it. The channel calls it on the owner context. */
interface ChildProcess {

  /** The result of {@link #flush}. */
  enum Flush {
    DONE,
    /**
     * The child does not read at present; {@link ChildEvents.ChildEventListener#writable} follows.
     */
    BLOCKED,
    /** The child will not read any more. */
    BROKEN
  }

  long pid();

  /** Starts reading. The bytes go to the {@link ChildEvents} of the child. */
  void start();

  /** Writes as many bytes of {@code queue} as the child accepts now. Never blocks. */
  Flush flush(StdinQueue queue);

  /** Closes the child's stdin. Idempotent; nothing is written afterwards. */
  void closeInput();

  /** Discards all further output on stdout. */
  void discardOutput();

  /**
   * Sends SIGTERM after {@code grace} and SIGKILL after twice that time, to the child and its
   * descendants. Idempotent.
   */
  void shutdown(Duration grace);

  /** Completes, on any thread, when the child and all processes that it has started have ended. */
  Future<Void> gone();
}
