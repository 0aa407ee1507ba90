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
    assertThat(TestBus.await(once.first("code a", MINUTE))).isTrue();
    assertThat(TestBus.await(once.first("code b", MINUTE))).isTrue();
    nanos.addAndGet(MINUTE.toNanos() - 1);
    assertThat(TestBus.await(once.first("code a", MINUTE))).isFalse();
    nanos.addAndGet(1);
    assertThat(TestBus.await(once.first("code a", MINUTE))).isTrue();
  }

  @Test
  void a_node_that_remembers_all_it_may_says_so_and_forgets_nothing(Vertx vertx) {
    OnceOnly once = new OnceOnly(vertx, nanos::get, 2);
    TestBus.await(once.first("a", MINUTE));
    TestBus.await(once.first("b", Duration.ofSeconds(1)));
    assertThatThrownBy(() -> TestBus.await(once.first("c", MINUTE)))
        .hasMessageContaining("remembers 2");
    assertThat(TestBus.await(once.first("a", MINUTE))).isFalse();
    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    assertThat(TestBus.await(once.first("c", MINUTE))).isTrue();
    assertThat(TestBus.await(once.first("a", MINUTE))).isFalse();
  }

  @Test
  void of_many_threads_one_is_the_first(Vertx vertx) {
    OnceOnly once = OnceOnly.of(vertx);
    assertThat(OnceOnly.of(vertx)).isSameAs(once);
    List<Boolean> firsts =
        IntStream.range(0, 200)
            .parallel()
            .mapToObj(i -> TestBus.await(once.first("proof", MINUTE)))
            .toList();
    assertThat(firsts).containsOnlyOnce(true);
  }
}
