package dev.mcpbus.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class LossesTest {

  private final AtomicInteger told = new AtomicInteger();
  private volatile boolean shut;
  private Vertx vertx;
  private Losses losses;

  @BeforeEach
  void on(Vertx made) {
    vertx = made;
    Members members =
        new Members() {
          @Override
          public String self() {
            return "a";
          }

          @Override
          public Set<String> alive() {
            return Set.of("a");
          }

          @Override
          public Future<Boolean> isShut(String node) {
            return Future.succeededFuture(shut);
          }

          @Override
          public Future<List<Node>> nodes() {
            throw new UnsupportedOperationException();
          }
        };
    losses = new Losses(made, members, told::incrementAndGet);
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
  }

  @Test
  void one_that_came_back_and_is_lost_again_is_given_its_time_again() throws Exception {
    lose();
    Awaitility.await().until(this::isOver);
    long again = System.nanoTime();
    lose();
    assertThat(isOver()).isFalse();
    Awaitility.await().until(this::isOver);
    assertThat((System.nanoTime() - again) / 1_000_000).isGreaterThanOrEqualTo(Losses.GRACE_MILLIS);
    assertThat(told).hasValue(2);
  }
}
