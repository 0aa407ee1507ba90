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

  private final AtomicInteger told = new AtomicInteger();
  private final Set<String> doubted = ConcurrentHashMap.newKeySet();
  private volatile boolean shut;
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
            return Future.succeededFuture(shut);
          }

          @Override
          public Future<List<ClusterNode>> nodes() {
            throw new UnsupportedOperationException();
          }
        };
    losses = new LostNodes(made, members, node -> givenUp, doubted::add, told::incrementAndGet);
  }

  private boolean isOver() throws Exception {
    return Future.<Boolean>future(
            asked -> vertx.runOnContext(now -> asked.complete(losses.isOver("b"))))
        .await(5, TimeUnit.SECONDS);
  }

  private void lose() {
    vertx.runOnContext(now -> losses.lost("b"));
  }

  @Test
  void who_has_shut_its_door_has_ended() throws Exception {
    shut = true;
    lose();
    assertThat(isOver()).isTrue();
    assertThat(told).hasValue(1);
    assertThat(doubted).isEmpty();
  }

  @Test
  void one_that_may_be_alive_has_ended_when_nobody_lets_it_act() throws Exception {
    givenUp = false;
    lose();
    Awaitility.await().until(() -> doubted.contains("b"));
    long lost = System.nanoTime();
    Awaitility.await().until(() -> System.nanoTime() - lost > 1_200_000 * LostNodes.GRACE_MILLIS);
    assertThat(isOver()).isFalse();
    givenUp = true;
    assertThat(isOver()).isTrue();
    givenUp = false;
    assertThat(isOver()).as("what has ended does not begin again").isTrue();
  }

  @Test
  void one_that_came_back_and_is_lost_again_is_given_its_time_again() throws Exception {
    lose();
    Awaitility.await().until(this::isOver);
    long again = System.nanoTime();
    lose();
    assertThat(isOver()).isFalse();
    Awaitility.await().until(this::isOver);
    assertThat((System.nanoTime() - again) / 1_000_000)
        .isGreaterThanOrEqualTo(LostNodes.GRACE_MILLIS);
    assertThat(told).hasValue(2);
  }
}
