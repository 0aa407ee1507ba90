package dev.mcpbus.cluster.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.testing.InnerCluster;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.spi.cluster.NodeInfo;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReservedEventLoopsIT {

  private final InnerCluster cluster = new InnerCluster(1);

  @AfterEach
  void stop() {
    cluster.close();
  }

  private static Thread threadOf(InternalContext context) {
    return TestBus.await(context.call(() -> Future.succeededFuture(Thread.currentThread())));
  }

  /** The thread on which the event bus learns of a node, and connects to it. */
  private static Thread threadOfBus(Vertx vertx) {
    RefreshingClusterManager manager =
        (RefreshingClusterManager) ((VertxInternal) vertx).clusterManager();
    Promise<NodeInfo> info = Promise.promise();
    manager.getNodeInfo(manager.getNodeId(), info);
    return TestBus.await(info.future().map(found -> Thread.currentThread()));
  }

  @Test
  void no_context_shares_a_loop_with_the_event_bus_or_with_ownership() {
    Vertx vertx = cluster.join("n1").vertx();
    InternalContext ownership = ReservedEventLoops.ownership(vertx);
    assertThat(ReservedEventLoops.ownership(vertx)).isSameAs(ownership);
    Thread owning = threadOf(ownership);
    Thread bus = threadOfBus(vertx);
    Set<Thread> common = new HashSet<>();
    for (int i = 0; i < 50; i++) {
      common.add(threadOf(InternalContext.create(vertx)));
    }
    assertThat(owning).isNotSameAs(bus);
    assertThat(common).hasSizeGreaterThan(1).doesNotContain(owning, bus);
  }

  @Test
  void readings_of_ownership_have_threads_of_their_own() {
    Vertx vertx = cluster.join("n1").vertx();
    String reader =
        TestBus.await(
            ReservedEventLoops.ownership(vertx)
                .call(() -> vertx.executeBlocking(() -> Thread.currentThread().getName())));
    assertThat(reader).startsWith("mcpbus-claims");
  }
}
