package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.FairLimit;

/**
 * The bounds on parked calls and on tasks of all session hosts of one node: a client is at one
 * host, so a share for each host would be less than its own. Any thread may call.
 */
public final class ParkedCallBounds {

  private final FairLimit<ParkedCall> calls;
  private final FairLimit<ParkedCall> tasks;

  /**
   * @param max calls, and as many tasks
   */
  public ParkedCallBounds(int max) {
    this.calls = new FairLimit<>(max);
    this.tasks = new FairLimit<>(max);
  }

  FairLimit<ParkedCall> of(ParkedCall call) {
    return call instanceof TaskCall ? tasks : calls;
  }

  FairLimit<ParkedCall> calls() {
    return calls;
  }

  FairLimit<ParkedCall> tasks() {
    return tasks;
  }
}
