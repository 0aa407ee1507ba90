package dev.mcpbus.cluster.engine;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.cluster.membership.ClusterNode;
import io.netty.channel.ConnectTimeoutException;
import io.vertx.core.Completable;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.spi.cluster.ClusterManager;
import io.vertx.core.spi.cluster.NodeInfo;
import io.vertx.junit5.VertxExtension;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.NoRouteToHostException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Over a cluster manager whose table of metadata the test writes. */
@ExtendWith(VertxExtension.class)
class VertxClusterMembersTest {

  private static final NodeInfo SELF = info("me", 1, "gpu");

  private final List<String> alive = new ArrayList<>(List.of("a", "b"));
  private final Map<String, NodeInfo> table = new ConcurrentHashMap<>();
  private final Set<String> unreadable = ConcurrentHashMap.newKeySet();
  private @Nullable VertxClusterMembers members;

  private static NodeInfo info(@Nullable String name, double weight, String... labels) {
    JsonObject own =
        new JsonObject().put("weight", weight).put("labels", new JsonArray(List.of(labels)));
    if (name != null) {
      own.put("name", name);
    }
    return new NodeInfo("127.0.0.1", 5, new JsonObject().put("key", own));
  }

  @BeforeEach
  void over(Vertx vertx) {
    table.put("a", SELF);
    members = new VertxClusterMembers((VertxInternal) vertx, manager(), "key");
  }

  private ClusterManager manager() {
    return (ClusterManager)
        Proxy.newProxyInstance(
            ClusterManager.class.getClassLoader(),
            new Class<?>[] {ClusterManager.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "getNodeId" -> "a";
                  case "getNodes" -> List.copyOf(alive);
                  case "getNodeInfo" -> arguments == null ? SELF : read(arguments);
                  case "setNodeInfo" -> write(arguments);
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  @SuppressWarnings("unchecked") // as the interface has it
  private @Nullable Object read(Object[] arguments) {
    Completable<NodeInfo> promise = (Completable<NodeInfo>) arguments[1];
    String id = String.valueOf(arguments[0]);
    if (unreadable.contains(id)) {
      promise.fail("the partition moves");
    } else {
      promise.complete(table.get(id), null);
    }
    return null;
  }

  @SuppressWarnings("unchecked") // as the interface has it
  private @Nullable Object write(Object[] arguments) {
    table.put("a", (NodeInfo) arguments[0]);
    ((Completable<Void>) arguments[1]).succeed();
    return null;
  }

  private Set<String> names() {
    return Objects.requireNonNull(members).nodes().await().stream()
        .map(ClusterNode::name)
        .collect(Collectors.toSet());
  }

  @Test
  void what_a_node_says_of_itself_is_read() {
    table.put("b", info(null, 2, "x", "y"));
    assertThat(names()).containsExactlyInAnyOrder("me", "127.0.0.1:5");
  }

  @Test
  void a_member_without_metadata_is_read_again_next_time() {
    assertThat(names()).containsExactly("me");
    table.put("b", info("late", 1));
    assertThat(names()).containsExactlyInAnyOrder("me", "late");
  }

  @Test
  void a_member_that_cannot_be_read_is_read_again_next_time() {
    table.put("b", info("busy", 1));
    unreadable.add("b");
    assertThat(names()).containsExactly("me");
    unreadable.clear();
    assertThat(names()).containsExactlyInAnyOrder("me", "busy");
  }

  @Test
  void a_node_writes_its_own_metadata_again_after_it_was_removed() {
    table.remove("a");
    assertThat(names()).doesNotContain("late");
    assertThat(table).containsEntry("a", SELF);
    assertThat(names()).containsExactly("me");
  }

  @Test
  void a_member_that_has_left_is_forgotten() {
    table.put("b", info("gone", 1));
    assertThat(names()).contains("gone");
    alive.remove("b");
    assertThat(names()).containsExactly("me");
  }

  @Test
  void a_node_that_starts_has_its_name_in_texts_and_never_its_id() {
    VertxClusterMembers known = Objects.requireNonNull(members);
    assertThat(names()).containsExactly("me");
    assertThat(known.name("b")).isEqualTo("(starting, its name is not known yet)");

    NodeInfo starting = info("late", 1);
    starting.metadata().getJsonObject("key").put(VertxClusterMembers.OPENING, true);
    table.put("b", starting);
    assertThat(names()).as("it owns nothing yet").containsExactly("me");
    assertThat(known.name("b")).isEqualTo("late");
    assertThat(known.opening()).extracting(ClusterNode::name).containsExactly("late");
    assertThat(Objects.requireNonNull(known.busAddress("b")).port()).isEqualTo(5);

    alive.remove("b");
    assertThat(names()).containsExactly("me");
    assertThat(known.name("b")).as("the log names a lost node, too").isEqualTo("late");
  }

  @Test
  void a_port_that_refuses_proves_that_the_process_of_a_lost_node_is_gone() throws Exception {
    alive.add("c");
    try (ServerSocket open = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      ServerSocket shut = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
      table.put("b", at("runs", open.getLocalPort()));
      table.put("c", at("exited", shut.getLocalPort()));
      shut.close();
      assertThat(names()).containsExactlyInAnyOrder("me", "runs", "exited");

      assertThat(hasClosedItsBusPort("b")).isFalse();
      assertThat(hasClosedItsBusPort("c")).isTrue();
      assertThat(hasClosedItsBusPort("c")).as("an address is tried once").isFalse();
    }
  }

  @Test
  void a_connect_that_times_out_or_finds_no_route_is_no_refusal() {
    assertThat(VertxClusterMembers.isRefusal(new ConnectException("Verbindungsaufbau abgelehnt")))
        .as("in any language of the machine")
        .isTrue();
    assertThat(VertxClusterMembers.isRefusal(new ConnectTimeoutException("refused?"))).isFalse();
    assertThat(VertxClusterMembers.isRefusal(new NoRouteToHostException())).isFalse();
    assertThat(VertxClusterMembers.isRefusal(new TimeoutException())).isFalse();
  }

  private static NodeInfo at(String name, int port) {
    JsonObject own = new JsonObject().put("name", name).put("weight", 1);
    return new NodeInfo("127.0.0.1", port, new JsonObject().put("key", own));
  }

  private boolean hasClosedItsBusPort(String node) throws Exception {
    return Objects.requireNonNull(members).hasClosedItsBusPort(node).await(60, SECONDS);
  }
}
