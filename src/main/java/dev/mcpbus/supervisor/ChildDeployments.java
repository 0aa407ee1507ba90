package dev.mcpbus.supervisor;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.LifecycleMessage;
import dev.mcpbus.bus.ReplicaId;
import dev.mcpbus.bus.Timers;
import dev.mcpbus.internals.InternalContext;
import io.vertx.core.AsyncResult;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deploys and undeploys the verticles of children: one step after the other for each id, and each
 * within its bound, so that a child that never answers stops nothing. Confined to the context of
 * its {@link SupervisorVerticle}.
 */
final class ChildDeployments {

  private static final Logger LOG = LoggerFactory.getLogger(ChildDeployments.class);
  private static final int STOP_CONCURRENCY = 64;

  private record Live(String deploymentId, ChildSpec spec) {}

  private final Vertx vertx;
  private final InternalContext context;

  /** Deploys the children: Vert.x would undeploy those of the supervisor's context by itself. */
  private final InternalContext roots;

  private final Timers timers;
  private final long startTimeoutMillis;
  private final Map<String, Live> live = new HashMap<>();

  /** The last step of deploying and undeploying each id; the next one waits for it. */
  private final Map<String, Future<Void>> steps = new HashMap<>();

  private boolean closing;

  /**
   * @param context of the supervisor
   */
  ChildDeployments(Vertx vertx, InternalContext context, Timers timers, long startTimeoutMillis) {
    this.vertx = vertx;
    this.context = context;
    this.roots = InternalContext.create(vertx);
    this.timers = timers;
    this.startTimeoutMillis = startTimeoutMillis;
  }

  static String address(String id) {
    return ReplicaId.parse(id)
        .orElseGet(() -> new ReplicaId(new ConnectionId(id), 0)) // says what is wrong
        .control();
  }

  /** Sends a command; fails if the child does not reply within the bound. */
  Future<?> request(String id, LifecycleMessage.Command command, long boundMillis) {
    DeliveryOptions delivery =
        new DeliveryOptions().setLocalOnly(true).setSendTimeout(Math.max(1, boundMillis));
    return bounded(vertx.eventBus().request(address(id), command, delivery), boundMillis)
        .onFailure(silent -> LOG.warn("{} did not answer {}: {}", id, command, silent.toString()));
  }

  /**
   * Undeploys the present instance, if any, and deploys a fresh one.
   *
   * @param drain whether the calls in flight of the present instance may finish
   * @param outcome receives the outcome of the deployment; not called if {@link #close} comes
   *     before the deployment begins
   */
  void replace(String id, ChildSpec spec, boolean drain, Handler<AsyncResult<String>> outcome) {
    step(id, () -> stopAndUndeploy(id, drain, true).compose(gone -> deploy(id, spec, outcome)));
  }

  /** Undeploys the instance, if any; its calls in flight end. */
  Future<Void> undeploy(String id) {
    return step(id, () -> stopAndUndeploy(id, false, false));
  }

  /** Undeploys the instance, if any; its calls in flight may take the drain of the child. */
  Future<Void> drain(String id) {
    return step(id, () -> stopAndUndeploy(id, true, false));
  }

  /**
   * Ends the session at once, then undeploys the instance.
   *
   * @return succeeds when the session is over or its bound has passed
   */
  Future<Void> kill(String id) {
    Promise<Void> over = Promise.promise();
    step(
        id,
        () -> {
          Live child = live.get(id);
          Future<?> stopped =
              child == null
                  ? Future.succeededFuture()
                  : request(
                      id, new LifecycleMessage.Stop(false, 0), child.spec().shutdown().toMillis());
          stopped.onComplete(ended -> over.complete());
          return stopped.transform(ended -> stopAndUndeploy(id, false, false));
        });
    return over.future();
  }

  /**
   * Deploys nothing more, and undeploys all children, the last added first. Waits for steps that
   * have begun too: the replies to their requests no longer arrive once the context has ended.
   *
   * @param ids of the children that are not forgotten, in order of addition
   * @return succeeds at the latest after the bound
   */
  Future<Void> close(Collection<String> ids, long boundMillis) {
    closing = true;
    Deque<String> remaining = new ArrayDeque<>();
    ids.forEach(remaining::push);
    List<Future<Void>> all = new ArrayList<>(steps.values());
    Stream.generate(() -> drainNext(remaining)).limit(STOP_CONCURRENCY).forEach(all::add);
    return bounded(Future.join(all), boundMillis)
        .<Void>mapEmpty()
        .otherwise(
            late -> {
              LOG.warn("the supervisor stops; {} children have not stopped", live.size());
              return null;
            });
  }

  private Future<Void> drainNext(Deque<String> remaining) {
    String id = remaining.poll();
    return id == null ? Future.succeededFuture() : drain(id).compose(done -> drainNext(remaining));
  }

  private Future<Void> step(String id, Supplier<Future<Void>> next) {
    Future<Void> before = steps.getOrDefault(id, Future.succeededFuture());
    Future<Void> step = before.transform(done -> next.get());
    steps.put(id, step);
    step.onComplete(done -> steps.remove(id, step));
    return step;
  }

  /** Never fails: a child that does not stop within its bound is logged and left. */
  private Future<Void> stopAndUndeploy(String id, boolean drain, boolean restarting) {
    Live old = live.remove(id);
    if (old == null) {
      return Future.succeededFuture();
    }
    long drainMillis = old.spec().drain().toMillis();
    long shutdown = old.spec().shutdown().toMillis();
    Future<?> drained =
        drain
            ? request(
                id, new LifecycleMessage.Stop(restarting, drainMillis), drainMillis + shutdown)
            : Future.succeededFuture();
    return drained.transform(
        done ->
            bounded(vertx.undeploy(old.deploymentId()), shutdown)
                .otherwise(
                    failure -> {
                      LOG.warn("{} was not undeployed cleanly: {}", id, failure.toString());
                      return null;
                    }));
  }

  /** Never fails. */
  private Future<Void> deploy(String id, ChildSpec spec, Handler<AsyncResult<String>> outcome) {
    if (closing) {
      return Future.succeededFuture();
    }
    Promise<String> deploying = context.promise();
    roots.run(
        () -> {
          try {
            Deployable verticle = spec.verticle().get();
            vertx.deployVerticle(verticle).onComplete(deploying);
          } catch (RuntimeException failure) {
            deploying.fail(failure);
          }
        });
    Future<String> deployed = deploying.future();
    return bounded(deployed, startTimeoutMillis)
        .transform(
            result -> {
              if (result.succeeded()) {
                live.put(id, new Live(result.result(), spec));
              } else {
                LOG.warn("{} was not deployed", id, result.cause());
                deployed.onSuccess(vertx::undeploy); // deployed too late
              }
              outcome.handle(result);
              return Future.succeededFuture();
            });
  }

  private <T> Future<T> bounded(Future<T> future, long millis) {
    Promise<T> promise = Promise.promise();
    long timer =
        timers.set(
            millis,
            () -> promise.tryFail(new TimeoutException("not done after " + millis + " ms")));
    future.onComplete(promise::tryComplete, promise::tryFail);
    return promise.future().onComplete(ended -> timers.cancel(timer));
  }
}
