package dev.mcpbus.directory.search;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.SerialRuns;
import dev.mcpbus.directory.AggregateSnapshot;
import dev.mcpbus.directory.SearchRequest;
import dev.mcpbus.internals.OptionalLibrary;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a {@link ToolIndex} up to date with the aggregate, from {@link #begin} or the first search
 * on. Lucene runs on worker threads only. At most one update runs; changes that arrive meanwhile
 * schedule one more. Confined to the context of the aggregate's verticle.
 */
public final class ToolSearch {

  private static final Logger LOG = LoggerFactory.getLogger(ToolSearch.class);

  private static final int THREADS = 2;
  private static final int MAX_WAITING = 1_000;

  private final Vertx vertx;
  private final ListKind kind;
  private AggregateSnapshot aggregate = AggregateSnapshot.EMPTY;
  private @Nullable WorkerExecutor workers;
  private @Nullable ToolIndex index;
  private @Nullable AggregateSnapshot indexed;
  private final SerialRuns<ToolIndex> updates = new SerialRuns<>(this::update);
  private int waiting;

  /** The waiting searches of each principal that has any. */
  private final Map<String, Integer> waitingOf = new HashMap<>();

  private boolean closed;

  /**
   * @param kind tools or skills
   */
  public ToolSearch(Vertx vertx, ListKind kind) {
    this.vertx = vertx;
    this.kind = kind;
  }

  /** A search of its own for what one caller sees. */
  public ToolSearch another() {
    return new ToolSearch(vertx, kind);
  }

  /** Takes the new aggregate, and updates the index if there is one. */
  public void changed(AggregateSnapshot next) {
    aggregate = next;
    if (workers != null && !closed) {
      current();
    }
  }

  /** Builds the index now. */
  public void begin() {
    current();
  }

  /** Stops the updates; succeeds when none is running. */
  public Future<Void> close() {
    closed = true;
    return updates.quiet();
  }

  /**
   * Searches the aggregate as it is now, or a later one.
   *
   * @param owner the principal of the search; null for a program on the bus
   * @return the body of the reply; fails with {@code OVERLOADED} if too many searches are waiting,
   *     or if the owner has three quarters of the places that the others leave
   */
  public Future<JsonObject> search(SearchRequest request, @Nullable String owner) {
    if (!OptionalLibrary.LUCENE.isPresent()) {
      return Future.failedFuture(
          McpFailure.notSent(FailureCode.UNAVAILABLE, OptionalLibrary.LUCENE.missing()));
    }
    if (!admits(owner)) {
      return Future.failedFuture(
          McpFailure.notSent(
              FailureCode.OVERLOADED,
              waiting + " of " + MAX_WAITING + " searches are waiting; try again later"));
    }
    waiting++;
    if (owner != null) {
      waitingOf.merge(owner, 1, Integer::sum);
    }
    return current()
        .compose(ready -> onWorker(() -> ready.search(request)))
        .onComplete(ended -> ended(owner));
  }

  private boolean admits(@Nullable String owner) {
    int has = owner == null ? 0 : waitingOf.getOrDefault(owner, 0);
    return FairLimit.admits(owner, has, MAX_WAITING - waiting);
  }

  private void ended(@Nullable String owner) {
    waiting--;
    if (owner != null) {
      waitingOf.computeIfPresent(owner, (name, has) -> has == 1 ? null : has - 1);
    }
  }

  /** The index, once it contains the present aggregate or a later one. */
  private Future<ToolIndex> current() {
    return index != null && indexed == aggregate
        ? Future.succeededFuture(index)
        : updates.request();
  }

  private Future<ToolIndex> update() {
    AggregateSnapshot next = aggregate;
    ToolIndex now = index;
    return onWorker(() -> updated(kind, now, next))
        .onComplete(
            done -> {
              index = done.succeeded() ? done.result() : null;
              indexed = next;
              if (done.failed()) {
                LOG.error(
                    "the tool search cannot update its index; searches fail until an update succeeds",
                    done.cause());
              }
            });
  }

  /** Updates the index. If that fails it closes the index, and the next update builds a new one. */
  private static ToolIndex updated(ListKind kind, @Nullable ToolIndex now, AggregateSnapshot next)
      throws Exception {
    ToolIndex index = now == null ? new ToolIndex(kind) : now;
    try {
      index.update(next);
      return index;
    } catch (Exception e) {
      try (index) {
        throw e;
      }
    }
  }

  private <T> Future<T> onWorker(Callable<T> work) {
    WorkerExecutor threads = workers;
    if (threads == null) {
      // Created on the verticle's context, so the undeployment closes it.
      threads = vertx.createSharedWorkerExecutor("mcpbus-search", THREADS);
      workers = threads;
    }
    return threads.executeBlocking(work, false);
  }
}
