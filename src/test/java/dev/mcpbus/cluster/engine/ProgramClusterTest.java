package dev.mcpbus.cluster.engine;

import static dev.mcpbus.bus.BusTests.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.bus.WireForm;
import dev.mcpbus.cluster.signing.NodeProof;
import dev.mcpbus.config.ClusterOptions;
import dev.mcpbus.internals.RecordCopy;
import io.vertx.core.Completable;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.VertxWrapper;
import io.vertx.core.json.JsonObject;
import io.vertx.core.spi.cluster.ClusterManager;
import io.vertx.core.spi.cluster.NodeInfo;
import io.vertx.junit5.VertxExtension;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A program makes its own clustered Vert.x a node; the cluster manager is one of this test. */
@ExtendWith(VertxExtension.class)
class ProgramClusterTest {

  private static final ClusterSecret RIGHT =
      ClusterSecret.of("what only the nodes of this test know");
  private static final ClusterSecret WRONG =
      ClusterSecret.of("what no other node of this test knows");
  private static final int ROUNDS = 300;

  /** Counts what is installed, and has one other node. */
  private static final class Clustered extends VertxWrapper {
    private final AtomicInteger installed = new AtomicInteger();
    private volatile NodeInfo own = new NodeInfo("here", 1, null);

    Clustered(Vertx vertx) {
      super((VertxInternal) vertx);
    }

    @Override
    public ClusterManager clusterManager() {
      return (ClusterManager)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {ClusterManager.class},
              (proxy, method, given) ->
                  switch (method.getName()) {
                    case "getNodeId" -> "self";
                    case "getNodes" -> List.of("self", "other");
                    case "getNodeInfo" -> given == null ? own : read(given);
                    case "setNodeInfo" -> write(given);
                    default -> throw new UnsupportedOperationException(method.getName());
                  });
    }

    @SuppressWarnings("unchecked")
    private static <T> void succeed(Object promise, @Nullable T result) {
      ((Completable<@Nullable T>) promise).succeed(result);
    }

    private @Nullable Object read(Object[] given) {
      JsonObject other = ProgramCluster.metadata(ClusterOptions.DEFAULT);
      JsonObject whole = new JsonObject().put(WireForm.METADATA, other);
      succeed(
          given[1],
          given[0].equals("self")
              ? own
              : new NodeInfo("there", 2, NodeProof.sign(RIGHT, "other", "there", 2, whole)));
      return null;
    }

    private @Nullable Object write(Object[] given) {
      own = (NodeInfo) given[0];
      succeed(given[1], null);
      return null;
    }

    @Override
    public EventBus eventBus() {
      return (EventBus)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {EventBus.class},
              (proxy, method, given) -> {
                if (method.getName().equals("addInboundInterceptor")) {
                  installed.incrementAndGet();
                }
                return proxy;
              });
    }

    void forgetSecret() {
      sharedData().getLocalMap("dev.mcpbus.cluster-secret").clear();
    }

    Future<Vertx> join(ClusterSecret secret) {
      return ProgramCluster.join(this, RecordCopy.with(ClusterOptions.DEFAULT, "secret", secret));
    }
  }

  @Test
  void two_threads_that_join_at_once_install_the_signing_once(Vertx vertx) throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      Clustered node = new Clustered(vertx);
      node.forgetSecret();
      CyclicBarrier both = new CyclicBarrier(2);
      CompletableFuture<Future<Vertx>> other =
          CompletableFuture.supplyAsync(
              () -> {
                meet(both);
                return node.join(RIGHT);
              });
      meet(both);
      await(node.join(RIGHT));
      await(other.get());
      assertThat(node.installed).hasValue(1);
    }
  }

  private static void meet(CyclicBarrier both) {
    try {
      both.await();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void an_attempt_with_a_wrong_secret_leaves_nothing_behind(Vertx vertx) {
    Clustered node = new Clustered(vertx);

    assertThatThrownBy(() -> await(node.join(WRONG)))
        .hasMessageContaining("has another cluster secret");

    assertThat(ClusterSecret.find(node)).isNull();
    assertThat(node.own.metadata()).isNull();
    assertThat(node.installed).hasValue(0);
    assertThat(await(node.join(RIGHT))).isSameAs(node);
    assertThat(ClusterSecret.find(node)).isEqualTo(RIGHT);
    assertThat(ProgramCluster.missing(node)).isNull();
  }
}
