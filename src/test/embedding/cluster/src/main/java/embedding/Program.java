package embedding;

import com.hazelcast.config.Config;
import com.hazelcast.config.NetworkConfig;
import dev.mcpbus.McpBus;
import dev.mcpbus.Servers;
import dev.mcpbus.bus.ClusterSecret;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Two nodes in a cluster that the program makes; the second calls a server of the first. */
public final class Program {

  private static final ClusterSecret SECRET = ClusterSecret.of(UUID.randomUUID() + " embedded");
  private static final String CLUSTER = "embedding-" + UUID.randomUUID();

  private Program() {}

  private static Future<Vertx> node(HazelcastClusterManager manager) {
    return Vertx.builder()
        .with(new VertxOptions().setEventBusOptions(new EventBusOptions().setHost("127.0.0.1")))
        .withClusterManager(manager)
        .buildClustered()
        .compose(vertx -> McpBus.clustered(vertx, SECRET));
  }

  /** Loopback alone; joins the nodes at these places. */
  private static HazelcastClusterManager manager(String... members) {
    Config config = new Config().setClusterName(CLUSTER);
    config.setProperty("hazelcast.phone.home.enabled", "false");
    NetworkConfig network = config.getNetworkConfig().setPort(0).setPortAutoIncrement(false);
    network.getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    network.getJoin().getAutoDetectionConfig().setEnabled(false);
    network.getJoin().getTcpIpConfig().setEnabled(true).setMembers(List.of(members));
    return new HazelcastClusterManager(config);
  }

  public static void main(String[] args) throws Exception {
    HazelcastClusterManager first = manager();
    Vertx one = node(first).await(60, TimeUnit.SECONDS);
    InetSocketAddress place =
        (InetSocketAddress) first.getHazelcastInstance().getLocalEndpoint().getSocketAddress();
    Vertx two = node(manager("127.0.0.1:" + place.getPort())).await(60, TimeUnit.SECONDS);
    McpBus.start(one, McpBus.Options.of().withServer("echo", Servers.stdio("sh").args(args[0])))
        .await(60, TimeUnit.SECONDS);
    McpBus second = McpBus.start(two, McpBus.Options.of()).await(60, TimeUnit.SECONDS);
    System.out.println(
        second
            .awaitReady(Duration.ofSeconds(60), "echo")
            .compose(
                ready -> second.server("echo").callTool("echo", Map.of("call", "embedded")))
            .await(60, TimeUnit.SECONDS)
            .text());
    two.close().await(60, TimeUnit.SECONDS);
    one.close().await(60, TimeUnit.SECONDS);
  }
}
