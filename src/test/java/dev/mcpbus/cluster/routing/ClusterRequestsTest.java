package dev.mcpbus.cluster.routing;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallCancellation;
import dev.mcpbus.bus.ClusterMap;
import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ReplicaId;
import dev.mcpbus.cluster.engine.HazelcastCluster;
import dev.mcpbus.config.ClusterOptions;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.replicas.ReplicaOwner;
import dev.mcpbus.testing.FreePorts;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryContext;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Three nodes in one process, without any connection: the test sets which node answers. */
class ClusterRequestsTest {

  private static final List<Vertx> NODES = new ArrayList<>();
  private static final ClusterSecret SECRET =
      ClusterSecret.of("what only the nodes of this test know");
  private static String name;
  private static Vertx caller;
  private static Vertx second;
  private static Vertx third;

  @BeforeAll
  static void start() throws Exception {
    List<Integer> ports = FreePorts.list(3);
    List<String> members = ports.stream().map(port -> "127.0.0.1:" + port).toList();
    name = "calls-" + ProcessHandle.current().pid() + "-" + System.nanoTime();
    for (int port : ports) {
      ClusterOptions options =
          RecordCopy.with(
              ClusterOptions.DEFAULT,
              Map.of("name", name, "port", port, "members", members, "secret", SECRET));
      Vertx node = HazelcastCluster.start(new VertxOptions(), options, null).await(60, SECONDS);
      Codecs.register(node);
      NODES.add(node);
    }
    caller = NODES.get(0);
    second = NODES.get(1);
    third = NODES.get(2);
    ClusterRequests.of(caller);
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> ((VertxInternal) caller).clusterManager().getNodes().size() == 3);
  }

  @AfterAll
  static void end() {
    for (Vertx node : NODES) {
      Awaitility.await().atMost(Duration.ofSeconds(60)).until(node.close()::isComplete);
    }
  }

  private static String address(String id) {
    return Addresses.of(new ConnectionId(id), Addresses.TOOLS_CALL);
  }

  private static Future<Message<Object>> call(String id, long budget) {
    DeliveryOptions options =
        new DeliveryOptions()
            .addHeader(Headers.DEADLINE, Long.toString(budget))
            .setSendTimeout(budget + 5_000);
    return ClusterRequests.of(caller)
        .request(new ConnectionId(id), address(id), Buffer.buffer("{}"), options);
  }

  private static Throwable failure(Future<?> call) {
    Awaitility.await().until(call::isComplete);
    assertThat(call.succeeded()).as("succeeded").isFalse();
    return call.cause();
  }

  private static void define(String id) throws Exception {
    caller
        .sharedData()
        .<String, String>getClusterWideMap(ClusterMap.SERVERS.key)
        .compose(map -> map.put(id, "{\"origin\":{}}"))
        .await(60, SECONDS);
  }

  private static void answers(Vertx node, String id, String epoch) throws Exception {
    node.eventBus()
        .consumer(
            address(id),
            call ->
                call.reply(
                    Buffer.buffer(epoch), new DeliveryOptions().addHeader(Headers.EPOCH, epoch)))
        .completion()
        .await(60, SECONDS);
  }

  /** Calls until {@code count} answers were refused; returns the accepted ones. */
  private static List<String> accepted(String id, int count) {
    List<String> accepted = new ArrayList<>();
    AtomicInteger refused = new AtomicInteger();
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              Future<Message<Object>> call = call(id, 5_000);
              Awaitility.await().atMost(Duration.ofSeconds(60)).until(call::isComplete);
              if (call.succeeded()) {
                accepted.add(String.valueOf(call.result().body()));
              } else {
                assertThat(McpFailure.of(call.cause()).code()).isEqualTo(FailureCode.OWNER_LOST);
                assertThat(McpFailure.of(call.cause()).sent()).isEqualTo(McpFailure.Sent.MAYBE);
                refused.incrementAndGet();
              }
              return refused.get() >= count && accepted.contains("2");
            });
    return accepted;
  }

  @Test
  void a_call_that_is_cancelled_while_it_waits_for_an_owner_is_never_made() throws Exception {
    define("waits");
    DeliveryOptions options = new DeliveryOptions().addHeader(Headers.CALL_ID, "cancelled");
    Future<Message<Object>> waiting =
        ClusterRequests.of(caller)
            .request(new ConnectionId("waits"), address("waits"), Buffer.buffer("{}"), options);
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              CallCancellation.publish(caller, new ConnectionId("waits"), "cancelled");
              return waiting.isComplete();
            });
    assertThat(McpFailure.of(failure(waiting)).code()).isEqualTo(FailureCode.CANCELLED);
  }

  @Test
  void case_91_forced_second_owner_answers_of_the_older_epoch_are_refused() throws Exception {
    answers(second, "forced", "1");
    answers(third, "forced", "2");

    List<String> accepted = accepted("forced", 2);

    assertThat(accepted.subList(accepted.indexOf("2"), accepted.size())).containsOnly("2");
  }

  @Test
  void epochs_that_start_again_because_the_claims_were_lost_are_accepted() throws Exception {
    answers(second, "anew", "5");
    assertThat(call("anew", 5_000).await(60, SECONDS).body()).hasToString("5");
    answers(third, "anew", "1");
    caller
        .sharedData()
        .<String, String>getClusterWideMap(ClusterMap.OWNERS.key)
        .compose(map -> map.put("anew", "1 whoever"))
        .await(60, SECONDS);

    List<String> heard = new ArrayList<>();
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              Future<Message<Object>> call = call("anew", 5_000);
              Awaitility.await().atMost(Duration.ofSeconds(60)).until(call::isComplete);
              if (call.succeeded()) {
                heard.add(String.valueOf(call.result().body()));
              }
              return heard.contains("1");
            });
  }

  @Test
  void replicas_have_epochs_of_their_own() throws Exception {
    answers(second, "replicated", "1 0");
    answers(third, "replicated", "7 1");

    List<String> heard = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      heard.add(String.valueOf(call("replicated", 5_000).await(60, SECONDS).body()));
    }

    assertThat(heard).contains("1 0", "7 1");
  }

  @Test
  void a_call_that_a_replica_refuses_because_it_stops_goes_to_another() throws Exception {
    ConnectionId server = new ConnectionId("rolled");
    List<Vertx> nodes = List.of(second, third);
    for (int i = 0; i < nodes.size(); i++) {
      Vertx node = nodes.get(i);
      ReplicaId replica = new ReplicaId(server, i);
      boolean stops = i == 0;
      node.eventBus()
          .consumer(
              replica.address(),
              call -> {
                if (stops) {
                  McpFailure.notSent(FailureCode.UNAVAILABLE, "being stopped").replyTo(call);
                } else {
                  call.reply("here");
                }
              })
          .completion()
          .await(60, SECONDS);
      node.eventBus()
          .publish(
              Addresses.PLACEMENT,
              new JsonObject()
                  .put("type", "claimed")
                  .put("node", ((VertxInternal) node).clusterManager().getNodeId())
                  .put("id", replica.key()));
      // A node serves what it has claimed; the bus keeps no order between two contexts.
      Awaitility.await()
          .until(
              () ->
                  ClusterRequests.of(caller).replicas().of(server).size() == replica.number() + 1);
      ClusterRequests.of(node).replicas().publish(replica, ConnectionState.READY, "");
    }
    Awaitility.await()
        .untilAsserted(
            () ->
                assertThat(ClusterRequests.of(caller).replicas().of(server))
                    .hasSize(2)
                    .allMatch(ReplicaOwner::serves));

    for (int i = 0; i < 4; i++) {
      assertThat(call("rolled", 5_000).await(60, SECONDS).body()).isEqualTo("here");
    }
  }

  @Test
  void a_call_that_meets_no_owner_waits_for_the_next_one() throws Exception {
    define("late");
    Future<Message<Object>> call = call("late", 10_000);
    caller.setTimer(400, now -> third.eventBus().consumer(address("late"), m -> m.reply("here")));

    assertThat(call.await(60, SECONDS).body()).isEqualTo("here");
  }

  @Test
  void a_call_waits_for_an_owner_no_longer_than_its_budget_or_three_seconds() throws Exception {
    define("nobody");
    List<String> ended = new CopyOnWriteArrayList<>();
    Future<?> longest = call("nobody", 120_000).onComplete(end -> ended.add("three seconds"));
    Future<?> shortest = call("nobody", 300).onComplete(end -> ended.add("its budget"));
    McpFailure patient = McpFailure.of(failure(longest));
    McpFailure brief = McpFailure.of(failure(shortest));

    assertThat(ended).containsExactly("its budget", "three seconds");
    for (McpFailure failure : List.of(brief, patient)) {
      assertThat(failure.code()).isEqualTo(FailureCode.UNAVAILABLE);
      assertThat(failure.sent()).isEqualTo(McpFailure.Sent.NO);
      assertThat(failure.retryAfterMillis()).isPositive();
    }
  }

  @Test
  void a_call_to_an_undefined_server_fails_at_once() {
    Throwable failure = failure(call("undefined", 120_000));

    assertThat(failure)
        .isInstanceOfSatisfying(
            ReplyException.class,
            reply -> assertThat(reply.failureType()).isEqualTo(ReplyFailure.NO_HANDLERS));
  }

  @Test
  void a_server_that_this_node_knows_is_waited_for_while_the_map_does_not_know_it() {
    ConnectionId id = new ConnectionId("remembered");
    ClusterRequests.of(caller).define(id, ConnectionOptions.DEFAULT);
    McpFailure between = McpFailure.of(failure(call("remembered", 300)));
    assertThat(between.code()).isEqualTo(FailureCode.UNAVAILABLE);

    ClusterRequests.of(caller).define(id, null);
    McpFailure removed = McpFailure.of(failure(call("remembered", 300)));
    assertThat(removed.code()).isEqualTo(FailureCode.UNKNOWN_CONNECTION);
  }

  @Test
  void a_call_that_a_leaving_owner_refuses_waits_for_the_next_one() throws Exception {
    define("handed");
    AtomicInteger refused = new AtomicInteger();
    third
        .eventBus()
        .consumer(
            address("handed"),
            call -> {
              if (refused.getAndIncrement() < 2) {
                call.reply(McpFailure.ownerLeft("connection 'handed': being stopped"));
              } else {
                call.reply(Buffer.buffer("next"));
              }
            })
        .completion()
        .await(60, SECONDS);

    assertThat(call("handed", 5_000).await(60, SECONDS).body()).isEqualTo(Buffer.buffer("next"));
    assertThat(refused).hasValue(3);
  }

  @Test
  void a_budget_ends_on_time_where_the_owner_does_not_answer() throws Exception {
    third.eventBus().consumer(address("silent"), call -> {}).completion().await(60, SECONDS);
    Future<Message<Object>> longer = call("silent", 120_000);

    McpFailure failure = McpFailure.of(failure(call("silent", 400)));

    assertThat(failure.code()).isEqualTo(FailureCode.CALL_TIMEOUT);
    assertThat(longer.isComplete()).isFalse();
  }

  @Test
  void a_request_that_one_replica_passes_to_another_says_when_it_left() throws Exception {
    ReplicaId replica = new ReplicaId(new ConnectionId("passed"), 1);
    String node = ((VertxInternal) third).clusterManager().getNodeId();
    third
        .eventBus()
        .consumer(replica.address(), call -> call.reply(call.headers().get(Headers.DEADLINE)))
        .completion()
        .await(60, SECONDS);
    List<String> left = new CopyOnWriteArrayList<>();
    Handler<DeliveryContext<Object>> watch =
        delivery -> {
          if (delivery.message().address().equals(replica.address())) {
            left.add(String.valueOf(delivery.message().headers().get(Headers.SINCE)));
          }
          delivery.next();
        };
    caller.eventBus().addOutboundInterceptor(watch);

    Object arrived =
        ClusterRequests.of(caller)
            .replicas()
            .request(
                new ReplicaOwner(replica, node, ConnectionState.READY, ""),
                Addresses.TASKS_RESULT,
                Buffer.buffer("{}"),
                new DeliveryOptions().addHeader(Headers.DEADLINE, "60000"))
            .await(60, SECONDS)
            .body();

    caller.eventBus().removeOutboundInterceptor(watch);
    assertThat(left).singleElement().asString().startsWith(ClusterRequests.of(caller).self());
    assertThat(Long.parseLong(String.valueOf(arrived))).isBetween(1L, 60_000L);
  }

  /** The map of owners has no entry for the server: the bus reports where each call went. */
  @Test
  void a_call_ends_as_soon_as_the_node_is_lost_that_it_went_to() throws Exception {
    String name = "lost";
    Vertx lost = joined();
    AtomicInteger arrived = new AtomicInteger();
    lost.eventBus()
        .consumer(address(name), call -> arrived.incrementAndGet())
        .completion()
        .await(60, SECONDS);
    define(name);
    Future<Message<Object>> call = call(name, 60_000);
    Awaitility.await().until(() -> arrived.get() == 1);

    HazelcastClusterManager manager =
        (HazelcastClusterManager) ((VertxInternal) lost).clusterManager();
    manager.getHazelcastInstance().getLifecycleService().terminate();

    McpFailure failure = McpFailure.of(failure(call));
    assertThat(failure.code()).isEqualTo(FailureCode.OWNER_LOST);
    assertThat(failure.sent()).isEqualTo(McpFailure.Sent.MAYBE);
    // No message goes to that node any more, although its event bus is still open.
    McpFailure next = McpFailure.of(failure(call(name, 500)));
    assertThat(next.code()).isEqualTo(FailureCode.UNAVAILABLE);
    assertThat(arrived).hasValue(1);
  }

  /** One more node, which the others outlive. */
  private static Vertx joined() throws Exception {
    HazelcastClusterManager manager =
        (HazelcastClusterManager) ((VertxInternal) caller).clusterManager();
    var config = manager.getHazelcastInstance().getConfig();
    ClusterOptions options =
        RecordCopy.with(
            ClusterOptions.DEFAULT,
            Map.of(
                "name",
                name,
                "port",
                FreePorts.one(),
                "members",
                config.getAdvancedNetworkConfig().getJoin().getTcpIpConfig().getMembers(),
                "secret",
                SECRET));
    Vertx node = HazelcastCluster.start(new VertxOptions(), options, null).await(60, SECONDS);
    Codecs.register(node);
    return node;
  }
}
