package dev.mcpbus.cluster.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.cluster.membership.ClusterMembers;
import dev.mcpbus.cluster.membership.ClusterNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class LostNodesTest {

  private final AtomicInteger changes = new AtomicInteger();
  private final Set<String> reachable = ConcurrentHashMap.newKeySet();
  private volatile boolean portClosed;
  private volatile boolean givenUp = true;
  private Vertx vertx;
  private LostNodes losses;

  @BeforeEach
  void on(Vertx made) {
    vertx = made;
    ClusterMembers members =
        new ClusterMembers() {
          @Override
          public String self() {
            return "a";
          }

          @Override
          public Set<String> alive() {
            return Set.of("a");
          }

          @Override
          public boolean isQuorumLost(Throwable failure) {
            return false;
          }

          @Override
          public Future<Boolean> hasClosedItsBusPort(String node) {
            return Future.succeededFuture(portClosed);
          }

          @Override
          public Future<List<ClusterNode>> nodes() {
            throw new UnsupportedOperationException();
          }
        };
    losses =
        new LostNodes(made, members, node -> givenUp, reachable::add, changes::incrementAndGet);
  }

  private boolean hasStopped() throws Exception {
    return Future.<Boolean>future(
            answer -> vertx.runOnContext(now -> answer.complete(losses.hasStopped("b"))))
        .await(60, TimeUnit.SECONDS);
  }

  private void lose() {
    vertx.runOnContext(now -> losses.lost("b"));
  }

  @Test
  void a_node_whose_bus_port_is_closed_has_stopped() throws Exception {
    portClosed = true;
    lose();
    assertThat(hasStopped()).isTrue();
    assertThat(changes).hasValue(1);
    assertThat(reachable).isEmpty();
  }

  @Test
  void a_reachable_node_has_stopped_when_its_grants_have_ended() throws Exception {
    givenUp = false;
    lose();
    Awaitility.await().until(() -> reachable.contains("b"));
    long lost = System.nanoTime();
    Awaitility.await().until(() -> System.nanoTime() - lost > 1_200_000 * LostNodes.GRACE_MILLIS);
    assertThat(hasStopped()).isFalse();
    givenUp = true;
    assertThat(hasStopped()).isTrue();
    givenUp = false;
    assertThat(hasStopped()).as("what has ended does not begin again").isTrue();
  }

  @Test
  void a_node_that_came_back_and_is_lost_again_gets_its_full_grace_again() throws Exception {
    lose();
    Awaitility.await().until(this::hasStopped);
    long again = System.nanoTime();
    lose();
    assertThat(hasStopped()).isFalse();
    Awaitility.await().until(this::hasStopped);
    assertThat((System.nanoTime() - again) / 1_000_000)
        .isGreaterThanOrEqualTo(LostNodes.GRACE_MILLIS);
    assertThat(changes).hasValue(2);
  }
}
