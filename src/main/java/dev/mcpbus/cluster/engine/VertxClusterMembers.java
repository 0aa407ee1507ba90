package dev.mcpbus.cluster.engine;

import com.hazelcast.splitbrainprotection.SplitBrainProtectionException;
import dev.mcpbus.cluster.membership.ClusterMembers;
import dev.mcpbus.cluster.membership.ClusterNode;
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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The members of a clustered Vert.x. A node that may own connections says so in the metadata of its
 * event bus; what is read of it once is kept, for it does not change.
 */
public final class VertxClusterMembers implements ClusterMembers {

  private static final Logger LOG = LoggerFactory.getLogger(VertxClusterMembers.class);

  private static final int KNOCK_MILLIS = 500;

  private final VertxInternal vertx;
  private final ClusterManager cluster;
  private final String key;
  private final Map<String, ClusterNode> known = new ConcurrentHashMap<>();

  /** By id, of all that were ever read: who is lost is to be called by its name. */
  private final Map<String, String> names = new ConcurrentHashMap<>();

  /** Where the bus of each node listens; of lost ones until somebody has asked. */
  private final Map<String, SocketAddress> doors = new ConcurrentHashMap<>();

  /**
   * @param key of the member of the metadata, {@code {name?, weight, labels}}
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
  }

  @Override
  public String self() {
    return cluster.getNodeId();
  }

  /** What people call this process. */
  public String name() {
    ClusterNode own = node(self(), cluster.getNodeInfo());
    return own == null ? self() : own.name();
  }

  /** What people call a process; its id where it has not been read what that is. */
  public String name(String id) {
    return names.getOrDefault(id, id);
  }

  /** Where the bus of a node listens; null where that has not been read. */
  public @Nullable SocketAddress door(String id) {
    return doors.get(id);
  }

  @Override
  public Set<String> alive() {
    Set<String> all = new HashSet<>(cluster.getNodes());
    all.add(self());
    return all;
  }

  /** The nodes that are there, as far as they have been read. */
  public List<ClusterNode> known() {
    return alive().stream().map(known::get).filter(Objects::nonNull).toList();
  }

  @Override
  public Future<List<ClusterNode>> nodes() {
    List<String> alive = List.copyOf(alive());
    known.keySet().retainAll(alive);
    List<Future<@Nullable ClusterNode>> reads = alive.stream().map(this::node).toList();
    return tellAgain()
        .compose(told -> Future.join(reads))
        .map(
            done ->
                reads.stream()
                    .map(Future::result)
                    .filter(Objects::nonNull)
                    .collect(Collectors.toList()));
  }

  /**
   * Others remove what a member has said of itself whenever it leaves, and one that comes back at
   * the same moment may lose it so: nobody could send to it then, or give it anything.
   */
  private Future<Void> tellAgain() {
    NodeInfo own = cluster.getNodeInfo();
    Promise<NodeInfo> read = vertx.promise();
    cluster.getNodeInfo(self(), read);
    return read.future()
        .compose(
            found -> {
              if (found != null || own == null) {
                return Future.succeededFuture();
              }
              Promise<Void> told = vertx.promise();
              cluster.setNodeInfo(own, told);
              return told.future();
            })
        .otherwiseEmpty();
  }

  /** Null for a process that owns nothing, and for one that has not said yet what it is. */
  private Future<@Nullable ClusterNode> node(String id) {
    ClusterNode before = known.get(id);
    if (before != null) {
      return Future.succeededFuture(before);
    }
    Promise<NodeInfo> info = vertx.promise();
    cluster.getNodeInfo(id, info);
    return info.future()
        .map(
            found -> {
              ClusterNode node = node(id, found);
              if (node != null) {
                names.put(id, node.name());
                if (known.put(id, node) == null && !id.equals(self())) {
                  LOG.info("node {} is there, at {}:{}", node.name(), found.host(), found.port());
                }
                doors.put(id, SocketAddress.inetSocketAddress(found.port(), found.host()));
              }
              return node;
            })
        .otherwise((ClusterNode) null);
  }

  @Override
  public boolean isQuorumLost(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SplitBrainProtectionException) {
        return true;
      }
    }
    return false;
  }

  @Override
  public Future<Boolean> hasClosedItsBusPort(String node) {
    SocketAddress door = doors.remove(node);
    if (door == null) {
      return Future.succeededFuture(false);
    }
    NetClient knocker =
        vertx.createNetClient(new NetClientOptions().setConnectTimeout(KNOCK_MILLIS));
    return knocker
        .connect(door)
        .map(open -> false)
        .otherwise(failure -> String.valueOf(failure.getMessage()).contains("refused"))
        .onComplete(asked -> knocker.close());
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
