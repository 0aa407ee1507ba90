package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.ClusterMap;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.testing.ClusterBed;
import dev.mcpbus.testing.InnerCluster;
import dev.mcpbus.testing.InnerCluster.Node;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A node that has joined, and whose port another process took meanwhile. */
class DoorsFirstIT {

  private static final int SERVERS = 14;

  @Test
  void a_node_that_cannot_open_its_doors_has_claimed_nothing() throws Exception {
    try (InnerCluster cluster = new InnerCluster(2);
        ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      JsonObject servers = ClusterBed.servers(SERVERS);
      Node first =
          cluster.start(cluster.join("first"), "f.json", servers, Map.of(), null, AuthOptions.NONE);
      Awaitility.await("all servers")
          .atMost(Duration.ofSeconds(60))
          .until(
              () ->
                  first.statuses().size() == SERVERS
                      && first.statuses().values().stream()
                          .allMatch(one -> "READY".equals(one.getString("state"))));
      Map<String, String> before = claims(first);

      Node second = cluster.join("second");
      BridgeOptions bridge = BridgeOptions.DEFAULT.withPort(taken.getLocalPort());
      assertThatThrownBy(
              () -> cluster.start(second, "f.json", servers, Map.of(), bridge, AuthOptions.NONE))
          .hasRootCauseInstanceOf(BindException.class);

      assertThat(claims(first)).isEqualTo(before).hasSize(SERVERS);
    }
  }

  private static Map<String, String> claims(Node node) {
    return TestBus.await(
        node.vertx()
            .sharedData()
            .<String, String>getClusterWideMap(ClusterMap.OWNERS.key)
            .compose(map -> map.entries()));
  }
}
