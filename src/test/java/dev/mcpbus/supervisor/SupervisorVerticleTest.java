package dev.mcpbus.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.LifecycleMessage;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Decisions carried out on a real bus with real verticles; time is the test's. */
@ExtendWith(VertxExtension.class)
class SupervisorVerticleTest {

  private final ScriptedChildren children = new ScriptedChildren();
  private final ManualScheduler time = new ManualScheduler();
  private Vertx vertx;
  private SupervisorVerticle supervisor;
  private String deployment;

  @BeforeEach
  void deploy(Vertx vertx) throws Exception {
    this.vertx = vertx;
    supervisor =
        new SupervisorVerticle(
            SupervisorOptions.of(RestartStrategy.ONE_FOR_ONE, 16),
            SupervisionDriver.NO_CHANCE,
            time::now,
            any -> time,
            () -> 0);
    deployment = get(vertx.deployVerticle(supervisor));
  }

  private static <T> T get(Future<T> future) throws TimeoutException {
    return future.await(60, TimeUnit.SECONDS);
  }

  private void awaitLog(String... lines) {
    await().untilAsserted(() -> assertThat(children.log).containsExactly(lines));
  }

  /** Lets time pass when the supervisor has set the timers of what it has begun. */
  private void passes(long millis) throws TimeoutException {
    get(supervisor.children());
    time.passes(millis);
  }

  private void running(String... ids) throws TimeoutException {
    for (String id : ids) {
      get(supervisor.startChild(children.spec(id)));
      await().until(() -> children.log.contains(id + " start 1"));
    }
    get(supervisor.children()); // what they said has been heard
    children.log.clear();
  }

  @Test
  void a_child_is_deployed_before_and_without_its_session() throws Exception {
    children.onStart("a", silent -> null);
    get(supervisor.startChild(children.spec("a")));
    awaitLog("a deployed", "a start 1");
    assertThat(get(supervisor.children())).containsExactly("a");
  }

  @Test
  void an_id_that_is_taken_or_none_is_refused_with_a_reason() throws Exception {
    get(supervisor.startChild(children.spec("a")));
    assertThatThrownBy(() -> get(supervisor.startChild(children.spec("a"))))
        .hasMessage("'a' is supervised already: terminate or replace it");
    assertThatThrownBy(() -> get(supervisor.startChild(children.spec("A b"))))
        .hasMessageContaining("'A b' is not a valid id");
    assertThatThrownBy(() -> get(supervisor.terminateChild("x")))
        .hasMessage("'x' is not supervised");
    assertThatThrownBy(() -> get(supervisor.replaceChild(children.spec("x"))))
        .hasMessage("'x' is not supervised: start it");
    assertThat(get(supervisor.children())).containsExactly("a");
  }

  @Test
  void a_supervisor_that_is_not_deployed_says_so() {
    SupervisorVerticle idle = new SupervisorVerticle(SupervisorOptions.DEFAULT);
    assertThatThrownBy(() -> get(idle.children())).hasMessage("the supervisor is not deployed");
  }

  @Test
  void a_session_that_fails_is_started_again_after_the_back_off() throws Exception {
    running("a");
    ScriptedChildren.say(vertx, ScriptedChildren.failed("a", 1));
    awaitLog("a attempt 1 in 100");
    passes(99);
    get(supervisor.children());
    awaitLog("a attempt 1 in 100");
    passes(1);
    awaitLog("a attempt 1 in 100", "a start 2");
  }

  @Test
  void a_session_that_never_comes_up_is_given_up_and_probed_for_ever() throws Exception {
    children.onStart("a", start -> ScriptedChildren.failed("a", start.epoch()));
    supervisor.startChild(children.spec("a"));
    for (int attempt = 1; attempt <= 3; attempt++) {
      String scheduled = "a attempt " + attempt + " in ";
      await().until(() -> children.log.stream().anyMatch(s -> s.startsWith(scheduled)));
      passes(1_000);
    }
    for (int epoch = 4; epoch < 8; epoch++) {
      String start = "a start " + epoch;
      await().until(() -> children.log.contains(start));
      await().until(() -> children.log.get(children.log.size() - 1).contains("gave up"));
      passes(30_000);
    }
  }

  @Test
  void a_crashed_verticle_is_replaced_by_a_fresh_one() throws Exception {
    running("a");
    ScriptedChildren.say(vertx, new LifecycleMessage.Crashed("a", new ArithmeticException("boom")));
    awaitLog("a undeployed", "a deployed", "a attempt 1 in 100");
    passes(100);
    await().until(() -> children.log.contains("a start 2"));
    assertThat(children.deployed).hasValue(1);
  }

  @Test
  void a_crashed_verticle_that_does_not_undeploy_is_left_after_its_bound() throws Exception {
    running("a");
    Promise<Void> stuck = Promise.promise();
    children.undeploys.put("a", stuck.future());
    ScriptedChildren.say(vertx, new LifecycleMessage.Crashed("a", new ArithmeticException("boom")));
    awaitLog("a undeployed");
    passes(10_000);
    await().until(() -> children.log.contains("a start 2"));
    stuck.complete();
  }

  @Test
  void a_failed_deployment_is_tried_again_until_it_succeeds_for_the_caller() throws Exception {
    children.failingDeployments.put("a", new AtomicInteger(1));
    Future<Void> started = supervisor.startChild(children.spec("a"));
    awaitLog("a not deployed");
    await()
        .untilAsserted(
            () -> {
              passes(100);
              assertThat(children.log).contains("a start 1");
            });
    get(started);
  }

  @Test
  void a_deployment_that_fails_for_good_fails_for_the_caller() throws Exception {
    children.failingDeployments.put("a", new AtomicInteger(1_000));
    Future<Void> started = supervisor.startChild(children.spec("a"));
    await()
        .until(
            () -> {
              passes(100);
              return started.isComplete();
            });
    assertThat(started.cause())
        .hasMessageContaining("'a' cannot be deployed")
        .hasMessageContaining("no luck");
    assertThat(get(supervisor.children())).containsExactly("a");
    get(supervisor.terminateChild("a"));
    assertThat(get(supervisor.children())).isEmpty();
  }

  @Test
  void a_start_without_a_handler_replaces_the_verticle() {
    AtomicInteger instances = new AtomicInteger();
    ChildSpec deaf =
        new ChildSpec(
            "a",
            "a",
            () -> {
              instances.incrementAndGet();
              return new VerticleBase() {};
            },
            SupervisionDriver.POLICY,
            false,
            false,
            Duration.ofSeconds(5),
            Duration.ofSeconds(10),
            0);
    supervisor.startChild(deaf);
    await().until(() -> instances.get() >= 2);
  }

  @Test
  void terminating_drains_undeploys_and_forgets() throws Exception {
    running("a", "b");
    get(supervisor.terminateChild("a"));
    assertThat(children.log).containsExactly("a stop", "a undeployed");
    assertThat(get(supervisor.children())).containsExactly("b");
  }

  @Test
  void terminating_while_backing_off_leaves_no_timer_behind() throws Exception {
    running("a");
    ScriptedChildren.say(vertx, ScriptedChildren.failed("a", 1));
    awaitLog("a attempt 1 in 100");
    get(supervisor.terminateChild("a"));
    passes(1_000_000);
    get(supervisor.children());
    assertThat(children.log).containsExactly("a attempt 1 in 100", "a stop", "a undeployed");
  }

  @Test
  void terminating_one_that_hangs_takes_its_bounds_and_no_longer() throws Exception {
    running("a");
    Promise<Void> stuck = Promise.promise();
    children.stops.put("a", stuck.future());
    children.undeploys.put("a", stuck.future());
    Future<Void> terminated = supervisor.terminateChild("a");
    awaitLog("a stop");
    passes(15_000);
    awaitLog("a stop", "a undeployed");
    assertThat(terminated.isComplete()).isFalse();
    passes(10_000);
    get(terminated);
    stuck.complete();
  }

  @Test
  void a_killed_child_is_over_with_its_session_whatever_undeploys_it() throws Exception {
    running("a");
    Promise<Void> table = Promise.promise();
    children.undeploys.put("a", table.future());
    get(supervisor.killChild("a"));
    Future<Void> started = supervisor.startChild(children.spec("a"));
    awaitLog("a stop", "a undeployed");
    assertThat(started.isComplete()).isFalse();
    table.complete();
    get(started);
    awaitLog("a stop", "a undeployed", "a deployed", "a start 2");
  }

  @Test
  void a_child_added_while_its_namesake_is_leaving_waits_for_it_and_continues_its_epochs()
      throws Exception {
    running("a");
    Promise<Void> draining = Promise.promise();
    children.stops.put("a", draining.future());
    Future<Void> terminated = supervisor.terminateChild("a");
    Future<Void> started = supervisor.startChild(children.spec("a"));
    awaitLog("a stop");
    assertThat(started.isComplete()).isFalse();
    draining.complete();
    get(terminated);
    get(started);
    awaitLog("a stop", "a undeployed", "a deployed", "a start 2");
  }

  @Test
  void replacing_drains_the_old_one_before_the_new_one_comes() throws Exception {
    running("a", "b");
    Promise<Void> draining = Promise.promise();
    children.stops.put("a", draining.future());
    Future<Void> replaced = supervisor.replaceChild(children.spec("a"));
    awaitLog("a stop to restart");
    draining.complete();
    get(replaced);
    awaitLog("a stop to restart", "a undeployed", "a deployed", "a start 2");
    assertThat(get(supervisor.children())).containsExactly("a", "b");
  }

  @Test
  void undeploying_the_supervisor_stops_children_the_last_first_and_64_at_a_time()
      throws Exception {
    List<String> ids = IntStream.range(0, 66).mapToObj(i -> "c" + i).toList();
    Promise<Void> draining = Promise.promise();
    for (String id : ids) {
      children.stops.put(id, draining.future());
    }
    running(ids.toArray(String[]::new));
    Future<Void> undeployed = vertx.undeploy(deployment);
    await().until(() -> children.log.size() == 64);
    assertThat(children.log)
        .containsExactlyInAnyOrderElementsOf(
            ids.subList(2, 66).stream().map(id -> id + " stop").toList());
    draining.complete();
    get(undeployed);
    assertThat(children.log).contains("c1 stop", "c0 stop");
    assertThat(children.deployed).hasValue(0);
    assertThatThrownBy(() -> get(supervisor.children())).hasMessage("the supervisor stops");
  }

  @Test
  void undeploying_the_supervisor_waits_for_a_child_that_is_leaving() throws Exception {
    running("a", "b");
    Promise<Void> draining = Promise.promise();
    children.stops.put("a", draining.future());
    Future<Void> terminated = supervisor.terminateChild("a");
    awaitLog("a stop");
    Future<Void> undeployed = vertx.undeploy(deployment);
    awaitLog("a stop", "b stop", "b undeployed");
    assertThat(undeployed.isComplete()).isFalse();
    draining.complete();
    get(terminated);
    get(undeployed);
    awaitLog("a stop", "b stop", "b undeployed", "a undeployed");
  }

  @Test
  void undeploying_the_supervisor_is_bounded_when_a_child_hangs() throws Exception {
    running("a", "b");
    Promise<Void> stuck = Promise.promise();
    children.stops.put("b", stuck.future());
    children.undeploys.put("b", stuck.future());
    Future<Void> undeployed = vertx.undeploy(deployment);
    await().until(() -> children.log.containsAll(List.of("b stop", "a undeployed")));
    assertThat(undeployed.isComplete()).isFalse();
    time.passes(60_000);
    get(undeployed);
    stuck.complete();
  }

  @Test
  void with_the_timers_of_vertx_a_failed_session_comes_back() throws Exception {
    get(vertx.undeploy(deployment));
    SupervisorVerticle real = new SupervisorVerticle(SupervisorOptions.DEFAULT);
    get(vertx.deployVerticle(real));
    children.onStart(
        "a", start -> start.epoch() < 3 ? ScriptedChildren.failed("a", start.epoch()) : null);
    get(real.startChild(children.spec("a")));
    awaitLog(
        "a deployed",
        "a start 1",
        "a attempt 1 in 100",
        "a start 2",
        "a attempt 2 in 200",
        "a start 3");
    get(real.terminateChild("a"));
    assertThat(children.deployed).hasValue(0);
  }

  @Test
  void a_message_that_is_no_fact_is_ignored() throws Exception {
    running("a");
    vertx.eventBus().send("mcp.supervisor", "hello", new DeliveryOptions().setLocalOnly(true));
    ScriptedChildren.say(vertx, ScriptedChildren.failed("a", 1));
    awaitLog("a attempt 1 in 100");
  }

  @Test
  void a_thousand_children_come_up_and_go_down_again() throws Exception {
    List<Future<?>> started = new ArrayList<>();
    IntStream.range(0, 1_000)
        .forEach(i -> started.add(supervisor.startChild(children.spec("c" + i))));
    get(Future.all(started));
    await().until(() -> children.log.stream().filter(s -> s.endsWith(" start 1")).count() == 1_000);
    get(vertx.undeploy(deployment));
    assertThat(children.deployed).hasValue(0);
    assertThat(children.log.stream().filter(s -> s.endsWith(" stop"))).hasSize(1_000);
  }
}
