package dev.mcpbus.cluster.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.OperationTimeoutException;
import com.hazelcast.instance.impl.HazelcastInstanceProxy;
import com.hazelcast.spi.impl.InternalCompletableFuture;
import com.hazelcast.spi.impl.NodeEngineImpl;
import com.hazelcast.spi.impl.operationservice.BlockingOperation;
import com.hazelcast.spi.impl.operationservice.Operation;
import com.hazelcast.spi.impl.operationservice.OperationAccessor;
import com.hazelcast.spi.impl.operationservice.WaitNotifyKey;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class StuckOperationCleanerTest {

  private static HazelcastInstance hazelcast;
  private static NodeEngineImpl engine;

  /** Runs and sends no answer, like an operation whose answer is lost. */
  private static class Silent extends Operation {
    @Override
    public void run() {}

    @Override
    public boolean returnsResponse() {
      return false;
    }
  }

  private static final class Waiting extends Silent implements BlockingOperation {
    @Override
    public WaitNotifyKey getWaitKey() {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean shouldWait() {
      return false;
    }

    @Override
    public void onWaitExpire() {}
  }

  @BeforeAll
  static void start() {
    Config config = new Config().setClusterName("lost-operations");
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.logging.type", "slf4j");
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    config.getNetworkConfig().getJoin().getAutoDetectionConfig().setEnabled(false);
    hazelcast = Hazelcast.newHazelcastInstance(config);
    engine = ((HazelcastInstanceProxy) hazelcast).getOriginal().node.getNodeEngine();
  }

  @AfterAll
  static void stop() {
    hazelcast.shutdown();
  }

  /** Sets the operation's start to {@code ago} milliseconds in the past. */
  private static InternalCompletableFuture<Object> sent(Operation operation, long ago) {
    InternalCompletableFuture<Object> answer =
        engine
            .getOperationService()
            .createInvocationBuilder("none", operation, engine.getThisAddress())
            .setCallTimeout(1_000)
            .invoke();
    long now = hazelcast.getCluster().getClusterTime();
    OperationAccessor.setInvocationTime(operation, now - ago);
    return answer;
  }

  private static void sweep() {
    new StuckOperationCleaner(engine, hazelcast.getCluster(), 8_000).run();
  }

  @Test
  void an_operation_without_an_answer_fails_after_its_time_and_the_silence() {
    InternalCompletableFuture<Object> answer = sent(new Silent(), 9_500);
    sweep();
    assertThatThrownBy(answer::join)
        .hasRootCauseInstanceOf(OperationTimeoutException.class)
        .hasMessageContaining("Silent: no answer of the member at");
  }

  @Test
  void what_is_younger_or_waits_by_intent_is_left_alone() {
    InternalCompletableFuture<Object> young = sent(new Silent(), 5_000);
    InternalCompletableFuture<Object> waiting = sent(new Waiting(), 60_000);
    sweep();
    assertThat(young).isNotDone();
    assertThat(waiting).isNotDone();
  }
}
