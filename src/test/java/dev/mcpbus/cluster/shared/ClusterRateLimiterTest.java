package dev.mcpbus.cluster.shared;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.cluster.shared.RateLimitLedger.Ask;
import dev.mcpbus.cluster.shared.RateLimitLedger.RateGrant;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.Limits;
import dev.mcpbus.security.Principal;
import dev.mcpbus.security.RateLimiter.Place;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several nodes, one keeper, and a clock that the test advances. */
@ExtendWith(VertxExtension.class)
class ClusterRateLimiterTest {

  private static final Limits RATE = new Limits(10, 20, 0);

  private Vertx vertx;
  private long millis = 1_000;
  private RateLimitLedger book = new RateLimitLedger(this::nanos);
  private final List<Node> nodes = new ArrayList<>();

  @BeforeEach
  void on(Vertx made) {
    vertx = made;
  }

  private long nanos() {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** A rate limiter and its connection to the keeper. */
  private final class Node implements ClusterRateLimiter.Keepers {
    private final String name;
    private final ClusterRateLimiter throttle;
    private final Deque<Runnable> held = new ArrayDeque<>();
    private boolean holds;
    private boolean silent;
    private int asks;

    Node(String name, Limits limits) {
      this.name = name;
      this.throttle =
          new ClusterRateLimiter(
              vertx, AuthOptions.NONE.withLimits(limits), this, ClusterRateLimiterTest.this::nanos);
      nodes.add(this);
    }

    @Override
    public String self() {
      return name;
    }

    @Override
    public int nodes() {
      return nodes.size();
    }

    @Override
    public Future<RateGrant> ask(Ask ask) {
      asks++;
      Ask wired = Ask.of(ask.toJson());
      assertThat(wired).isEqualTo(ask);
      if (silent) {
        return Future.failedFuture("silent");
      }
      Promise<RateGrant> promise = Promise.promise();
      Runnable answer = () -> promise.complete(RateGrant.of(book.ask(wired).toJson()));
      if (holds) {
        held.add(answer);
      } else {
        answer.run();
      }
      return promise.future();
    }

    void release() {
      while (!held.isEmpty()) {
        held.remove().run();
      }
    }

    Future<Place> enter() {
      return throttle.enter(Principal.LOCAL);
    }

    boolean enters() {
      Future<Place> place = enter();
      assertThat(place.isComplete()).isTrue();
      return place.result().isFree();
    }

    int enters(int times) {
      int free = 0;
      for (int i = 0; i < times; i++) {
        free += enters() ? 1 : 0;
      }
      return free;
    }
  }

  private void pass(long time) {
    for (long until = millis + time; millis < until; millis = Math.min(until, millis + 1_000)) {
      nodes.forEach(node -> node.throttle.tick());
    }
    nodes.forEach(node -> node.throttle.tick());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void in_any_stretch_of_time_all_nodes_together_allow_the_burst_and_the_rate(long seed) {
    Random random = new Random(seed);
    List<Node> three = List.of(new Node("a", RATE), new Node("b", RATE), new Node("c", RATE));
    List<Long> all = new ArrayList<>();
    List<Future<Place>> waiting = new ArrayList<>();
    long began = millis;
    long ticked = millis;
    for (int i = 0; i < 4_000; i++) {
      Node node = three.get(random.nextInt(3));
      node.holds = random.nextInt(4) == 0;
      if (random.nextInt(3) > 0) {
        node.release();
      }
      waiting.add(node.enter());
      for (Future<Place> place : List.copyOf(waiting)) {
        if (place.isComplete()) {
          waiting.remove(place);
          if (place.result().isFree()) {
            all.add(millis);
          }
        }
      }
      millis += random.nextInt(20);
      if (millis - ticked >= 1_000) {
        ticked = millis;
        three.forEach(one -> one.throttle.tick());
      }
    }
    for (int i = 0; i < all.size(); i++) {
      for (int j = i; j < all.size(); j++) {
        double seconds = (all.get(j) - all.get(i)) / 1_000.0;
        assertThat(j - i + 1.0)
            .as("from %s to %s", all.get(i), all.get(j))
            .isLessThanOrEqualTo(RATE.burst() + RATE.rate() * seconds + 0.001);
      }
    }
    assertThat((double) all.size()).isGreaterThan(0.9 * RATE.rate() * (millis - began) / 1_000);
  }

  @Test
  void a_client_of_one_node_gets_all_of_it_also_after_others_had_some() {
    Node one = new Node("one", RATE);
    Node two = new Node("two", RATE);
    assertThat(two.enters(5)).isEqualTo(5);
    pass(10_000);
    assertThat(one.enters(30)).isEqualTo(20);
    int more = 0;
    for (int i = 0; i < 1_000; i++) {
      millis += 10;
      more += one.enters() ? 1 : 0;
    }
    assertThat(more).isBetween(95, 100);
    assertThat(two.enters()).isFalse();
  }

  @Test
  void a_slow_client_loses_nothing_of_what_was_taken_in_advance() {
    Node slow = new Node("slow", new Limits(1, 2, 0));
    new Node("other", RATE);
    int free = 0;
    for (int i = 0; i < 50; i++) {
      free += slow.enters() ? 1 : 0;
      pass(1_000);
    }
    assertThat(free).isBetween(48, 50);
  }

  @Test
  void no_request_waits_for_the_keeper_while_the_node_holds_tokens() {
    Node node = new Node("node", new Limits(1_000, 800, 0));
    assertThat(node.enters()).isTrue();
    node.holds = true;
    int before = node.asks;
    assertThat(node.enters(40)).isEqualTo(40);
    assertThat(node.asks).isEqualTo(before + 1);
    node.release();
    node.holds = false;
    for (int i = 0; i < 10_000; i++) {
      millis += i % 2;
      assertThat(node.enters()).as("request %s", i).isEqualTo(true);
      if (millis % 5 == 0) {
        millis += 5;
      }
    }
    assertThat(node.asks).isLessThan(10_000 / 20);
  }

  @Test
  void waiting_requests_are_reported_to_the_keeper_together() {
    Node node = new Node("node", RATE);
    node.holds = true;
    List<Future<Place>> waiting = new ArrayList<>();
    for (int i = 0; i < 25; i++) {
      waiting.add(node.enter());
    }
    assertThat(waiting).noneMatch(Future::isComplete);
    node.holds = false;
    node.release();
    assertThat(waiting).allMatch(Future::isComplete);
    assertThat(waiting).filteredOn(one -> one.result().isFree()).hasSize(20);
    assertThat(node.asks).isLessThan(5);
    assertThat(waiting.get(24).result().retryMillis()).isBetween(1L, 1_000L);
  }

  @Test
  void where_the_keeper_is_silent_each_node_allows_its_share_and_asks_again_later() {
    Node a = new Node("a", RATE);
    Node b = new Node("b", RATE);
    a.silent = true;
    b.silent = true;
    assertThat(a.enters(30)).isEqualTo(10);
    assertThat(b.enters(30)).isEqualTo(10);
    assertThat(a.asks).isEqualTo(1);
    a.silent = false;
    millis += 1_001;
    assertThat(a.enters(30)).as("what it allowed alone is paid back").isEqualTo(10);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void there_are_never_more_requests_in_flight_than_all_nodes_together_may_have(long seed) {
    Limits eight = new Limits(0, 0, 8);
    Random random = new Random(seed);
    List<Node> three = List.of(new Node("a", eight), new Node("b", eight), new Node("c", eight));
    List<Place> flying = new ArrayList<>();
    int most = 0;
    for (int i = 0; i < 5_000; i++) {
      if (random.nextInt(5) < 3) {
        Future<Place> place = three.get(random.nextInt(3)).enter();
        if (place.result().isFree()) {
          flying.add(place.result());
        }
      } else if (!flying.isEmpty()) {
        flying.remove(random.nextInt(flying.size())).end().run();
      }
      most = Math.max(most, flying.size());
      assertThat(flying).hasSizeLessThanOrEqualTo(8);
      millis += random.nextInt(100);
      if (i % 20 == 0) {
        three.forEach(one -> one.throttle.tick());
      }
    }
    assertThat(most).isGreaterThanOrEqualTo(7);
    flying.forEach(one -> one.end().run());
    pass(3_000);
    assertThat(three.get(0).enters(20)).isEqualTo(8);
  }

  @Test
  void what_a_lost_node_had_in_flight_counts_no_longer() {
    Limits four = new Limits(0, 0, 4);
    Node lost = new Node("lost", four);
    Node other = new Node("other", four);
    assertThat(lost.enters(4)).isEqualTo(4);
    assertThat(other.enters()).isFalse();
    book.left("lost");
    millis += 100;
    assertThat(other.enters(5)).isEqualTo(4);
  }

  @Test
  void a_new_keeper_starts_with_the_tokens_left_at_the_old_one() {
    Node node = new Node("node", RATE);
    assertThat(node.enters(30)).isEqualTo(20);
    book = new RateLimitLedger(this::nanos);
    millis += 200;
    assertThat(node.enters(30)).isBetween(1, 3);
  }
}
