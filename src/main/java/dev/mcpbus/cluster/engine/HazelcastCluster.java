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
import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.bus.WireForm;
import dev.mcpbus.cluster.membership.ClusterMaps;
import dev.mcpbus.cluster.signing.SignedMessages;
import dev.mcpbus.config.ClusterOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.impl.VertxBootstrapImpl;
import io.vertx.core.json.JsonArray;
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

/** Makes a clustered Vert.x. */
public final class HazelcastCluster {

  /** Under this key a node says in the metadata of its event bus what placement wants to know. */
  public static final String METADATA = WireForm.METADATA;

  private static final Logger LOG = LoggerFactory.getLogger(HazelcastCluster.class);
  private static final String QUORUM = "mcpbus";

  private HazelcastCluster() {}

  /**
   * Joins, or founds, the cluster.
   *
   * @param file Hazelcast's own configuration, XML or YAML, in place of ours; null for ours
   * @return fails where the file cannot be read, the ports cannot be had, others could take part
   *     and there is no secret, or the other nodes refuse this one; says what to change
   */
  public static Future<Vertx> start(
      VertxOptions vertx, ClusterOptions options, @Nullable Path file) {
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
    required(config, options, secret);
    LiveNodeSelector routes = new LiveNodeSelector();
    RefreshingClusterManager cluster = new RefreshingClusterManager(config, routes, secret);
    return new VertxBootstrapImpl()
        .options(vertx)
        .transport(transport(vertx))
        .clusterManager(cluster)
        .clusterNodeSelector(routes)
        .init()
        .clusteredVertx()
        .onSuccess(
            started -> {
              LOG.info("in cluster '{}', on {}", config.getClusterName(), options.host());
              SignedMessages.install(started, secret);
              SerializationFilter.close(started);
              routes.register(started);
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
    Transport wanted = vertx.getPreferNativeTransport() ? Transport.nativeTransport() : null;
    return (wanted == null ? Transport.NIO : wanted).implementation();
  }

  private static Config read(Path file) throws FileNotFoundException {
    String name = file.toString();
    return name.endsWith(".yaml") || name.endsWith(".yml")
        ? new FileSystemYamlConfig(name)
        : new FileSystemXmlConfig(name);
  }

  /** What holds whatever the file says: without it ownership would not be safe. */
  private static void required(Config config, ClusterOptions options, ClusterSecret secret) {
    // Clusters of different secrets do not meet, whatever they are called.
    config.setClusterName(secret.clusterName(config.getClusterName()));
    config
        .getSerializationConfig()
        .setJavaSerializationFilterConfig(SerializationFilter.hazelcast());
    // With two backups three nodes have all of it each, and two may be lost at once.
    config.addMapConfig(new MapConfig(ClusterMaps.SERVERS).setBackupCount(2));
    MapConfig claims = new MapConfig(ClusterMaps.OWNERS).setBackupCount(2);
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
    // Vert.x closes it: a hook of Hazelcast's own would take the cluster away while we hand over.
    config.setProperty("hazelcast.shutdownhook.enabled", "false");
    config.setProperty("hazelcast.logging.type", "slf4j");
    config.setProperty("hazelcast.phone.home.enabled", "false");
  }

  private static Config config(ClusterOptions options) {
    Config config = new Config().setClusterName(options.name());
    // A lost node is to be noticed in seconds, and a pause of a collector is not to be taken for
    // one.
    config.setProperty("hazelcast.heartbeat.interval.seconds", "1");
    config.setProperty("hazelcast.max.no.heartbeat.seconds", "10");
    // Two members that do not hear each other wait for each other's data, and nobody else minds. So
    // long after they have said so the oldest gives one of them up; it gives up a member that
    // nobody
    // hears before that.
    config.setProperty("hazelcast.partial.member.disconnection.resolution.heartbeat.count", "4");
    config.setProperty("hazelcast.connection.monitor.interval", "50");
    config.setProperty("hazelcast.connection.monitor.max.faults", "1");
    config.setProperty("hazelcast.merge.first.run.delay.seconds", "3");
    config.setProperty("hazelcast.merge.next.run.delay.seconds", "3");
    // Given up after as long again without a sign of life: later than a member that has stopped,
    // and before a lease ends whose claims cannot be read.
    config.setProperty("hazelcast.operation.call.timeout.millis", "8000");
    // While data moves, after a loss above all, many questions are asked again.
    config.setProperty("hazelcast.invocation.retry.pause.millis", "100");
    // A write waits so long for the backup that a lost member holds.
    config.setProperty("hazelcast.operation.backup.timeout.millis", "1000");
    // One that is lost with a link stops all that come after it for so long, and for as long again
    // as an operation may be silent.
    config.setProperty("hazelcast.partition.migration.timeout", "1");
    network(config.getAdvancedNetworkConfig(), options);
    config.setProperty("hazelcast.socket.bind.any", "false");
    config.setProperty("hazelcast.local.localAddress", options.host());
    config.addMapConfig(new MapConfig("__vertx.nodeInfo").setBackupCount(1));
    return config;
  }

  /**
   * A port for members alone. At the one that serves clients too, what waits for the greeting of a
   * member that has stopped keeps one of three writing threads spinning, and members that are well
   * do not hear each other.
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
    List<String> known = known(options);
    boolean tcp = !known.isEmpty();
    join.getMulticastConfig().setEnabled(!tcp && service == null);
    join.getTcpIpConfig().setEnabled(tcp).setMembers(known);
    join.getKubernetesConfig().setEnabled(!tcp && service != null);
    if (service != null) {
      join.getKubernetesConfig().setProperty("service-dns", service);
    }
  }

  /** On the loopback interface nothing is looked for elsewhere. */
  private static List<String> known(ClusterOptions options) {
    if (!options.members().isEmpty() || options.kubernetes() != null || !options.isLoopback()) {
      return options.members();
    }
    return IntStream.range(options.port(), Math.min(options.port() + ClusterOptions.PORTS, 65_536))
        .mapToObj(port -> options.host() + ":" + port)
        .toList();
  }

  private static EventBusOptions eventBus(ClusterOptions options) {
    JsonObject own =
        new JsonObject()
            .put("weight", options.weight())
            .put(WireForm.READS, options.wire())
            .put(WireForm.READS_FROM, WireForm.OLDEST)
            .put("labels", new JsonArray(options.labels().stream().sorted().toList()));
    if (options.node() != null) {
      own.put("name", options.node());
    }
    EventBusOptions bus =
        new EventBusOptions()
            .setPort(options.busPort())
            .setConnectTimeout(3_000)
            .setClusterPingInterval(5_000)
            .setClusterPingReplyInterval(5_000)
            .setClusterNodeMetadata(new JsonObject().put(METADATA, own));
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
