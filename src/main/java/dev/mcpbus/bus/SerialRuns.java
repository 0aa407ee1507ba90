package dev.mcpbus.bus;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats an action, one run at a time: requests that come during a run share one more run behind
 * it. So each request is followed by a run that begins after it, and many requests lead to few
 * runs. Confined to the context of its owner, on which the futures of the runs complete.
 *
 * @param <T> the result of a run
 */
public final class SerialRuns<T> {

  private static final Logger LOG = LoggerFactory.getLogger(SerialRuns.class);

  private final Supplier<Future<T>> action;
  private @Nullable Promise<T> running;
  private @Nullable Promise<T> behind;

  /**
   * @param action begins one run; its future completes when the run has ended
   */
  public SerialRuns(Supplier<Future<T>> action) {
    this.action = action;
  }

  /**
   * Requests a run that begins after this call: now, or as soon as the present run has ended.
   *
   * @return the result of that run
   */
  public Future<T> request() {
    if (running == null) {
      return begin(Promise.promise());
    }
    Promise<T> next = behind;
    if (next == null) {
      next = Promise.promise();
      behind = next;
    }
    return next.future();
  }

  /** The present run; null if there is none. */
  public @Nullable Future<T> running() {
    return running == null ? null : running.future();
  }

  /** Succeeds when no run is left of those that are requested so far. */
  public Future<Void> quiet() {
    Promise<T> last = behind == null ? running : behind;
    return last == null
        ? Future.succeededFuture()
        : last.future().<Void>mapEmpty().otherwiseEmpty();
  }

  private Future<T> begin(Promise<T> run) {
    running = run;
    attempt()
        .onComplete(
            ended -> {
              Promise<T> next = behind;
              running = null;
              behind = null;
              if (next != null) {
                begin(next);
              }
              run.handle(ended);
            });
    return run.future();
  }

  /** An action that throws must not keep all later runs from beginning. */
  private Future<T> attempt() {
    try {
      return action.get();
    } catch (RuntimeException defect) {
      LOG.error("a run failed to begin", defect);
      return Future.failedFuture(defect);
    }
  }
}
