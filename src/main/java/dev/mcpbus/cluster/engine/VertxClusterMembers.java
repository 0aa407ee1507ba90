package dev.mcpbus.cluster.engine;

import com.hazelcast.splitbrainprotection.SplitBrainProtectionException;
import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.bus.WireForm;
import dev.mcpbus.cluster.membership.ClusterMembers;
import dev.mcpbus.cluster.membership.ClusterNode;
import dev.mcpbus.cluster.signing.NodeProof;
import dev.mcpbus.internals.OptionalLibrary;
import io.netty.channel.ConnectTimeoutException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.spi.cluster.ClusterManager;
import io.vertx.core.spi.cluster.NodeInfo;
import java.net.ConnectException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The members of a clustered Vert.x. A node that may own connections publishes its name, labels and
 * weight in the metadata of its event bus; each is read once it has opened and kept, because it
 * does not change after that. Any thread may call.
 */
public final class VertxClusterMembers implements ClusterMembers {

  private static final Logger LOG = LoggerFactory.getLogger(VertxClusterMembers.class);

  /** A member of the metadata, true until {@link #open}; a node without it is open. */
  static final String OPENING = "opening";

  /** Stands for the name of a process whose metadata has not been read. */
  private static final String NAMELESS = "(starting, its name is not known yet)";

  private static final int CONNECT_MILLIS = 500;

  /**
   * A member that has not opened by then does not keep connections waiting. One of five that start
   * at once on two cores has taken 15 s.
   */
  private static final long OPENING_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(40);

  private final VertxInternal vertx;
  private final ClusterManager cluster;
  private final String key;
  private final @Nullable ClusterSecret secret;
  private final @Nullable NodeInfos proven;
  private final Map<String, ClusterNode> known = new ConcurrentHashMap<>();

  /** A member whose doors are not open yet, and since when this node knows it. */
  private record Opening(ClusterNode node, long since) {}

  private final Map<String, Opening> opening = new ConcurrentHashMap<>();

  /** Node names by id, of all nodes that were ever read: the log names lost nodes too. */
  private final Map<String, String> names = new ConcurrentHashMap<>();

  /**
   * The event-bus addresses of nodes; that of a lost node is removed by {@link
   * #hasClosedItsBusPort}.
   */
  private final Map<String, SocketAddress> busAddresses = new ConcurrentHashMap<>();

  /**
   * @param key the member of the metadata, {@code {name?, weight, labels}}
   */
  public VertxClusterMembers(Vertx vertx, String key) {
    this(
        (VertxInternal) vertx,
        Objects.requireNonNull(((VertxInternal) vertx).clusterManager(), "Vert.x is not clustered"),
        key);
  }

  VertxClusterMembers(VertxInternal vertx, ClusterManager cluster, String key) {
    this.vertx = vertx;
    this.cluster = cluster;
    this.key = key;
    this.secret = ClusterSecret.find(vertx);
    this.proven = secret == null ? null : new NodeInfos(secret);
  }

  @Override
  public String self() {
    return cluster.getNodeId();
  }

  /** The configured name of this process, else its address. */
  public String name() {
    ClusterNode own = node(self(), cluster.getNodeInfo());
    return own == null ? self() : own.name();
  }

  /** The name of a process, for texts; of one that has just started it may not be known yet. */
  public String name(String id) {
    return names.getOrDefault(id, NAMELESS);
  }

  /** The event-bus address of a node; null where it has not been read. */
  public @Nullable SocketAddress busAddress(String id) {
    return busAddresses.get(id);
  }

  @Override
  public Set<String> alive() {
    Set<String> all = new HashSet<>(cluster.getNodes());
    all.add(self());
    return all;
  }

  /** The nodes that are members, as far as their metadata has been read. */
  public List<ClusterNode> known() {
    return alive().stream().map(known::get).filter(Objects::nonNull).toList();
  }

  @Override
  public List<ClusterNode> opening() {
    long now = System.nanoTime();
    return opening.values().stream()
        .filter(one -> now - one.since() < OPENING_PATIENCE_NANOS)
        .map(Opening::node)
        .toList();
  }

  @Override
  public Future<List<ClusterNode>> nodes() {
    List<String> alive = List.copyOf(alive());
    known.keySet().retainAll(alive);
    opening.keySet().retainAll(alive);
    List<Future<@Nullable ClusterNode>> reads = alive.stream().map(this::node).toList();
    return restoreMetadata()
        .compose(written -> Future.join(reads))
        .map(
            done ->
                reads.stream()
                    .map(Future::result)
                    .filter(Objects::nonNull)
                    .collect(Collectors.toList()));
  }

  /**
   * Publishes that this node may own connections. Until then it is a member and no node: no other
   * node hands a connection over to it.
   */
  public Future<Void> open() {
    NodeInfo own = cluster.getNodeInfo();
    JsonObject metadata = own == null ? null : own.metadata();
    if (own == null || metadata == null || !isOpening(metadata, key)) {
      return Future.succeededFuture();
    }
    JsonObject open = metadata.copy();
    open.getJsonObject(key).remove(OPENING);
    JsonObject signed =
        secret == null ? open : NodeProof.sign(secret, self(), own.host(), own.port(), open);
    Promise<Void> written = vertx.promise();
    cluster.setNodeInfo(new NodeInfo(own.host(), own.port(), signed), written);
    return written.future().compose(now -> node(self())).mapEmpty();
  }

  /** Whether the process behind an info may own nothing yet; its metadata will change. */
  static boolean isOpening(NodeInfo info) {
    return isOpening(info.metadata(), WireForm.METADATA);
  }

  private static boolean isOpening(@Nullable JsonObject metadata, String key) {
    return metadata != null
        && metadata.getValue(key) instanceof JsonObject own
        && own.getBoolean(OPENING, false);
  }

  /**
   * Writes this member's metadata again where it is missing. Other members remove the metadata of a
   * member that leaves; one that comes back at the same moment may lose it, and then no node sends
   * to it or assigns connections to it.
   */
  private Future<Void> restoreMetadata() {
    NodeInfo own = cluster.getNodeInfo();
    Promise<NodeInfo> read = vertx.promise();
    cluster.getNodeInfo(self(), read);
    return read.future()
        .compose(
            found -> {
              if (found != null || own == null) {
                return Future.succeededFuture();
              }
              Promise<Void> written = vertx.promise();
              cluster.setNodeInfo(own, written);
              return written.future();
            })
        .otherwiseEmpty();
  }

  /** Null for a process that owns nothing, and for one that has not opened yet. */
  private Future<@Nullable ClusterNode> node(String id) {
    ClusterNode before = known.get(id);
    if (before != null) {
      return Future.succeededFuture(before);
    }
    Promise<NodeInfo> info = vertx.promise();
    cluster.getNodeInfo(id, info);
    return info.future()
        .map(
            read -> {
              NodeInfo found = proven(id, read);
              ClusterNode node = node(id, found);
              if (node != null) {
                names.put(id, node.name());
                busAddresses.put(id, SocketAddress.inetSocketAddress(found.port(), found.host()));
              }
              if (node != null && isOpening(found.metadata(), key)) {
                opening.putIfAbsent(id, new Opening(node, System.nanoTime()));
                return null;
              }
              opening.remove(id);
              if (node != null && known.put(id, node) == null && !id.equals(self())) {
                LOG.info("node {} is a member, at {}:{}", node.name(), found.host(), found.port());
              }
              return node;
            })
        .otherwise((ClusterNode) null);
  }

  /** Not every cluster manager checks what another process says of itself. */
  private NodeInfo proven(String id, NodeInfo info) {
    if (info == null || proven == null || id.equals(self())) {
      return info;
    }
    synchronized (proven) {
      return proven.read(id, info);
    }
  }

  @Override
  public boolean isQuorumLost(Throwable failure) {
    if (!OptionalLibrary.HAZELCAST.isPresent()) {
      return false;
    }
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SplitBrainProtectionException) {
        return true;
      }
    }
    return false;
  }

  @Override
  public Future<Boolean> hasClosedItsBusPort(String node) {
    SocketAddress busAddress = busAddresses.remove(node);
    if (busAddress == null) {
      return Future.succeededFuture(false);
    }
    NetClient client =
        vertx.createNetClient(new NetClientOptions().setConnectTimeout(CONNECT_MILLIS));
    return client
        .connect(busAddress)
        .map(open -> false)
        .otherwise(VertxClusterMembers::isRefusal)
        .onComplete(over -> client.close());
  }

  /**
   * Only a refusal proves that the process is gone. A connect that times out proves nothing: the
   * link may be cut, or the process may be stopped for a while; Netty reports it with a subclass.
   */
  static boolean isRefusal(Throwable failure) {
    return failure instanceof ConnectException && !(failure instanceof ConnectTimeoutException);
  }

  private @Nullable ClusterNode node(String id, @Nullable NodeInfo info) {
    JsonObject all = info == null ? null : info.metadata();
    JsonObject own = all == null ? null : all.getJsonObject(key);
    if (info == null || own == null) {
      return null;
    }
    return new ClusterNode(
        id,
        own.getString("name", info.host() + ":" + info.port()),
        own.getDouble("weight", 1.0),
        own.getJsonArray("labels", new JsonArray()).stream()
            .map(String::valueOf)
            .collect(Collectors.toSet()));
  }
}
