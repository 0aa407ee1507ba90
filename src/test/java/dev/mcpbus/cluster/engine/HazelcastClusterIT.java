package dev.mcpbus.cluster.engine;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.core.HazelcastInstance;
import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.config.ClusterOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.testing.FreePorts;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.VertxInternal;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HazelcastClusterIT {

  private static final ClusterSecret SECRET =
      ClusterSecret.of("what only the nodes of this test know");

  @TempDir Path folder;

  private final List<Vertx> nodes = new ArrayList<>();

  @AfterEach
  void end() throws Exception {
    for (Vertx node : nodes) {
      node.close().await(60, SECONDS);
    }
  }

  private static ClusterOptions options(String host, int port, @Nullable ClusterSecret secret) {
    Map<String, Object> changes = new HashMap<>();
    changes.put("name", "doors");
    changes.put("host", host);
    changes.put("port", port);
    changes.put("secret", secret);
    return RecordCopy.with(ClusterOptions.DEFAULT, changes);
  }

  private Vertx start(ClusterOptions options, @Nullable Path file) throws Exception {
    Vertx node = HazelcastCluster.start(new VertxOptions(), options, file).await(60, SECONDS);
    nodes.add(node);
    return node;
  }

  private static HazelcastClusterManager manager(Vertx node) {
    return (HazelcastClusterManager) ((VertxInternal) node).clusterManager();
  }

  private static boolean isOpen(String host, int port) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(host, port), 2_000);
      return true;
    } catch (ConnectException refused) {
      return false;
    }
  }

  @Test
  void nodes_of_one_machine_find_each_other_and_no_other_machine_can_reach_them() throws Exception {
    int port = FreePorts.row(10);
    Vertx one = start(options("127.0.0.1", port, SECRET), null);
    Vertx two = start(options("127.0.0.1", port, SECRET), null);
    for (Vertx node : List.of(one, two)) {
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> manager(node).getNodes().size() == 2);
      int member =
          manager(node).getHazelcastInstance().getCluster().getLocalMember().getAddress().getPort();
      assertThat(member).isBetween(port, port + ClusterOptions.PORTS - 1);
      for (int open : new int[] {member, manager(node).getNodeInfo().port()}) {
        assertThat(isOpen("127.0.0.1", open)).isTrue();
        // A socket that listens on all interfaces would listen on this address, too.
        assertThat(isOpen("127.0.0.2", open)).as("port %s", open).isFalse();
      }
    }
  }

  @Test
  void nodes_with_another_secret_are_another_cluster_whatever_its_name() throws Exception {
    int port = FreePorts.row(10);
    Vertx one = start(options("127.0.0.1", port, SECRET), null);
    Vertx other =
        start(
            options("127.0.0.1", port, ClusterSecret.of("what others know, 32 characters of it")),
            null);
    HazelcastInstance engine = manager(other).getHazelcastInstance();
    assertThat(engine.getConfig().getClusterName())
        .startsWith("doors-")
        .isNotEqualTo(manager(one).getHazelcastInstance().getConfig().getClusterName());
    assertThat(manager(one).getNodes()).hasSize(1);
    assertThat(manager(other).getNodes()).hasSize(1);
  }

  private static void refused(ClusterOptions options, @Nullable Path file, String... says) {
    assertThatThrownBy(
            () -> HazelcastCluster.start(new VertxOptions(), options, file).await(60, SECONDS))
        .hasMessageContainingAll(says);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "192.0.2.7"})
  void another_interface_without_a_secret_is_refused(String host) throws IOException {
    refused(options(host, FreePorts.row(10), null), null, host, "secretFile", "127.0.0.1");
  }

  private Path file(String network) throws IOException {
    return Files.writeString(folder.resolve("cluster.yaml"), "hazelcast:\n" + network);
  }

  @Test
  void a_file_of_hazelcasts_own_that_listens_to_all_needs_a_secret_and_a_host() throws IOException {
    Path all = file("  cluster-name: own\n");
    refused(options("127.0.0.1", 5701, null), all, all.toString(), "secretFile", "127.0.0.1");
    refused(options("127.0.0.1", 5701, SECRET), all, all.toString(), "cluster.host");
  }

  @Test
  void a_file_that_listens_on_the_loopback_interface_alone_needs_none() throws Exception {
    Path local =
        file(
            """
              cluster-name: own
              properties:
                hazelcast.socket.bind.any: false
              network:
                port:
                  port: %s
                join:
                  multicast:
                    enabled: false
                  auto-detection:
                    enabled: false
                interfaces:
                  enabled: true
                  interfaces:
                    - 127.0.0.1
            """
                .formatted(FreePorts.row(10)));
    Vertx node = start(options("127.0.0.1", 5701, SECRET), local);
    assertThat(manager(node).getHazelcastInstance().getConfig().getClusterName())
        .isEqualTo(SECRET.clusterName("own"));
  }

  @Test
  void a_certificate_that_is_not_there_is_named() throws IOException {
    ClusterOptions options =
        RecordCopy.with(
            options("127.0.0.1", FreePorts.row(10), SECRET),
            "tls",
            new ClusterOptions.Tls(
                folder.resolve("none.crt"), folder.resolve("b"), folder.resolve("c")));
    refused(options, null, "cluster.tls", "none.crt", "cannot be read");
  }
}
