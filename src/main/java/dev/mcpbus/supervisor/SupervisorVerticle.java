package dev.mcpbus.supervisor;

import com.sun.management.OperatingSystemMXBean;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.LifecycleMessage;
import dev.mcpbus.bus.Timers;
import dev.mcpbus.internals.InternalContext;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deploys children, receives their facts on {@link Addresses#SUPERVISOR} and carries out what
 * {@link Supervision} decides. It publishes no events: each child publishes its own state. When a
 * connection starts, {@link #startChild} deploys it, the {@code Start} command opens its session,
 * and the fact {@code Started} or {@code Ended} reports the outcome.
 *
 * <p>All state belongs to the verticle's own context. Any thread may call the public methods once
 * the verticle is deployed.
 *
 * <p>{@link #stop} undeploys the children in reverse order and within bounds. They are not Vert.x
 * children of this verticle: Vert.x would undeploy those before it calls {@code stop}, in no order
 * and without a drain, and one child that never stops would keep the supervisor for ever.
 */
public final class SupervisorVerticle extends VerticleBase {

  private static final Logger LOG = LoggerFactory.getLogger(SupervisorVerticle.class);

  private final SupervisorOptions options;
  private final LongSupplier clock;
  private final Supervision supervision;

  private final Function<Vertx, Timers> newTimers;

  /** The timers of pending restarts, by child. */
  private final Map<String, Long> restarts = new HashMap<>();

  private long wake = -1;

  /** Promises for the children that have not been deployed yet. */
  private final Map<String, Promise<Void>> starting = new HashMap<>();

  private @Nullable Timers timers;
  private @Nullable ChildDeployments deployments;
  private @Nullable MessageConsumer<Object> facts;
  private boolean stopping;

  public SupervisorVerticle(SupervisorOptions options) {
    this(
        options,
        new SplittableRandom(), // the default is looked for by the context class loader
        () -> System.nanoTime() / 1_000_000,
        Timers::of,
        SupervisorVerticle::processorLoad);
  }

  /**
   * @param clock monotonic milliseconds
   * @param load of the processors, as {@link Supervision} takes it
   */
  SupervisorVerticle(
      SupervisorOptions options,
      RandomGenerator random,
      LongSupplier clock,
      Function<Vertx, Timers> newTimers,
      DoubleSupplier load) {
    this.options = options;
    this.clock = clock;
    this.newTimers = newTimers;
    this.supervision = new Supervision(options, random, load);
  }

  /** Takes a millisecond; runs once a second while starts wait for each other. */
  private static double processorLoad() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
        ? system.getCpuLoad()
        : -1;
  }

  @Override
  public Future<?> start() {
    Codecs.register(vertx);
    Timers own = newTimers.apply(vertx);
    timers = own;
    deployments =
        new ChildDeployments(
            vertx, InternalContext.of(context), own, options.startTimeout().toMillis());
    MessageConsumer<Object> consumer = vertx.eventBus().localConsumer(Addresses.SUPERVISOR);
    facts = consumer.handler(this::onFact);
    return consumer.completion();
  }

  private void onFact(Message<Object> message) {
    if (message.body() instanceof LifecycleMessage.Fact fact) {
      if (fact instanceof LifecycleMessage.Crashed crashed) {
        LOG.warn("{} crashed", crashed.id(), crashed.cause());
      }
      decide(now -> supervision.on(fact, now));
    } else {
      LOG.warn(
          "ignored a message on {} that is no lifecycle fact: {}",
          Addresses.SUPERVISOR,
          message.body());
    }
  }

  /**
   * Adds a child and deploys it; its session starts when the start queue admits it.
   *
   * @return succeeds when the verticle is deployed; the supervisor tries this as often as the
   *     restart policy allows. Fails if those attempts are used up (the supervisor keeps the child
   *     and tries again slowly), if the child is terminated before it is deployed, if the id is not
   *     valid, or with {@link IllegalStateException} if the id is already supervised
   */
  public Future<Void> startChild(ChildSpec spec) {
    return onOwnContext(
        () -> {
          ChildDeployments.address(spec.id());
          List<SupervisorAction> actions = supervision.add(spec, clock.getAsLong());
          return deploying(spec.id(), actions);
        });
  }

  /**
   * Stops the child's session, undeploys the child and forgets it. Its calls in flight may take
   * {@code drain}.
   *
   * @return succeeds when the child is undeployed or its bounds have passed; fails if there is no
   *     such child
   */
  public Future<Void> terminateChild(String id) {
    return onOwnContext(
        () -> {
          forget(id);
          return deployments().drain(id);
        });
  }

  /**
   * Ends the child's session at once, with its calls in flight, and forgets the child.
   *
   * @return succeeds when the session is over or its bound has passed; fails if there is no such
   *     child. The removal of the child's addresses from a cluster's registrations may take longer;
   *     a new child with the same id waits for it
   */
  public Future<Void> killChild(String id) {
    return onOwnContext(
        () -> {
          forget(id);
          return deployments().kill(id);
        });
  }

  private void forget(String id) {
    if (!supervision.contains(id)) {
      throw new IllegalStateException("'" + id + "' is not supervised");
    }
    perform(supervision.remove(id, clock.getAsLong()));
    abandonStart(id, "'" + id + "' was terminated before it was deployed");
  }

  /**
   * Replaces a child: the calls in flight of the old one may take its {@code drain}, then the
   * supervisor undeploys it and deploys the new one at once. In between no verticle serves the
   * child's addresses.
   *
   * @return as for {@link #startChild}; fails if there is no such child
   */
  public Future<Void> replaceChild(ChildSpec spec) {
    return onOwnContext(
        () -> {
          List<SupervisorAction> actions = supervision.replace(spec, clock.getAsLong());
          abandonStart(spec.id(), "'" + spec.id() + "' was replaced before it was deployed");
          return deploying(spec.id(), actions);
        });
  }

  /** The ids in order of addition. */
  public Future<List<String>> children() {
    return onOwnContext(() -> Future.succeededFuture(supervision.ids()));
  }

  private Future<Void> deploying(String id, List<SupervisorAction> actions) {
    Promise<Void> promise = Promise.promise();
    starting.put(id, promise);
    perform(actions);
    return promise.future();
  }

  private void abandonStart(String id, String why) {
    Promise<Void> promise = starting.remove(id);
    if (promise != null) {
      promise.fail(new IllegalStateException(why));
    }
  }

  /** Stops all children, the last added first; takes {@code stopTimeout} at most. */
  @Override
  public Future<?> stop() {
    stopping = true;
    restarts.values().forEach(timers()::cancel);
    timers().cancel(wake);
    List.copyOf(starting.keySet()).forEach(id -> abandonStart(id, "the supervisor stops"));
    return deployments()
        .close(supervision.ids(), options.stopTimeout().toMillis())
        .eventually(() -> facts == null ? Future.succeededFuture() : facts.unregister());
  }

  private void decide(Function<Long, List<SupervisorAction>> decision) {
    if (!stopping) {
      perform(decision.apply(clock.getAsLong()));
    }
  }

  private void perform(List<SupervisorAction> actions) {
    for (SupervisorAction action : actions) {
      if (action instanceof SupervisorAction.Tell tell) {
        tell(tell.id(), tell.command());
      } else if (action instanceof SupervisorAction.StopSession stop) {
        deployments()
            .request(stop.id(), stop.command(), stop.boundMillis())
            .onComplete(
                reply ->
                    decide(
                        now ->
                            supervision.stopped(stop.id(), stop.ticket(), reply.succeeded(), now)));
      } else if (action instanceof SupervisorAction.Deploy deploy) {
        boolean drain = deploy.drainMillis() >= 0;
        deployments()
            .replace(deploy.id(), deploy.spec(), drain, result -> deployed(deploy, result));
      } else if (action instanceof SupervisorAction.Undeploy undeploy) {
        deployments().undeploy(undeploy.id());
      } else if (action instanceof SupervisorAction.SetTimer timer) {
        cancelTimer(timer.id());
        restarts.put(
            timer.id(),
            timers()
                .set(
                    timer.delayMillis(),
                    () -> decide(now -> supervision.timerFired(timer.id(), timer.ticket(), now))));
      } else if (action instanceof SupervisorAction.CancelTimer timer) {
        cancelTimer(timer.id());
      } else if (action instanceof SupervisorAction.Wake later) {
        timers().cancel(wake);
        wake = timers().set(later.delayMillis(), () -> decide(supervision::wake));
      }
    }
  }

  private void cancelTimer(String id) {
    Long timer = restarts.remove(id);
    if (timer != null) {
      timers().cancel(timer);
    }
  }

  private void tell(String id, LifecycleMessage.Command command) {
    vertx
        .eventBus()
        .sender(ChildDeployments.address(id), new DeliveryOptions().setLocalOnly(true))
        .write(command)
        .onFailure(
            failure -> {
              LOG.warn("{} has no handler for {}", id, command);
              if (command instanceof LifecycleMessage.Start) {
                decide(now -> supervision.on(new LifecycleMessage.Crashed(id, failure), now));
              }
            });
  }

  private void deployed(SupervisorAction.Deploy deploy, AsyncResult<String> result) {
    String id = deploy.id();
    if (result.succeeded()) {
      decide(now -> supervision.deployed(id, deploy.ticket(), now));
      Promise<Void> promise = starting.remove(id);
      if (promise != null) {
        promise.complete();
      }
    } else {
      decide(now -> supervision.deployFailed(id, deploy.ticket(), result.cause(), now));
      if (supervision.gaveUp(id)) {
        abandonStart(id, "'" + id + "' cannot be deployed: " + result.cause());
      }
    }
  }

  private ChildDeployments deployments() {
    if (deployments == null) {
      throw new IllegalStateException("the supervisor is not deployed");
    }
    return deployments;
  }

  private Timers timers() {
    if (timers == null) {
      throw new IllegalStateException("the supervisor is not deployed");
    }
    return timers;
  }

  private <T> Future<T> onOwnContext(Supplier<Future<T>> task) {
    if (context == null) {
      return Future.failedFuture(new IllegalStateException("the supervisor is not deployed"));
    }
    Promise<T> promise = InternalContext.promise(vertx);
    context.runOnContext(
        go -> {
          try {
            if (stopping) {
              throw new IllegalStateException("the supervisor stops");
            }
            task.get().onComplete(promise);
          } catch (RuntimeException failure) {
            promise.fail(failure);
          }
        });
    return promise.future();
  }
}
