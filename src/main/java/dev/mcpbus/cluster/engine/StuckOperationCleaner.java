package dev.mcpbus.cluster.engine;

import com.hazelcast.cluster.Cluster;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.OperationTimeoutException;
import com.hazelcast.instance.impl.HazelcastInstanceProxy;
import com.hazelcast.spi.exception.ResponseAlreadySentException;
import com.hazelcast.spi.impl.NodeEngineImpl;
import com.hazelcast.spi.impl.operationservice.BlockingOperation;
import com.hazelcast.spi.impl.operationservice.Operation;
import com.hazelcast.spi.impl.operationservice.impl.Invocation;
import com.hazelcast.spi.properties.ClusterProperty;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives up operations of Hazelcast whose answer never comes. Hazelcast does so itself, when their
 * time is over and the other member has been silent for as long again as an operation may take. But
 * of a member that was never heard of the operation, as where its link was just cut, it compares
 * the time of the cluster with the clock of this member: where the two are minutes apart it waits
 * for minutes. One migration that is waited for so keeps all others waiting, and whoever reads what
 * was to move. Runs on a thread of Hazelcast's and ends with the instance.
 */
final class StuckOperationCleaner implements Runnable {

  private static final Logger LOG = LoggerFactory.getLogger(StuckOperationCleaner.class);
  private static final String THREAD = "mcpbus:lost-operations";

  /** After this Hazelcast has given up by itself what it gives up. */
  private static final long SLACK_MILLIS = 2_000;

  private final NodeEngineImpl engine;
  private final Cluster cluster;
  private final long silenceMillis;

  /**
   * @param silenceMillis beyond an operation's own time-out
   */
  StuckOperationCleaner(NodeEngineImpl engine, Cluster cluster, long silenceMillis) {
    this.engine = engine;
    this.cluster = cluster;
    this.silenceMillis = silenceMillis;
  }

  /** Looks once a second, until that is cancelled or the instance has ended. */
  static Future<?> watch(HazelcastInstance hazelcast) {
    NodeEngineImpl engine = ((HazelcastInstanceProxy) hazelcast).getOriginal().node.getNodeEngine();
    long silence = engine.getProperties().getMillis(ClusterProperty.OPERATION_CALL_TIMEOUT_MILLIS);
    return engine
        .getExecutionService()
        .scheduleWithRepetition(
            THREAD,
            new StuckOperationCleaner(engine, hazelcast.getCluster(), silence + SLACK_MILLIS),
            1,
            1,
            TimeUnit.SECONDS);
  }

  @Override
  public void run() {
    long now = cluster.getClusterTime();
    for (Invocation<?> invocation : engine.getOperationService().getInvocationRegistry()) {
      Operation operation = invocation.op;
      if (isOver(operation, now)) {
        giveUp(invocation, operation);
      }
    }
  }

  /** What waits by intent, as for a lock, has no bound but its own. */
  private boolean isOver(Operation operation, long now) {
    long timeout = operation.getCallTimeout();
    return !(operation instanceof BlockingOperation)
        && timeout > 0
        && timeout < Long.MAX_VALUE
        && now - operation.getInvocationTime() > timeout + silenceMillis;
  }

  private static void giveUp(Invocation<?> invocation, Operation operation) {
    String name = operation.getClass().getSimpleName();
    LOG.debug("{} to {} is given up", name, invocation.getTargetAddress());
    try {
      invocation.sendResponse(
          operation,
          new OperationTimeoutException(
              name + ": no answer of the member at " + invocation.getTargetAddress()));
    } catch (ResponseAlreadySentException answered) {
      LOG.debug("{} was answered just now", name);
    }
  }
}
