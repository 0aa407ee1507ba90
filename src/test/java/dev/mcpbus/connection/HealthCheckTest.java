package dev.mcpbus.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.junit5.Timeout;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
@Timeout(20_000)
class HealthCheckTest {

  private static final ConnectionOptions OPTIONS =
      ConnectionOptions.DEFAULT
          .with()
          .pingInterval(Duration.ofMillis(20))
          .pingTimeout(Duration.ofMillis(20))
          .idleStop(Duration.ofMillis(30))
          .build();

  private final List<String> heard = new CopyOnWriteArrayList<>();

  private final HealthCheck.Listener listener =
      new HealthCheck.Listener() {
        @Override
        public void healthy() {
          heard.add("healthy");
        }

        @Override
        public void unhealthy(int failures, String message) {
          heard.add("unhealthy " + failures);
        }
      };

  private HealthCheck start(
      Vertx vertx, ConnectionOptions options, Function<String, @Nullable String> answers) {
    Context context = vertx.getOrCreateContext();
    HealthCheck health = new HealthCheck(vertx, options, listener);
    context.runOnContext(
        go -> {
          Session session = new FakeServer(vertx, answers).session(context, options, Clock.SYSTEM);
          FakeServer.open(session).onSuccess(ready -> health.start(session));
        });
    return health;
  }

  private void awaitHeard(String... wanted) {
    Awaitility.await().until(() -> heard.size() >= wanted.length);
    assertThat(heard.subList(0, wanted.length)).containsExactly(wanted);
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

  @Test
  void an_idle_session_is_noticed_once_and_a_call_puts_it_off(Vertx vertx) {
    long[] now = {0};
    Context context = vertx.getOrCreateContext();
    IdleWatch[] watch = new IdleWatch[1];
    watch[0] = new IdleWatch(vertx, () -> now[0], OPTIONS, () -> heard.add("idle at " + now[0]));
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
                    IdleWatch watch =
                        new IdleWatch(vertx, Clock.SYSTEM, OPTIONS, () -> heard.add("idle"));
                    session[0]
                        .request("tools/call", null, Duration.ofMillis(120))
                        .onComplete(ended -> heard.add("call ended"));
                    watch.start(session[0]);
                  });
        });
    awaitHeard("call ended", "idle");
  }
}
