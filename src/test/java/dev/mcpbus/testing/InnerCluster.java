package dev.mcpbus.testing;

import static org.awaitility.Awaitility.await;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import dev.mcpbus.McpBus;
import dev.mcpbus.TestOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.bus.WireForm;
import dev.mcpbus.cluster.engine.HazelcastCluster;
import dev.mcpbus.cluster.ownership.OwnershipOptions;
import dev.mcpbus.cluster.signing.NodeProof;
import dev.mcpbus.cluster.signing.SignedMessages;
import dev.mcpbus.config.ClusterOptions;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerOrigin;
import dev.mcpbus.config.ServerSettings;
import dev.mcpbus.hosting.ServerEntryReader;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.supervisor.SupervisorOptions;
import io.vertx.core.Completable;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import io.vertx.core.spi.cluster.NodeInfo;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Nodes of one cluster within this process, joined over the loopback interface as processes are.
 * For all that does not need a process to die.
 */
public final class InnerCluster implements AutoCloseable {

  /** A node, with or without mcpbus. */
  public record Node(Vertx vertx, @Nullable McpBus bus) {

    public JsonObject request(String address, JsonObject body) {
      return TestBus.await(
          vertx.eventBus().<JsonObject>request(address, body).map(reply -> reply.body()));
    }

    /** The same, answered by this node itself. */
    public JsonObject requestHere(String address, JsonObject body) {
      return TestBus.await(
          vertx
              .eventBus()
              .<JsonObject>request(address, body, new DeliveryOptions().setLocalOnly(true))
              .map(reply -> reply.body()));
    }

    public int port() {
      return bus == null ? -1 : bus.port();
    }

    /** The status of every server, by id, as this node tells it. */
    public Map<String, JsonObject> statuses() {
      return requestHere(Addresses.SERVERS_LIST, new JsonObject()).getJsonArray("servers").stream()
          .map(JsonObject.class::cast)
          .collect(Collectors.toMap(one -> one.getString("id"), one -> one));
    }
  }

  /** Of every such cluster; their names differ. */
  public static final ClusterSecret SECRET =
      ClusterSecret.of("what only the nodes of this test know");

  private final String name = "inner-" + UUID.randomUUID();
  private final List<Integer> ports;
  private final Deque<Node> nodes = new ArrayDeque<>();
  private final Deque<Node> killed = new ArrayDeque<>();
  private int joined;
  private Duration rollout = OwnershipOptions.DEFAULT.rollout();

  /**
   * @param most nodes that may be in it
   */
  public InnerCluster(int most) {
    ports = FreePorts.list(most);
  }

  /** A clustered Vert.x of a node, nothing on it. */
  public Node join(String node) {
    return join(node, WireForm.NEWEST);
  }

  /**
   * The same.
   *
   * @param wire the newest form that it reads and writes
   */
  public Node join(String node, int wire) {
    ClusterOptions options =
        RecordCopy.with(
            ClusterOptions.DEFAULT,
            Map.of(
                "name",
                name,
                "node",
                node,
                "port",
                ports.get(joined++),
                "members",
                ports.stream().map(port -> "127.0.0.1:" + port).toList(),
                "wire",
                wire,
                "secret",
                SECRET));
    Vertx vertx = TestBus.await(HazelcastCluster.start(McpBus.vertxOptions(), options, null));
    Node made = new Node(vertx, null);
    nodes.push(made);
    return made;
  }

  /**
   * A clustered Vert.x that is no mcpbus of this version, and knows the secret of the cluster.
   *
   * @param says in the metadata of its event bus, of itself
   */
  public Node stranger(JsonObject says) {
    Node made = member(says, true);
    SignedMessages.install(made.vertx(), SECRET);
    return made;
  }

  /** The same, of one who does not know the secret and has only heard the cluster's name. */
  public Node intruder(JsonObject says) {
    return member(says, false);
  }

  /** A clustered Vert.x as any program makes it: nothing in it is of mcpbus. */
  public Node foreign() {
    return member(null, false);
  }

  private Node member(@Nullable JsonObject says, boolean proves) {
    Config config = new Config().setClusterName(SECRET.clusterName(name));
    config.setProperty("hazelcast.socket.bind.any", "false");
    config.setProperty("hazelcast.logging.type", "slf4j");
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.shutdownhook.enabled", "false");
    config.getNetworkConfig().setPort(ports.get(joined++)).setPortAutoIncrement(false);
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    JoinConfig join = config.getNetworkConfig().getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    join.getTcpIpConfig()
        .setEnabled(true)
        .setMembers(ports.stream().map(port -> "127.0.0.1:" + port).toList());
    EventBusOptions bus =
        new EventBusOptions()
            .setHost("127.0.0.1")
            .setClusterNodeMetadata(says == null ? null : new JsonObject().put("mcpbus", says));
    Vertx vertx =
        TestBus.await(
            Vertx.builder()
                .with(new VertxOptions().setEventBusOptions(bus))
                .withClusterManager(
                    proves ? new Proving(config) : new HazelcastClusterManager(config))
                .buildClustered());
    Node made = new Node(vertx, null);
    nodes.push(made);
    return made;
  }

  /** Signs what it says of itself, as a node does. */
  private static final class Proving extends HazelcastClusterManager {

    Proving(Config config) {
      super(config);
    }

    @Override
    public void setNodeInfo(NodeInfo info, Completable<Void> promise) {
      JsonObject signed =
          NodeProof.sign(SECRET, getNodeId(), info.host(), info.port(), info.metadata());
      super.setNodeInfo(new NodeInfo(info.host(), info.port(), signed), promise);
    }
  }

  /** How long the files of nodes that start from now on may differ before that is a warning. */
  public InnerCluster rollout(Duration grace) {
    rollout = grace;
    return this;
  }

  /** What a node has of its own, in its environment. */
  public Node start(String node, int wire, Map<String, String> variables) {
    return start(join(node, wire), "nowhere", new JsonObject(), variables, null, AuthOptions.NONE);
  }

  /**
   * Puts mcpbus on a node.
   *
   * @param file where the servers are said to stand
   */
  public Node start(
      Node on,
      String file,
      JsonObject servers,
      Map<String, String> variables,
      @Nullable BridgeOptions bridge,
      AuthOptions auth) {
    Map<String, String> all = new HashMap<>(System.getenv());
    all.putAll(variables);
    ServerEntryReader reader =
        ServerEntryReader.in(
            Path.of("."), ConfigEnvironment.system().withVariables(all), ServerSettings.DEFAULT);
    List<ServerDefinition> definitions = new ArrayList<>();
    servers.forEach(
        one ->
            definitions.add(
                reader.read(
                    new ServerOrigin(one.getKey(), (JsonObject) one.getValue(), null, false),
                    file)));
    McpBus bus =
        TestBus.await(
            TestOptions.of(definitions, SupervisorOptions.DEFAULT, null, reader)
                .withAuth(auth)
                .withPlacement(OwnershipOptions.DEFAULT.withRollout(rollout))
                .withBridge(bridge)
                .start(on.vertx()));
    Node made = new Node(on.vertx(), bus);
    nodes.remove(on);
    nodes.push(made);
    return made;
  }

  /** Ends a node in good order. */
  public void end(Node node) {
    nodes.remove(node);
    McpBus bus = node.bus();
    Future<Void> closed = bus == null ? Future.succeededFuture() : bus.close();
    TestBus.await(closed.transform(over -> node.vertx().close()));
  }

  /** Ends a node without a word to the others but that it leaves. */
  public void lose(Node node) {
    nodes.remove(node);
    TestBus.await(node.vertx().close());
  }

  /** Waits until each entry of the cluster's maps has its backup: before, a loss may lose some. */
  public void awaitBackups() {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                nodes.stream()
                    .allMatch(
                        node ->
                            engine(node)
                                .getHazelcastInstance()
                                .getPartitionService()
                                .isClusterSafe()));
  }

  private static HazelcastClusterManager engine(Node node) {
    return (HazelcastClusterManager) ((VertxInternal) node.vertx()).clusterManager();
  }

  /** Makes the others lose a node at once, as if its process were killed; ends it afterwards. */
  public void kill(Node node) {
    engine(node).getHazelcastInstance().getLifecycleService().terminate();
    killed.push(node);
    nodes.remove(node);
  }

  @Override
  public void close() {
    while (!nodes.isEmpty()) {
      end(nodes.peek());
    }
    killed.forEach(node -> node.vertx().close());
  }
}
