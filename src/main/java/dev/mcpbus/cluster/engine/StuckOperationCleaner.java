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
 * Fails operations of Hazelcast whose answer never comes. Hazelcast fails them itself when their
 * time is over and the other member has been silent for the operation time-out. But where that
 * member never reported the operation, for example because its link was cut at that moment,
 * Hazelcast compares the time of the cluster with the clock of this member: where the two differ by
 * minutes, it waits for minutes. One such migration delays all other migrations, and all readings
 * of the data that has to move. Uses internal classes of Hazelcast; runs on one of its threads and
 * ends with the instance.
 *
 * @param silenceMillis how long after its own time-out an operation is failed
 */
record StuckOperationCleaner(NodeEngineImpl engine, Cluster cluster, long silenceMillis)
    implements Runnable {

  private static final Logger LOG = LoggerFactory.getLogger(StuckOperationCleaner.class);
  private static final String THREAD = "mcpbus:lost-operations";

  /** Added to Hazelcast's own time-out, so that Hazelcast fails first what it can. */
  private static final long SLACK_MILLIS = 2_000;

  /** Checks once a second, until the result is cancelled or the instance has ended. */
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
      if (isStuck(operation, now)) {
        fail(invocation, operation);
      }
    }
  }

  /** Blocking operations, such as locks, wait by intent and have their own bounds. */
  private boolean isStuck(Operation operation, long now) {
    long timeout = operation.getCallTimeout();
    return !(operation instanceof BlockingOperation)
        && timeout > 0
        && timeout < Long.MAX_VALUE
        && now - operation.getInvocationTime() > timeout + silenceMillis;
  }

  private static void fail(Invocation<?> invocation, Operation operation) {
    String name = operation.getClass().getSimpleName();
    LOG.debug("{} to {} has no answer and is failed", name, invocation.getTargetAddress());
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
