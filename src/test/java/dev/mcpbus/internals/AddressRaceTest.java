package dev.mcpbus.internals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Connections to a host with several addresses; each attempt ends as the test says. */
@ExtendWith(VertxExtension.class)
class AddressRaceTest {

  private final ConnectException refused = new ConnectException("Connection refused");

  private final Map<String, Future<String>> answers = new ConcurrentHashMap<>();
  private final List<String> tried = new CopyOnWriteArrayList<>();
  private final List<String> unused = new CopyOnWriteArrayList<>();
  private final AtomicInteger lookUps = new AtomicInteger();

  private static InetAddress at(String address) {
    return Objects.requireNonNull(HttpConnections.address(address));
  }

  private Future<String> race(Vertx vertx, Future<String> first, String... others) {
    InternalContext owner = InternalContext.create(vertx);
    return owner.call(
        () ->
            AddressRace.run(
                owner,
                first,
                () -> {
                  lookUps.incrementAndGet();
                  return Future.succeededFuture(
                      List.of(others).stream().map(AddressRaceTest::at).toList());
                },
                address -> {
                  tried.add(address.getHostAddress());
                  return answers.get(address.getHostAddress());
                },
                unused::add));
  }

  @Test
  void a_first_address_that_answers_is_the_only_one(Vertx vertx) {
    assertThat(TestBus.await(race(vertx, Future.succeededFuture("a"), "10.0.0.1"))).isEqualTo("a");
    assertThat(lookUps.get()).isZero();
  }

  @Test
  void a_refusal_leads_to_the_next_address_at_once(Vertx vertx) {
    answers.put("10.0.0.1", Future.failedFuture(refused));
    answers.put("10.0.0.2", Future.succeededFuture("b"));
    assertThat(TestBus.await(race(vertx, Future.failedFuture(refused), "10.0.0.1", "10.0.0.2")))
        .isEqualTo("b");
    assertThat(tried).containsExactly("10.0.0.1", "10.0.0.2");
  }

  @Test
  void a_silent_address_does_not_hold_up_the_next_and_its_late_connection_is_given_back(
      Vertx vertx) {
    Promise<String> silent = Promise.promise();
    Promise<String> alsoSilent = Promise.promise();
    answers.put("10.0.0.1", alsoSilent.future());
    answers.put("10.0.0.2", Future.succeededFuture("b"));
    assertThat(TestBus.await(race(vertx, silent.future(), "10.0.0.1", "10.0.0.2"))).isEqualTo("b");
    silent.complete("late");
    alsoSilent.fail(refused);
    await().until(() -> unused.equals(List.of("late")));
  }

  @Test
  void a_slow_first_address_wins_where_there_is_no_other(Vertx vertx) {
    Promise<String> slow = Promise.promise();
    Future<String> raced = race(vertx, slow.future());
    await().until(() -> lookUps.get() == 1);
    slow.complete("a");
    assertThat(TestBus.await(raced)).isEqualTo("a");
  }

  @Test
  void a_failure_of_tls_is_that_of_a_server_and_ends_the_race(Vertx vertx) {
    SSLHandshakeException tls = new SSLHandshakeException("no");
    assertThatThrownBy(() -> TestBus.await(race(vertx, Future.failedFuture(tls), "10.0.0.1")))
        .hasRootCause(tls);
    assertThat(tried).isEmpty();
  }

  @Test
  void what_says_most_is_the_failure_of_all(Vertx vertx) {
    IOException noRoute = new NoRouteToHostException("No route to host");
    answers.put("10.0.0.1", Future.failedFuture(refused));
    answers.put("10.0.0.2", Future.failedFuture(noRoute));
    assertThatThrownBy(
            () -> TestBus.await(race(vertx, Future.failedFuture(noRoute), "10.0.0.1", "10.0.0.2")))
        .hasRootCause(refused);
    IOException unknown = new UnknownHostException("x");
    assertThatThrownBy(() -> TestBus.await(race(vertx, Future.failedFuture(unknown))))
        .hasRootCause(unknown);
  }

  @Test
  void the_families_alternate_and_the_address_that_was_tried_is_left_out() {
    List<InetAddress> all =
        List.of(at("10.0.0.1"), at("10.0.0.2"), at("10.0.0.3"), at("::1"), at("::2"), at("::1"));
    assertThat(AddressRace.others(all, at("10.0.0.1")))
        .containsExactly(at("::1"), at("10.0.0.2"), at("::2"), at("10.0.0.3"));
    assertThat(AddressRace.others(List.of(at("::1")), at("::1"))).isEmpty();
    assertThat(AddressRace.others(List.of(at("::1")), null)).containsExactly(at("::1"));
  }

  @Test
  void a_name_that_nobody_knows_has_no_other_address(Vertx vertx) {
    InternalContext owner = InternalContext.create(vertx);
    assertThat(TestBus.await(AddressRace.others(owner, "nobody.invalid", true))).isEmpty();
  }
}
