package dev.mcpbus.clusterfaults;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Runs schedules of calls and faults. */
final class Schedules implements AutoCloseable {

  private final Bed bed;
  private final Cluster cluster;
  private final ScheduledExecutorService clock = Executors.newScheduledThreadPool(2);

  /** Faults one after another, for one may strike where another has struck already. */
  private final ScheduledExecutorService hand = Executors.newSingleThreadScheduledExecutor();

  Schedules(Bed bed) {
    this.bed = bed;
    this.cluster = bed.cluster();
  }

  void run(long seed, int calls) {
    cluster.awaitWhole();
    bed.begin();
    Schedule schedule = Schedule.of(seed, calls, cluster.links().canCut());
    System.out.println("seed " + seed + ": " + schedule.faults());
    List<CompletableFuture<Ending>> endings = new CopyOnWriteArrayList<>();
    List<ScheduledFuture<?>> steps = new CopyOnWriteArrayList<>();
    for (Schedule.Call call : schedule.calls()) {
      steps.add(clock.schedule(() -> endings.add(call(call)), call.at(), TimeUnit.MILLISECONDS));
    }
    for (Schedule.Fault fault : schedule.faults()) {
      steps.add(hand.schedule(() -> strike(fault), fault.at(), TimeUnit.MILLISECONDS));
      steps.add(
          hand.schedule(() -> relieve(fault), fault.at() + fault.millis(), TimeUnit.MILLISECONDS));
    }
    steps.forEach(Schedules::await);
    endings.forEach(CompletableFuture::join);
    Duration settled = cluster.awaitSettled();
    System.out.println("  well again after " + Figures.seconds(settled) + " s");
    bed.check("seed " + seed);
  }

  private CompletableFuture<Ending> call(Schedule.Call call) {
    return bed.caller()
        .call(
            cluster.node(call.via()),
            cluster.servers().get(call.server()),
            Duration.ofMillis(call.budget()),
            Duration.ofMillis(call.delay()));
  }

  private void strike(Schedule.Fault fault) {
    Node node = cluster.node(fault.node());
    bed.fault(fault.toString());
    switch (fault.kind()) {
      case KILL -> {
        if (node.isAlive()) {
          node.kill();
        }
      }
      case END -> {
        if (node.runs()) {
          node.end();
        }
      }
      case STOP -> {
        if (node.runs()) {
          node.stop();
        }
      }
      case CUT_OFF -> cluster.cutOff(node);
      case CUT_LINK -> cluster.links().cutBoth(fault.node(), fault.other());
    }
  }

  private void relieve(Schedule.Fault fault) {
    Node node = cluster.node(fault.node());
    bed.fault("over: " + fault);
    switch (fault.kind()) {
      case KILL, END -> {
        if (!node.isAlive()) {
          node.start();
        }
      }
      case STOP -> {
        if (node.isAlive() && node.isStopped()) {
          node.resume();
        }
      }
      default -> cluster.healAll();
    }
  }

  private static void await(ScheduledFuture<?> step) {
    try {
      step.get();
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    clock.shutdownNow();
    hand.shutdownNow();
  }
}
