package dev.mcpbus.bus;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SerialRunsTest {

  private final List<Promise<String>> begun = new ArrayList<>();
  private final SerialRuns<String> runs = new SerialRuns<>(this::begin);

  private Future<String> begin() {
    Promise<String> run = Promise.promise();
    begun.add(run);
    return run.future();
  }

  @Test
  void the_first_request_runs_at_once() {
    Future<String> first = runs.request();
    assertThat(begun).hasSize(1);
    assertThat(runs.running()).isSameAs(first);
    begun.get(0).complete("one");
    assertThat(first.result()).isEqualTo("one");
    assertThat(runs.running()).isNull();
  }

  @Test
  void requests_during_a_run_share_one_more_run_behind_it() {
    Future<String> first = runs.request();
    Future<String> second = runs.request();
    assertThat(runs.request()).isSameAs(second);
    assertThat(begun).hasSize(1);
    begun.get(0).complete("one");
    assertThat(begun).hasSize(2);
    assertThat(first.result()).isEqualTo("one");
    assertThat(second.isComplete()).isFalse();
    begun.get(1).complete("two");
    assertThat(second.result()).isEqualTo("two");
    assertThat(begun).hasSize(2);
  }

  @Test
  void a_run_that_fails_does_not_keep_the_next_from_running() {
    Future<String> first = runs.request();
    Future<String> second = runs.request();
    begun.get(0).fail("no");
    begun.get(1).complete("two");
    assertThat(first.cause()).hasMessage("no");
    assertThat(second.result()).isEqualTo("two");
  }

  @Test
  void a_run_that_throws_does_not_keep_the_next_from_running() {
    List<Integer> calls = new ArrayList<>();
    SerialRuns<String> throwing =
        new SerialRuns<>(
            () -> {
              calls.add(calls.size());
              if (calls.size() == 1) {
                throw new IllegalStateException("a defect");
              }
              return Future.succeededFuture("two");
            });
    assertThat(throwing.request().cause()).hasMessage("a defect");
    assertThat(throwing.running()).isNull();
    assertThat(throwing.request().result()).isEqualTo("two");
  }

  @Test
  void a_request_of_the_run_itself_is_run_behind_it() {
    List<Future<Void>> again = new ArrayList<>();
    List<SerialRuns<Void>> self = new ArrayList<>();
    self.add(
        new SerialRuns<>(
            () -> {
              if (again.size() < 2) {
                again.add(self.get(0).request());
              }
              return Future.succeededFuture();
            }));
    assertThat(self.get(0).request().succeeded()).isTrue();
    assertThat(again).hasSize(2).allMatch(Future::succeeded);
    assertThat(self.get(0).running()).isNull();
  }

  @Test
  void it_is_quiet_when_the_run_behind_has_ended_too() {
    assertThat(runs.quiet().succeeded()).isTrue();
    runs.request();
    runs.request();
    Future<Void> quiet = runs.quiet();
    begun.get(0).complete("one");
    assertThat(quiet.isComplete()).isFalse();
    begun.get(1).fail("no");
    assertThat(quiet.succeeded()).isTrue();
  }
}
