package dev.mcpbus.client;

import dev.mcpbus.protocol.PublicApi;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Cancels the calls that use it: {@link #cancel} fails each call with {@code CANCELLED} at once,
 * and the connection cancels it at the server. Many calls may use one token. Any thread may call.
 */
@PublicApi
public final class CancellationToken {

  private final Set<Runnable> calls = ConcurrentHashMap.newKeySet();
  private volatile boolean cancelled;

  /** Cannot be undone: a later call with this token fails and is not sent. */
  public void cancel() {
    cancelled = true;
    calls.forEach(Runnable::run);
    calls.clear();
  }

  public boolean isCancelled() {
    return cancelled;
  }

  /** Adds a call; cancels it at once if {@link #cancel} runs or has run. */
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
