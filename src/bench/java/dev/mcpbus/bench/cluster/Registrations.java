package dev.mcpbus.bench.cluster;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Addresses of the cluster's table without anything behind them. */
final class Registrations {

  /** As many as one connection has at a time. */
  private static final int GROUP = 40;

  private final Vertx vertx;

  /** Guarded by itself. */
  private final List<MessageConsumer<Object>> consumers = new ArrayList<>();

  private int next;

  Registrations(Vertx vertx) {
    this.vertx = vertx;
  }

  /** First one after the other, then all, in groups with a context each, as verticles do. */
  JsonObject register(int count) throws Exception {
    int alone = Math.min(200, count);
    long from = System.nanoTime();
    for (int i = 0; i < alone; i++) {
      consume().await(30, TimeUnit.SECONDS);
    }
    double one = (System.nanoTime() - from) / 1e3 / alone;
    from = System.nanoTime();
    List<Future<?>> groups = new ArrayList<>();
    for (int left = count; left > 0; left -= GROUP) {
      int size = Math.min(GROUP, left);
      Context context = ((VertxInternal) vertx).createEventLoopContext();
      Promise<Void> done = Promise.promise();
      context.runOnContext(
          now -> {
            List<Future<Void>> all = new ArrayList<>();
            for (int i = 0; i < size; i++) {
              all.add(consume());
            }
            Future.join(all).<Void>mapEmpty().onComplete(done);
          });
      groups.add(done.future());
    }
    Future.join(groups).await(300, TimeUnit.SECONDS);
    double bulk = (System.nanoTime() - from) / 1e3 / count;
    return new JsonObject().put("aloneMicros", one).put("bulkMicros", bulk);
  }

  private Future<Void> consume() {
    MessageConsumer<Object> consumer = vertx.eventBus().consumer("bench.address." + number());
    consumer.handler(message -> message.reply(null));
    synchronized (consumers) {
      consumers.add(consumer);
    }
    return consumer.completion();
  }

  private synchronized int number() {
    return next++;
  }

  JsonObject unregister() throws Exception {
    int count = consumers.size();
    long from = System.nanoTime();
    List<Future<Void>> all = consumers.stream().map(MessageConsumer::unregister).toList();
    Future.join(all).await(300, TimeUnit.SECONDS);
    consumers.clear();
    return new JsonObject().put("bulkMicros", (System.nanoTime() - from) / 1e3 / count);
  }
}
