package dev.mcpbus.supervisor;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.LifecycleMessage;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** Children whose sessions the test controls. They record every command and every action. */
final class ScriptedChildren {

  /** Every Start of a child by its id; what it then says, or null for nothing. */
  final Map<String, Function<LifecycleMessage.Start, LifecycleMessage.Fact>> scripts =
      new ConcurrentHashMap<>();

  final Map<String, Future<?>> stops = new ConcurrentHashMap<>();
  final Map<String, Future<?>> undeploys = new ConcurrentHashMap<>();
  final Map<String, AtomicInteger> failingDeployments = new ConcurrentHashMap<>();
  final List<String> log = new CopyOnWriteArrayList<>();
  final AtomicInteger deployed = new AtomicInteger();

  ChildSpec spec(String id) {
    return new ChildSpec(
        id,
        id,
        () -> new Puppet(id),
        SupervisionDriver.POLICY,
        false,
        false,
        Duration.ofSeconds(5),
        Duration.ofSeconds(10),
        0);
  }

  /** Its next Start is followed by this. */
  void onStart(String id, Function<LifecycleMessage.Start, LifecycleMessage.Fact> script) {
    scripts.put(id, script);
  }

  static LifecycleMessage.Fact failed(String id, long epoch) {
    McpFailure failure = McpFailure.notSent(FailureCode.CONNECT_FAILED, "refused");
    return new LifecycleMessage.Ended(id, epoch, failure, true);
  }

  static void say(Vertx vertx, LifecycleMessage.Fact fact) {
    vertx.eventBus().send(Addresses.SUPERVISOR, fact);
  }

  private final class Puppet extends VerticleBase {

    private final String id;

    Puppet(String id) {
      this.id = id;
    }

    @Override
    public Future<?> start() {
      AtomicInteger failing = failingDeployments.get(id);
      if (failing != null && failing.getAndDecrement() > 0) {
        log.add(id + " not deployed");
        throw new IllegalStateException("no luck");
      }
      log.add(id + " deployed");
      deployed.incrementAndGet();
      String address = Addresses.of(new ConnectionId(id), Addresses.CONTROL);
      return vertx
          .eventBus()
          .<LifecycleMessage.Command>localConsumer(address, this::heard)
          .completion();
    }

    private void heard(Message<LifecycleMessage.Command> message) {
      if (message.body() instanceof LifecycleMessage.Start start) {
        log.add(id + " start " + start.epoch());
        LifecycleMessage.Fact fact =
            scripts.getOrDefault(id, s -> new LifecycleMessage.Started(id, s.epoch())).apply(start);
        if (fact != null) {
          say(vertx, fact);
        }
      } else if (message.body() instanceof LifecycleMessage.Stop stop) {
        log.add(id + (stop.restarting() ? " stop to restart" : " stop"));
        stops.getOrDefault(id, Future.succeededFuture()).onSuccess(done -> message.reply(null));
      } else if (message.body() instanceof LifecycleMessage.RestartScheduled later) {
        log.add(id + " attempt " + later.attempt() + " in " + later.delayMillis());
      } else if (message.body() instanceof LifecycleMessage.GaveUp end) {
        log.add(id + " gave up, next in " + end.reprobeMillis());
      }
    }

    @Override
    public Future<?> stop() {
      log.add(id + " undeployed");
      deployed.decrementAndGet();
      return undeploys.getOrDefault(id, Future.succeededFuture());
    }
  }
}
