package dev.mcpbus.cluster.engine;

import com.hazelcast.config.AdvancedNetworkConfig;
import com.hazelcast.config.Config;
import com.hazelcast.config.FileSystemXmlConfig;
import com.hazelcast.config.FileSystemYamlConfig;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.MultiMapConfig;
import com.hazelcast.config.ServerSocketEndpointConfig;
import com.hazelcast.config.SplitBrainProtectionConfig;
import com.hazelcast.splitbrainprotection.SplitBrainProtectionOn;
import dev.mcpbus.bus.ClusterMap;
import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.bus.WireForm;
import dev.mcpbus.cluster.signing.SignedMessages;
import dev.mcpbus.config.ClusterOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.impl.VertxBootstrapImpl;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.transport.Transport;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The start of a clustered Vert.x; its class links only where Hazelcast is there. */
final class HazelcastStart {

  private static final Logger LOG = LoggerFactory.getLogger(HazelcastStart.class);
  private static final String QUORUM = "mcpbus";
  private static final int JOIN_SECONDS = 2;

  private HazelcastStart() {}

  /** As {@link HazelcastCluster#start}. */
  static Future<Vertx> start(VertxOptions vertx, ClusterOptions options, @Nullable Path file) {
    Config config;
    ClusterSecret secret;
    try {
      config = file == null ? config(options) : read(file);
      ExposureCheck.check(config, options, file);
      ClusterSecret given = options.secret();
      secret = given == null ? UserClusterSecret.ofUser() : given;
      vertx.setEventBusOptions(eventBus(options));
    } catch (IOException | RuntimeException e) {
      return Future.failedFuture(
          new IllegalArgumentException("the cluster's configuration: " + e.getMessage(), e));
    }
    setRequired(config, options, secret);
    LiveNodeSelector selector = new LiveNodeSelector();
    ReservedEventLoops loops = new ReservedEventLoops(transport(vertx));
    RefreshingClusterManager cluster =
        new RefreshingClusterManager(config, selector, loops, secret);
    return new VertxBootstrapImpl(vertx)
        .transport(loops)
        .clusterManager(cluster)
        .clusterNodeSelector(selector)
        .init()
        .clusteredVertx()
        .onSuccess(
            started -> {
              LOG.info(
                  "this node is in cluster '{}', on {}", config.getClusterName(), options.host());
              SignedMessages.installOnNode(started, secret);
              SerializationFilter.close(started);
              selector.register(started);
              started.exceptionHandler(new ExceptionReporter());
            })
        .compose(
            started ->
                EventBusProbe.check(started, cluster, vertx.getEventBusOptions())
                    .map(started)
                    .recover(
                        refused ->
                            started.close().transform(closed -> Future.failedFuture(refused))));
  }

  private static io.vertx.core.spi.transport.Transport transport(VertxOptions vertx) {
    Transport nativeTransport =
        vertx.getPreferNativeTransport() ? Transport.nativeTransport() : null;
    return (nativeTransport == null ? Transport.NIO : nativeTransport).implementation();
  }

  private static Config read(Path file) throws FileNotFoundException {
    String name = file.toString();
    return name.endsWith(".yaml") || name.endsWith(".yml")
        ? new FileSystemYamlConfig(name)
        : new FileSystemXmlConfig(name);
  }

  /** Sets what every configuration needs: without it ownership would not be safe. */
  private static void setRequired(Config config, ClusterOptions options, ClusterSecret secret) {
    // Clusters of different secrets do not meet, whatever their names are.
    config.setClusterName(secret.clusterName(config.getClusterName()));
    config
        .getSerializationConfig()
        .setJavaSerializationFilterConfig(SerializationFilter.hazelcast());
    // With two backups, three nodes hold all entries each, and two of them may be lost at once.
    config.addMapConfig(new MapConfig(ClusterMap.SERVERS.key).setBackupCount(2));
    config.addMapConfig(new MapConfig(ClusterMap.REMOVALS.key).setBackupCount(2));
    MapConfig claims = new MapConfig(ClusterMap.OWNERS.key).setBackupCount(2);
    if (options.quorum() > 0) {
      config.addSplitBrainProtectionConfig(
          new SplitBrainProtectionConfig(QUORUM, true, options.quorum())
              .setProtectOn(SplitBrainProtectionOn.READ_WRITE));
      claims.setSplitBrainProtectionName(QUORUM);
    }
    config.addMapConfig(claims);
    if (!config.getMultiMapConfigs().containsKey("__vertx.subs")) {
      config.addMultiMapConfig(
          new MultiMapConfig("__vertx.subs")
              .setBackupCount(1)
              .setValueCollectionType(MultiMapConfig.ValueCollectionType.SET));
    }
    // Vert.x closes Hazelcast: Hazelcast's own hook would end the cluster while this node hands
    // over.
    config.setProperty("hazelcast.shutdownhook.enabled", "false");
    config.setProperty("hazelcast.logging.type", "slf4j");
    config.setProperty("hazelcast.phone.home.enabled", "false");
  }

  private static Config config(ClusterOptions options) {
    Config config = new Config().setClusterName(options.name());
    // A lost node is noticed within seconds, and a pause of the garbage collector is not a loss.
    config.setProperty("hazelcast.heartbeat.interval.seconds", "1");
    config.setProperty("hazelcast.max.no.heartbeat.seconds", "10");
    // Two members that do not receive each other's messages wait for each other's data, while the
    // other members see both. So the oldest member removes one of the two after this number of
    // heartbeats; a member whose heartbeats no other member receives is removed before that.
    config.setProperty("hazelcast.partial.member.disconnection.resolution.heartbeat.count", "4");
    config.setProperty("hazelcast.connection.monitor.interval", "50");
    config.setProperty("hazelcast.connection.monitor.max.faults", "1");
    // How long the first member waits for others before the next one may join: by default 5 s.
    config.setProperty("hazelcast.wait.seconds.before.join", "1");
    config.setProperty("hazelcast.merge.first.run.delay.seconds", "3");
    config.setProperty("hazelcast.merge.next.run.delay.seconds", "3");
    // An operation without an answer fails after twice this time. This must lie between the removal
    // of a stopped member and the end of a claim lease whose claims cannot be read.
    config.setProperty("hazelcast.operation.call.timeout.millis", "8000");
    // While data moves, above all after a loss, many operations are repeated.
    config.setProperty("hazelcast.invocation.retry.pause.millis", "100");
    // How long a write waits for a backup on a lost member.
    config.setProperty("hazelcast.operation.backup.timeout.millis", "1000");
    // A migration that is lost with a link delays all others for this time, and for the call time-
    // out again.
    config.setProperty("hazelcast.partition.migration.timeout", "1");
    network(config.getAdvancedNetworkConfig(), options);
    config.setProperty("hazelcast.socket.bind.any", "false");
    config.setProperty("hazelcast.local.localAddress", options.host());
    config.addMapConfig(new MapConfig("__vertx.nodeInfo").setBackupCount(1));
    return config;
  }

  /**
   * Gives members a port of their own. At a port that serves members and clients, a writing thread
   * of Hazelcast (one of three) spins while it waits for the greeting of a stopped member, and
   * healthy members do not receive each other's messages.
   */
  private static void network(AdvancedNetworkConfig network, ClusterOptions options) {
    ServerSocketEndpointConfig members = new ServerSocketEndpointConfig();
    members
        .setPort(options.port())
        .setPortCount(ClusterOptions.PORTS)
        .setPortAutoIncrement(options.members().isEmpty());
    members.setPublicAddress(options.host());
    members.getInterfaces().setEnabled(true).addInterface(options.host());
    network.setEnabled(true).setMemberEndpointConfig(members);
    JoinConfig join = network.getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    String service = options.kubernetes();
    List<String> addresses = addresses(options);
    boolean tcp = !addresses.isEmpty();
    join.getMulticastConfig().setEnabled(!tcp && service == null);
    // Nodes that start together agree on the first member when this time is over.
    join.getTcpIpConfig()
        .setEnabled(tcp)
        .setMembers(addresses)
        .setConnectionTimeoutSeconds(JOIN_SECONDS);
    join.getKubernetesConfig().setEnabled(!tcp && service != null);
    if (service != null) {
      join.getKubernetesConfig().setProperty("service-dns", service);
    }
  }

  /** The addresses to try; on the loopback interface only the ports of this machine. */
  private static List<String> addresses(ClusterOptions options) {
    if (!options.members().isEmpty() || options.kubernetes() != null || !options.isLoopback()) {
      return options.members();
    }
    return IntStream.range(options.port(), Math.min(options.port() + ClusterOptions.PORTS, 65_536))
        .mapToObj(port -> options.host() + ":" + port)
        .toList();
  }

  private static EventBusOptions eventBus(ClusterOptions options) {
    EventBusOptions bus =
        new EventBusOptions()
            .setPort(options.busPort())
            .setConnectTimeout(1_000)
            .setClusterPingInterval(2_000)
            .setClusterPingReplyInterval(3_000)
            .setClusterNodeMetadata(
                new JsonObject().put(WireForm.METADATA, ProgramCluster.metadata(options)));
    ClusterOptions.Tls tls = options.tls();
    if (tls != null) {
      ExposureCheck.check(tls);
      bus.setSsl(true)
          .setClientAuth(ClientAuth.REQUIRED)
          .setKeyCertOptions(
              new PemKeyCertOptions()
                  .setCertPath(tls.certFile().toString())
                  .setKeyPath(tls.keyFile().toString()))
          .setTrustOptions(new PemTrustOptions().addCertPath(tls.caFile().toString()));
    }
    return bus.setHost(options.host());
  }
}
