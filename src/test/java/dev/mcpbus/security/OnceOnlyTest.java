package dev.mcpbus.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.testing.TestBus;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class OnceOnlyTest {

  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);

  @Test
  void what_was_used_is_used_until_its_time_is_over(Vertx vertx) {
    OnceOnly once = new OnceOnly(vertx, nanos::get, 10);
    assertThat(TestBus.await(once.first("ann", "code a", MINUTE))).isTrue();
    assertThat(TestBus.await(once.first("ann", "code b", MINUTE))).isTrue();
    nanos.addAndGet(MINUTE.toNanos() - 1);
    assertThat(TestBus.await(once.first("ann", "code a", MINUTE))).isFalse();
    nanos.addAndGet(1);
    assertThat(TestBus.await(once.first("ann", "code a", MINUTE))).isTrue();
  }

  @Test
  void a_node_that_remembers_all_it_may_says_so_and_forgets_nothing(Vertx vertx) {
    OnceOnly once = new OnceOnly(vertx, nanos::get, 2);
    TestBus.await(once.first("local", "a", MINUTE));
    TestBus.await(once.first("local", "b", Duration.ofSeconds(1)));
    assertThatThrownBy(() -> TestBus.await(once.first("local", "c", MINUTE)))
        .hasMessageContaining("remembers as many");
    assertThat(TestBus.await(once.first("ann", "a", MINUTE))).isFalse();
    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    assertThat(TestBus.await(once.first("ann", "c", MINUTE))).isTrue();
    assertThat(TestBus.await(once.first("ann", "a", MINUTE))).isFalse();
  }

  @Test
  void one_owner_leaves_room_to_others(Vertx vertx) {
    OnceOnly once = new OnceOnly(vertx, nanos::get, 100);
    int taken = 0;
    while (once.first("eve", "proof " + taken, MINUTE).succeeded()) {
      taken++;
    }
    assertThat(taken).isBetween(50, 80);
    assertThat(TestBus.await(once.first("ann", "proof", MINUTE))).isTrue();
    nanos.addAndGet(MINUTE.toNanos());
    assertThat(TestBus.await(once.first("eve", "another", MINUTE))).isTrue();
  }

  @Test
  void of_many_threads_one_is_the_first(Vertx vertx) {
    OnceOnly once = OnceOnly.of(vertx);
    assertThat(OnceOnly.of(vertx)).isSameAs(once);
    List<Boolean> firsts =
        IntStream.range(0, 200)
            .parallel()
            .mapToObj(i -> TestBus.await(once.first("ann", "proof", MINUTE)))
            .toList();
    assertThat(firsts).containsOnlyOnce(true);
  }
}
