package dev.mcpbus.clusterfaults;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Calls a server through one node, one call after another, until one succeeds. */
final class Prober {

  private static final Duration BUDGET = Duration.ofMillis(1_500);
  private static final long BETWEEN_MILLIS = 25;

  private final Caller caller;
  private final Node via;
  private final String server;
  private final long giveUpAt;

  Prober(Caller caller, Node via, String server, Duration most) {
    this.caller = caller;
    this.via = via;
    this.server = server;
    this.giveUpAt = System.nanoTime() + most.toNanos();
  }

  /** The moment of the first success; fails where there is none in time. */
  CompletableFuture<Long> first() {
    return caller
        .call(via, server, BUDGET, Duration.ZERO)
        .thenCompose(
            ending -> {
              if (ending.isOk()) {
                return CompletableFuture.completedFuture(ending.at());
              }
              if (System.nanoTime() > giveUpAt) {
                return CompletableFuture.failedFuture(
                    new IllegalStateException(
                        "no call to " + server + " via " + via.name() + " succeeds: " + ending));
              }
              return CompletableFuture.supplyAsync(
                      () -> null,
                      CompletableFuture.delayedExecutor(
                          BETWEEN_MILLIS, java.util.concurrent.TimeUnit.MILLISECONDS))
                  .thenCompose(later -> first());
            });
  }
}
