package dev.mcpbus.cluster.engine;

import com.hazelcast.cluster.MembershipEvent;
import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import com.hazelcast.core.LifecycleEvent;
import com.hazelcast.core.LifecycleEvent.LifecycleState;
import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.cluster.signing.NodeProof;
import io.vertx.core.Completable;
import io.vertx.core.Vertx;
import io.vertx.core.spi.cluster.NodeInfo;
import io.vertx.core.spi.cluster.NodeListener;
import io.vertx.core.spi.cluster.RegistrationInfo;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cluster manager of Vert.x over Hazelcast, with three corrections, and with one entry for all
 * addresses of a connection ({@link ConnectionEntries}).
 *
 * <p>It reports a lost node at once and cleans up afterwards. Vert.x first removes the node from
 * the cluster's tables, which waits until Hazelcast has promoted the backups of the node's part,
 * and reports the loss only then.
 *
 * <p>It makes the event bus read the registrations again whenever members join, leave or merge.
 * Events keep the event bus up to date, and a node that was paused or cut off has missed some: it
 * would go on sending to the former owner of an address, without any failure.
 *
 * <p>It makes every node write its own registrations again after a merge. The merged node may have
 * removed those of other nodes while it took these nodes for lost.
 *
 * <p>Hazelcast's threads call in; cleaning runs on one thread of this class.
 */
// The superclass holds its lock while it cleans up a lost node; a report must not wait for it.
@SuppressWarnings("UnsynchronizedOverridesSynchronized")
final class RefreshingClusterManager extends HazelcastClusterManager
    implements AddressWithdrawal.Withdrawing {

  private static final Logger LOG = LoggerFactory.getLogger(RefreshingClusterManager.class);

  /** The attribute of Hazelcast's members that run Vert.x. */
  private static final String NODE_ID = "__vertx.nodeId";

  /**
   * The registrations change until the data of a lost member has settled, so three readings follow
   * each event.
   */
  private static final long[] DELAYS_MILLIS = {300, 1_500, 5_000};

  /** When a merged node repairs again, because other nodes may have cleaned up late. */
  private static final long[] REPAIRS_MILLIS = {2_000, 8_000};

  /**
   * The event by which Vert.x writes this node's registrations again and drops those of nodes that
   * are no members.
   */
  private static final LifecycleEvent REPAIR = new LifecycleEvent(LifecycleState.MERGED);

  /** The topic on which a merged node requests repairs of all others, with its id. */
  private static final String REPAIRS = "mcpbus.repairs";

  private static final NodeListener NO_LISTENER =
      new NodeListener() {
        @Override
        public void nodeAdded(String node) {}

        @Override
        public void nodeLeft(String node) {}
      };

  /**
   * The attribute of Hazelcast's members that are processes of mcpbus. A member without it is of
   * plain Vert.x.
   */
  static final String ATTRIBUTE = "mcpbus";

  private final LiveNodeSelector selector;
  private final ReservedEventLoops loops;
  private final ClusterSecret secret;
  private final NodeInfos infos;
  private final ConnectionEntries connections = new ConnectionEntries(table());

  /** Runs the slow work of Vert.x, in the order of the events. */
  private final ExecutorService later =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "mcpbus-members");
            thread.setDaemon(true);
            return thread;
          });

  /** The nodes reported as members. Guarded by itself. */
  private final Set<String> present = new HashSet<>();

  private volatile @Nullable Vertx vertx;
  private volatile @Nullable NodeListener listener;
  private volatile @Nullable NodeInfo own;
  private volatile @Nullable Future<?> lost;

  RefreshingClusterManager(
      Config config, LiveNodeSelector selector, ReservedEventLoops loops, ClusterSecret secret) {
    super(config);
    config.getMemberAttributeConfig().setAttribute(ATTRIBUTE, "node");
    this.selector = selector;
    this.loops = loops;
    this.secret = secret;
    this.infos = new NodeInfos(secret);
  }

  @Override
  public void init(Vertx of) {
    vertx = of;
    super.init(of);
    super.nodeListener(NO_LISTENER);
  }

  @Override
  public void join(Completable<Void> promise) {
    super.join(
        (joined, failure) -> {
          if (failure == null) {
            lost = StuckOperationCleaner.watch(getHazelcastInstance());
            later(this::lookForPlainCallers);
            later(
                () ->
                    getHazelcastInstance()
                        .<String>getTopic(REPAIRS)
                        .addMessageListener(
                            message -> repairRequested(message.getMessageObject())));
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
    // The event bus calls this on the context on which its server listens.
    loops.open(of());
    super.setNodeInfo(signed, promise);
  }

  private Vertx of() {
    return Objects.requireNonNull(vertx, "init comes first");
  }

  /**
   * Without the metadata of a process that cannot prove that it is a node. What was read of a node
   * that has opened does not change; it is not read again, because the event bus must find a node
   * while a part of the cluster's tables cannot be read, and one that is no member any more and
   * waits for a reply. Completes on the loop of the event bus, which connects to the node from
   * there and keeps the connection on that loop.
   */
  @Override
  public void getNodeInfo(String node, Completable<NodeInfo> promise) {
    loops.onBus(
        () -> {
          NodeInfo known = infos.known(node);
          if (known != null) {
            promise.complete(known, null);
          } else {
            super.getNodeInfo(
                node,
                (info, failure) ->
                    loops.onBus(
                        () -> promise.complete(info == null ? null : read(node, info), failure)));
          }
        });
  }

  /** Its own info has to be found missing: it is written again then. */
  private NodeInfo read(String node, NodeInfo info) {
    return node.equals(getNodeId()) ? info : infos.read(node, info);
  }

  private ConnectionEntries.Table table() {
    return new ConnectionEntries.Table() {
      @Override
      public void add(String address, RegistrationInfo info, Completable<Void> done) {
        RefreshingClusterManager.super.addRegistration(address, info, done);
      }

      @Override
      public void remove(String address, RegistrationInfo info, Completable<Void> done) {
        RefreshingClusterManager.super.removeRegistration(address, info, done);
      }
    };
  }

  @Override
  public void addRegistration(String address, RegistrationInfo info, Completable<Void> promise) {
    connections.add(address, info, promise);
  }

  @Override
  public void removeRegistration(String address, RegistrationInfo info, Completable<Void> promise) {
    connections.remove(address, info, promise);
  }

  /** Takes addresses of connections from the cluster while this node goes on to receive there. */
  @Override
  public io.vertx.core.Future<Void> withdraw(Collection<String> addresses) {
    return connections.withdraw(addresses);
  }

  private void lookForPlainCallers() {
    boolean plain =
        getHazelcastInstance().getCluster().getMembers().stream()
            .anyMatch(
                member ->
                    member.getAttribute(NODE_ID) != null && member.getAttribute(ATTRIBUTE) == null);
    connections.plainCallers(plain);
  }

  /** Without the lock that the superclass holds while it cleans up a lost node. */
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
    report(node(event), true);
    later(this::lookForPlainCallers);
    later(() -> super.memberAdded(event));
    refresh();
  }

  @Override
  public void memberRemoved(MembershipEvent event) {
    report(node(event), false);
    PartitionPromotion.resumeMigrations(getHazelcastInstance());
    later(
        () -> {
          if (isPresent(node(event))) {
            // The node is back already: the registrations that it has written since must stay.
            repair();
          } else {
            super.memberRemoved(event);
          }
          lookForPlainCallers();
        });
    refresh();
  }

  private static @Nullable String node(MembershipEvent event) {
    return event.getMember().getAttribute(NODE_ID);
  }

  private boolean isPresent(@Nullable String node) {
    synchronized (present) {
      return present.contains(node);
    }
  }

  private void later(Runnable step) {
    if (!later.isShutdown()) {
      later.execute(() -> run(step));
    }
  }

  private static void run(Runnable step) {
    try {
      step.run();
    } catch (HazelcastInstanceNotActiveException e) {
      LOG.debug("this node has left before its work for an event of the cluster", e);
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
      before.stream().filter(node -> !now.contains(node)).forEach(node -> report(node, false));
      now.stream().filter(node -> !before.contains(node)).forEach(node -> report(node, true));
      later(this::lookForPlainCallers);
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

  /** Runs after all cleaning of this node, which has one thread. */
  private void repairAll() {
    repair();
    getHazelcastInstance().<String>getTopic(REPAIRS).publish(getNodeId());
  }

  private void repair() {
    super.stateChanged(REPAIR);
  }

  private void repairRequested(String merged) {
    if (!merged.equals(getNodeId())) {
      later(this::repair);
    }
  }

  private void report(@Nullable String node, boolean joined) {
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
    NodeListener current = listener;
    if (joined) {
      selector.found(node);
    } else {
      selector.lost(node);
    }
    if (current != null && joined) {
      current.nodeAdded(node);
    } else if (current != null) {
      current.nodeLeft(node);
    }
  }

  private void refresh() {
    Vertx timers = vertx;
    if (timers != null) {
      for (long delay : DELAYS_MILLIS) {
        timers.setTimer(delay, due -> selector.refresh());
      }
    }
  }

  @Override
  public List<String> getNodes() {
    return getHazelcastInstance() == null ? List.of() : super.getNodes();
  }
}
