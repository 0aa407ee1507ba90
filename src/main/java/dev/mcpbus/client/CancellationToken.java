package dev.mcpbus.client;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Ends the calls that carry it: {@link #cancel} fails each with {@code CANCELLED} at once and tells
 * the connection, which tells the server. One token may go with many calls. Any thread may use it.
 */
public final class CancellationToken {

  private final Set<Runnable> calls = ConcurrentHashMap.newKeySet();
  private volatile boolean cancelled;

  /** Final: a call that is made with this token later fails without being sent. */
  public void cancel() {
    cancelled = true;
    calls.forEach(Runnable::run);
    calls.clear();
  }

  public boolean isCancelled() {
    return cancelled;
  }

  /** A call that is added while {@link #cancel} runs is cancelled by the one or the other. */
  void add(Runnable call) {
    calls.add(call);
    if (cancelled) {
      call.run();
    }
  }

  void remove(Runnable call) {
    calls.remove(call);
  }
}
