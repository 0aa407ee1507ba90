package dev.mcpbus.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Timers;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.session.Clock;
import dev.mcpbus.connection.session.DiscoverEra;
import dev.mcpbus.connection.session.Session;
import dev.mcpbus.connection.session.SessionPreferences;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.Timeout;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(VertxExtension.class)
@Timeout(20_000)
class HealthCheckTest {

  private static final ConnectionOptions OPTIONS =
      RecordCopy.with(
          ConnectionOptions.DEFAULT,
          Map.of(
              "pingInterval",
              Duration.ofMillis(20),
              "pingTimeout",
              Duration.ofMillis(20),
              "idleStop",
              Duration.ofMillis(30)));

  private static final String LOST = "\"error\":{\"code\":-32002,\"message\":\"no session\"}";

  private final List<String> heard = new CopyOnWriteArrayList<>();

  private final HealthCheck.HealthListener listener =
      new HealthCheck.HealthListener() {
        @Override
        public void healthy() {
          heard.add("healthy");
        }

        @Override
        public void unhealthy(HealthCheck.FailedCheck failure) {
          heard.add("unhealthy " + failure.failures());
        }

        @Override
        public void unlisted(HealthCheck.FailedCheck failure) {
          heard.add("unlisted " + failure.failures() + " " + failure.reason().code());
        }
      };

  private HealthCheck start(
      Vertx vertx, ConnectionOptions options, Function<String, @Nullable String> answers) {
    Context context = vertx.getOrCreateContext();
    HealthCheck health = new HealthCheck(Timers.of(vertx), options, listener);
    context.runOnContext(
        go -> {
          Session session = new FakeServer(vertx, answers).session(context, options, Clock.SYSTEM);
          FakeServer.open(session).onSuccess(ready -> health.start(session, null));
        });
    return health;
  }

  private void awaitHeard(String... wanted) {
    Awaitility.await().until(() -> heard.size() >= wanted.length);
    assertThat(List.copyOf(heard).subList(0, wanted.length)).containsExactly(wanted);
  }

  @Test
  void a_server_that_answers_is_healthy_again_and_again(Vertx vertx) {
    start(vertx, OPTIONS, method -> "\"result\":{}");
    awaitHeard("healthy", "healthy");
  }

  @Test
  void an_error_is_an_answer_too(Vertx vertx) {
    start(vertx, OPTIONS, method -> "\"error\":{\"code\":-32601,\"message\":\"no\"}");
    awaitHeard("healthy", "healthy");
  }

  @Test
  void silence_is_counted_until_an_answer_comes(Vertx vertx) {
    start(vertx, OPTIONS, method -> heard.size() < 3 ? null : "\"result\":{}");
    awaitHeard("unhealthy 1", "unhealthy 2", "unhealthy 3", "healthy");
  }

  /** Nothing but the health interval, and what lists the tools. */
  private void probe(
      Vertx vertx, Function<String, @Nullable String> answers, Supplier<Future<?>> tools) {
    ConnectionOptions options =
        RecordCopy.with(
            OPTIONS,
            Map.of("pingInterval", Duration.ZERO, "healthInterval", Duration.ofMillis(20)));
    Context context = vertx.getOrCreateContext();
    HealthCheck health = new HealthCheck(Timers.of(vertx), options, listener);
    context.runOnContext(
        go -> {
          Session session = new FakeServer(vertx, answers).session(context, options, Clock.SYSTEM);
          FakeServer.open(session).onSuccess(ready -> health.start(session, tools));
        });
  }

  @Test
  void the_tools_are_compared_after_every_good_answer(Vertx vertx) {
    probe(
        vertx,
        method -> "\"result\":{}",
        () -> {
          heard.add("compared");
          return Future.succeededFuture();
        });
    awaitHeard("healthy", "compared", "healthy", "compared");
  }

  @Test
  void a_list_that_fails_is_counted_and_does_not_make_the_server_ill(Vertx vertx) {
    McpFailure endless = McpFailure.maybeSent(FailureCode.PROTOCOL_ERROR, "does not end");
    probe(vertx, method -> "\"result\":{}", () -> Future.failedFuture(endless));
    awaitHeard("healthy", "unlisted 1 PROTOCOL_ERROR", "healthy", "unlisted 2 PROTOCOL_ERROR");
  }

  /** Every request of the session meets the same error: it is lost, and no call works. */
  @Test
  void a_server_that_refuses_ping_and_the_list_is_ill(Vertx vertx) {
    probe(vertx, method -> LOST, () -> Future.failedFuture("never asked"));
    awaitHeard("unhealthy 1", "unhealthy 2");
  }

  @Test
  void a_server_that_refuses_ping_and_lists_its_tools_is_well_and_listed_once(Vertx vertx) {
    AtomicInteger lists = new AtomicInteger();
    probe(
        vertx,
        method -> method.equals("ping") || lists.getAndIncrement() > 0 ? LOST : "\"result\":{}",
        Future::succeededFuture);
    awaitHeard("healthy", "healthy", "healthy");
    assertThat(lists).hasValue(1);
  }

  @Test
  void a_server_that_is_silent_on_ping_and_lists_its_tools_is_well(Vertx vertx) {
    AtomicInteger pings = new AtomicInteger();
    probe(
        vertx,
        method -> method.equals("ping") && pings.getAndIncrement() >= 0 ? null : "\"result\":{}",
        Future::succeededFuture);
    awaitHeard("healthy", "healthy", "healthy");
    assertThat(pings).hasValue(1);
  }

  @Test
  void a_server_without_tools_that_answered_pings_and_refuses_them_now_is_ill(Vertx vertx) {
    start(vertx, OPTIONS, method -> heard.isEmpty() ? "\"result\":{}" : LOST);
    awaitHeard("healthy", "unhealthy 1", "unhealthy 2");
  }

  @Test
  void one_list_at_a_time_and_the_pings_go_on_beside_it(Vertx vertx) {
    probe(
        vertx,
        method -> "\"result\":{}",
        () -> {
          heard.add("compared");
          return Promise.promise().future();
        });
    awaitHeard("healthy", "compared", "healthy", "healthy");
  }

  @Test
  void an_answer_that_is_no_result_of_the_protocol_is_a_failed_check(Vertx vertx) {
    probe(vertx, method -> "\"result\":[]", () -> Future.failedFuture("never asked"));
    awaitHeard("unhealthy 1", "unhealthy 2");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"supportedVersions\":[\"2025-11-25\",\"2026-07-28\"]}|",
        "{\"supportedVersions\":[\"2031-01-01\"]}|no longer speaks",
        "{\"supportedVersions\":\"2026-07-28\"}|no list",
        "{}|no list"
      })
  void discover_must_still_name_the_version_that_was_settled_on(
      String answer, @Nullable String wrong) {
    DiscoverEra era =
        new DiscoverEra(
            RawJson.of(new Implementation("test", "1").toJson()),
            new SessionPreferences(RawJson.EMPTY_OBJECT));
    String found = era.wrong(RawJson.of(answer));
    if (wrong == null) {
      assertThat(found).isNull();
    } else {
      assertThat(found).contains(wrong);
    }
  }

  @Test
  void an_idle_session_is_noticed_once_and_a_call_puts_it_off(Vertx vertx) {
    long[] now = {0};
    Context context = vertx.getOrCreateContext();
    IdleTimer[] watch = new IdleTimer[1];
    watch[0] = new IdleTimer(vertx, () -> now[0], OPTIONS, () -> heard.add("idle at " + now[0]));
    context.runOnContext(
        go -> {
          FakeServer server = new FakeServer(vertx, method -> null);
          Session session = server.session(context, OPTIONS, () -> now[0]);
          watch[0].start(session);
          now[0] = 20;
          watch[0].touch();
          now[0] = 30;
          // The timer comes at 30, when 20 of the 30 ms are left since the call.
          vertx.setTimer(40, later -> now[0] = 50);
        });
    awaitHeard("idle at 50");
  }

  @Test
  void a_session_that_rests_no_more_has_its_own_time_again(Vertx vertx) {
    long[] now = {0};
    long[] rest = {10};
    Context context = vertx.getOrCreateContext();
    IdleTimer watch =
        new IdleTimer(vertx, () -> now[0], OPTIONS, () -> heard.add("idle at " + now[0]));
    watch.restsAfter(() -> rest[0]);
    context.runOnContext(
        go -> {
          FakeServer server = new FakeServer(vertx, method -> null);
          watch.start(server.session(context, OPTIONS, () -> now[0]));
          rest[0] = 0;
          now[0] = 20; // more than the rest, less than the 30 ms of the options
          vertx.setTimer(40, later -> now[0] = 50);
        });
    awaitHeard("idle at 50");
  }

  @Test
  void a_session_with_a_pending_call_is_not_idle(Vertx vertx) {
    Context context = vertx.getOrCreateContext();
    FakeServer server = new FakeServer(vertx, method -> null);
    Session[] session = new Session[1];
    context.runOnContext(
        go -> {
          session[0] = server.session(context, OPTIONS, Clock.SYSTEM);
          FakeServer.open(session[0])
              .onSuccess(
                  ready -> {
                    IdleTimer watch =
                        new IdleTimer(vertx, Clock.SYSTEM, OPTIONS, () -> heard.add("idle"));
                    session[0]
                        .request("tools/call", null, Duration.ofMillis(120))
                        .onComplete(ended -> heard.add("call ended"));
                    watch.start(session[0]);
                  });
        });
    awaitHeard("call ended", "idle");
  }
}
