package dev.mcpbus.connection.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.junit5.Checkpoint;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class DeadlineTimerTest {

  @Test
  void it_fires_for_the_earliest_and_again_for_what_the_sweep_names(
      Vertx vertx, VertxTestContext test) {
    Checkpoint fired = test.checkpoint();
    long from = Clock.SYSTEM.millis();
    List<Long> next = List.of(from + 20, from + 30, DeadlineTimer.NONE);
    Iterator<Long> answers = next.iterator();
    List<Long> times = new ArrayList<>();
    vertx.runOnContext(
        go -> {
          DeadlineTimer timer =
              new DeadlineTimer(
                  vertx,
                  Clock.SYSTEM,
                  now -> {
                    times.add(now - from);
                    test.verify(
                        () -> assertThat(times.get(times.size() - 1)).isGreaterThanOrEqualTo(9));
                    long answer = answers.next();
                    if (answer == DeadlineTimer.NONE) {
                      fired.flag();
                    }
                    return answer;
                  });
          timer.include(from + 60_000);
          timer.include(from + 10);
          timer.include(from + 40_000);
        });
  }

  @Test
  void a_deadline_that_has_passed_fires_at_once(Vertx vertx, VertxTestContext test) {
    vertx.runOnContext(
        go ->
            new DeadlineTimer(
                    vertx,
                    () -> 1_000,
                    now -> {
                      test.completeNow();
                      return DeadlineTimer.NONE;
                    })
                .include(5));
  }

  @Test
  void once_stopped_it_stays_silent_until_a_new_deadline(Vertx vertx, VertxTestContext test) {
    List<Long> fired = new ArrayList<>();
    vertx.runOnContext(
        go -> {
          DeadlineTimer timer =
              new DeadlineTimer(
                  vertx,
                  () -> 0,
                  now -> {
                    fired.add(now);
                    return DeadlineTimer.NONE;
                  });
          timer.include(2);
          timer.stop();
          vertx.setTimer(
              10,
              later -> {
                test.verify(() -> assertThat(fired).isEmpty());
                timer.include(5);
              });
          vertx.setTimer(
              60,
              later -> {
                test.verify(() -> assertThat(fired).hasSize(1));
                test.completeNow();
              });
        });
  }
}
