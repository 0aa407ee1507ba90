package dev.mcpbus.soak;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Does one kind of churn so many times, some at a time, and writes down how each ended. */
final class Lanes {

  static final long PATIENCE_SECONDS = 40;

  private final Vertx vertx;
  private final CallLedger ledger;
  private final AtomicLong sequence = new AtomicLong();

  Lanes(Vertx vertx, CallLedger ledger) {
    this.vertx = vertx;
    this.ledger = ledger;
  }

  /** Completes when all have ended, however. */
  Future<Void> run(ChurnKind kind, long times) {
    AtomicLong left = new AtomicLong(times);
    List<Future<Void>> lanes = new ArrayList<>();
    for (int i = 0; i < kind.lanes(); i++) {
      Context context = ((io.vertx.core.internal.VertxInternal) vertx).createEventLoopContext();
      Promise<Void> done = Promise.promise();
      context.runOnContext(now -> next(context, kind, left, done));
      lanes.add(done.future());
    }
    return Future.all(lanes).mapEmpty();
  }

  private void next(Context context, ChurnKind kind, AtomicLong left, Promise<Void> done) {
    if (left.getAndDecrement() <= 0) {
      done.complete();
      return;
    }
    once(kind).onComplete(ended -> context.runOnContext(now -> next(context, kind, left, done)));
  }

  /** Does it once, on the current context. */
  Future<String> once(ChurnKind kind) {
    ledger.begin(kind.name());
    Future<String> ending;
    try {
      ending = kind.operation().once(sequence.incrementAndGet());
    } catch (RuntimeException e) {
      ending = Future.failedFuture(e);
    }
    return ending
        .timeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
        .onComplete(word -> ledger.end(kind.name(), word), lost -> ledger.fail(kind.name(), lost));
  }
}
