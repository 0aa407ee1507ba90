package dev.mcpbus.cluster.engine;

import com.hazelcast.cluster.MembershipEvent;
import com.hazelcast.config.Config;
import com.hazelcast.core.LifecycleEvent;
import com.hazelcast.core.LifecycleEvent.LifecycleState;
import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.bus.WireForm;
import dev.mcpbus.cluster.signing.NodeProof;
import io.vertx.core.Completable;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.core.spi.cluster.NodeInfo;
import io.vertx.core.spi.cluster.NodeListener;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says at once who has left, and cleans up afterwards. Vert.x takes a lost node out of the
 * cluster's tables first, which waits until Hazelcast has made backups of the node's part of them
 * the real ones, and tells nobody before.
 *
 * <p>Has the event bus read again where addresses are, whenever members come, go or merge. What the
 * bus knows is kept up to date by events, and a node that slept or was cut off has missed some: it
 * would send to a node that has given an address away, for ever and without any failure.
 *
 * <p>Has every node put down what is its own when one was merged: what that one cleaned away of the
 * others while it took them for lost may have been taken out of the table of all.
 */
// The lock is held as long as a lost node is cleaned up: who only tells must not wait for it.
@SuppressWarnings("UnsynchronizedOverridesSynchronized")
final class RefreshingClusterManager extends HazelcastClusterManager {

  private static final Logger LOG = LoggerFactory.getLogger(RefreshingClusterManager.class);

  private static final int MOST_IMPOSTORS = 100;

  /** Soon, and once more when what was moved meanwhile has settled. */
  private static final long[] DELAYS_MILLIS = {300, 1_500, 5_000};

  /** When a node that was merged puts down again what others may have cleaned away too late. */
  private static final long[] REPAIRS_MILLIS = {2_000, 8_000};

  /** Has Vert.x publish what is this node's own, and drop what belongs to no member. */
  private static final LifecycleEvent REPAIR = new LifecycleEvent(LifecycleState.MERGED);

  /** A node that was merged asks all others to repair, with its id. */
  private static final String REPAIRS = "mcpbus.repairs";

  private static final NodeListener NOBODY =
      new NodeListener() {
        @Override
        public void nodeAdded(String node) {}

        @Override
        public void nodeLeft(String node) {}
      };

  private final LiveNodeSelector routes;
  private final ClusterSecret secret;

  /** Processes that claim to be nodes and cannot prove it, as they were logged. */
  private final Set<String> impostors = ConcurrentHashMap.newKeySet();

  /** Of what Vert.x does in its own time, in the order of events. */
  private final ExecutorService later =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "mcpbus-members");
            thread.setDaemon(true);
            return thread;
          });

  /** Guarded by itself. */
  private final Set<String> present = new HashSet<>();

  private volatile @Nullable Vertx vertx;
  private volatile @Nullable NodeListener listener;
  private volatile @Nullable NodeInfo own;
  private volatile @Nullable Future<?> lost;

  RefreshingClusterManager(Config config, LiveNodeSelector routes, ClusterSecret secret) {
    super(config);
    this.routes = routes;
    this.secret = secret;
  }

  @Override
  public void init(Vertx of) {
    vertx = of;
    super.init(of);
    super.nodeListener(NOBODY);
  }

  @Override
  public void join(Completable<Void> promise) {
    super.join(
        (joined, failure) -> {
          if (failure == null) {
            lost = StuckOperationCleaner.watch(getHazelcastInstance());
            later(
                () ->
                    getHazelcastInstance()
                        .<String>getTopic(REPAIRS)
                        .addMessageListener(message -> asked(message.getMessageObject())));
          }
          promise.complete(null, failure);
        });
  }

  @Override
  public void nodeListener(NodeListener of) {
    listener = of;
    synchronized (present) {
      present.addAll(getNodes());
    }
  }

  @Override
  public void setNodeInfo(NodeInfo info, Completable<Void> promise) {
    NodeInfo signed =
        new NodeInfo(
            info.host(),
            info.port(),
            NodeProof.sign(secret, getNodeId(), info.host(), info.port(), info.metadata()));
    own = signed;
    super.setNodeInfo(signed, promise);
  }

  /** Without what a process says of itself that cannot prove to be a node. */
  @Override
  public void getNodeInfo(String node, Completable<NodeInfo> promise) {
    super.getNodeInfo(
        node,
        (info, failure) -> promise.complete(info == null ? null : proven(node, info), failure));
  }

  private NodeInfo proven(String node, NodeInfo info) {
    JsonObject metadata = info.metadata();
    if (metadata == null
        || !metadata.containsKey(WireForm.METADATA)
        || NodeProof.holds(secret, node, info.host(), info.port(), metadata)) {
      return info;
    }
    if (impostors.size() < MOST_IMPOSTORS && impostors.add(node)) {
      LOG.warn(
          "the process at {}:{} claims to be a node and does not know the cluster's secret; it gets"
              + " no connections",
          info.host(),
          info.port());
    }
    JsonObject rest = metadata.copy();
    rest.remove(WireForm.METADATA);
    return new NodeInfo(info.host(), info.port(), rest);
  }

  /** Without the lock that is held as long as a lost node is cleaned up. */
  @Override
  public @Nullable NodeInfo getNodeInfo() {
    return own;
  }

  @Override
  public void leave(Completable<Void> promise) {
    Future<?> watching = lost;
    if (watching != null) {
      watching.cancel(false);
    }
    super.leave(
        (left, failure) -> {
          later.shutdown();
          promise.complete(null, failure);
        });
  }

  @Override
  public void memberAdded(MembershipEvent event) {
    tell(node(event), true);
    later(() -> super.memberAdded(event));
    refresh();
  }

  @Override
  public void memberRemoved(MembershipEvent event) {
    tell(node(event), false);
    PartitionPromotion.resumeMigrations(getHazelcastInstance());
    later(
        () -> {
          if (isPresent(node(event))) {
            // It is back already: what it has put down since must stay.
            repair();
          } else {
            super.memberRemoved(event);
          }
        });
    refresh();
  }

  private static @Nullable String node(MembershipEvent event) {
    return event.getMember().getAttribute("__vertx.nodeId");
  }

  private boolean isPresent(@Nullable String node) {
    synchronized (present) {
      return present.contains(node);
    }
  }

  private void later(Runnable step) {
    if (!later.isShutdown()) {
      later.execute(step);
    }
  }

  @Override
  public void stateChanged(LifecycleEvent event) {
    if (event.getState() == LifecycleState.MERGED) {
      Set<String> now = new HashSet<>(getNodes());
      Set<String> before;
      synchronized (present) {
        before = new HashSet<>(present);
      }
      before.stream().filter(node -> !now.contains(node)).forEach(node -> tell(node, false));
      now.stream().filter(node -> !before.contains(node)).forEach(node -> tell(node, true));
      later(this::repairAll);
      Vertx timers = vertx;
      if (timers != null) {
        for (long delay : REPAIRS_MILLIS) {
          timers.setTimer(delay, due -> later(this::repairAll));
        }
      }
      refresh();
    }
  }

  /** Comes after all cleaning of this node, which has one thread. */
  private void repairAll() {
    repair();
    getHazelcastInstance().<String>getTopic(REPAIRS).publish(getNodeId());
  }

  private void repair() {
    super.stateChanged(REPAIR);
  }

  private void asked(String merged) {
    if (!merged.equals(getNodeId())) {
      later(this::repair);
    }
  }

  private void tell(@Nullable String node, boolean joined) {
    if (node == null) {
      return; // a member that holds data and runs no Vert.x
    }
    synchronized (present) {
      if (joined) {
        present.add(node);
      } else {
        present.remove(node);
      }
    }
    NodeListener told = listener;
    if (joined) {
      routes.found(node);
    } else {
      routes.lost(node);
    }
    if (told != null && joined) {
      told.nodeAdded(node);
    } else if (told != null) {
      told.nodeLeft(node);
    }
  }

  private void refresh() {
    Vertx timers = vertx;
    if (timers != null) {
      for (long delay : DELAYS_MILLIS) {
        timers.setTimer(delay, due -> routes.refresh());
      }
    }
  }

  @Override
  public List<String> getNodes() {
    return getHazelcastInstance() == null ? List.of() : super.getNodes();
  }
}
