package dev.mcpbus.cluster.engine;

import dev.mcpbus.bus.Addresses;
import io.vertx.core.Completable;
import io.vertx.core.Vertx;
import io.vertx.core.VertxException;
import io.vertx.core.eventbus.impl.clustered.DefaultNodeSelector;
import io.vertx.core.eventbus.impl.clustered.NodeSelector;
import io.vertx.core.shareddata.Shareable;
import io.vertx.core.spi.cluster.ClusteredNode;
import io.vertx.core.spi.cluster.NodeInfo;
import io.vertx.core.spi.cluster.RegistrationInfo;
import io.vertx.core.spi.cluster.RegistrationUpdateEvent;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses the node to which the clustered event bus sends: the choice of Vert.x, but never a node
 * that is known to be lost. The cluster's registrations name a lost node for a while, and a message
 * to it would disappear without a failure. {@link RefreshingClusterManager} reports lost and joined
 * nodes. Any thread may call.
 */
public final class LiveNodeSelector implements NodeSelector, Shareable {

  private static final Logger LOG = LoggerFactory.getLogger(LiveNodeSelector.class);

  /**
   * Addresses for which every node has a consumer. A message there must not wait for the
   * registrations, which cannot be read while a stopped node holds part of them, nor miss a node
   * whose registration has not arrived yet.
   */
  private static final Set<String> FOR_ALL = Set.of(Addresses.PLACEMENT, Addresses.ALL_EVENTS);

  /** How long messages of {@link #FOR_ALL} still go to a lost node that may run. */
  private static final long KEEP_INFORMED_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final String KEY = "dev.mcpbus.routes";

  /** Receives the node of the message that this thread is about to send. */
  private static final ThreadLocal<@Nullable Consumer<String>> CHOICE_LISTENER =
      new ThreadLocal<>();

  /**
   * The failure that reports to Vert.x's selector that no live node has a consumer. With an empty
   * result instead, the selector forgets the waiting senders if the address is removed meanwhile,
   * and they wait for their time-out; a failure always reaches them.
   */
  private static final class NoLiveRegistration extends VertxException {
    private static final long serialVersionUID = 1;

    NoLiveRegistration() {
      super("no live node has a consumer", true);
    }
  }

  private final NodeSelector delegate = new DefaultNodeSelector();
  private final Set<String> lost = ConcurrentHashMap.newKeySet();

  /** Nodes that had a registration for {@link Addresses#PLACEMENT}. */
  private final Set<String> announced = ConcurrentHashMap.newKeySet();

  /** Lost nodes that may still run, each with the time until which they receive announcements. */
  private final Map<String, Long> keptInformed = new ConcurrentHashMap<>();

  private final LongSupplier nanos;

  /** The live registrations that were last passed to the event bus, by address. */
  private final Map<String, List<RegistrationInfo>> passedOn = new ConcurrentHashMap<>();

  public LiveNodeSelector() {
    this(System::nanoTime);
  }

  /**
   * @param nanos monotonic nanoseconds
   */
  LiveNodeSelector(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** Makes this the selector that {@link #of} returns for {@code vertx}. */
  public void register(Vertx vertx) {
    vertx.sharedData().<String, LiveNodeSelector>getLocalMap(KEY).put(KEY, this);
  }

  /** The selector of this Vert.x; null where another program started its cluster. */
  public static @Nullable LiveNodeSelector of(Vertx vertx) {
    return vertx.sharedData().<String, LiveNodeSelector>getLocalMap(KEY).get(KEY);
  }

  /**
   * Runs {@code sending}, which sends one message, and reports the chosen node.
   *
   * @param chosen receives the id of the chosen node, on any thread, before the message is written;
   *     is not called where no node has a consumer, or where this Vert.x has no such selector
   */
  public static void reportingChoice(Consumer<String> chosen, Runnable sending) {
    CHOICE_LISTENER.set(chosen);
    try {
      sending.run();
    } finally {
      CHOICE_LISTENER.remove();
    }
  }

  /** Records that a node has left: no message goes to it from now on. */
  public void lost(String node) {
    lost.add(node);
    passedOn.forEach(
        (address, registrations) -> {
          if (registrations.stream().anyMatch(one -> one.nodeId().equals(node))) {
            registrationsUpdated(new RegistrationUpdateEvent(address, registrations));
          }
        });
  }

  /** Records that a node is a member, perhaps again. */
  public void found(String node) {
    lost.remove(node);
    keptInformed.remove(node);
  }

  /**
   * Keeps a lost node that may still run informed: for 10 s it receives the messages on {@link
   * Addresses#PLACEMENT}, so that it sees that it is no member any more.
   */
  public void keepInformed(String node) {
    keptInformed.put(node, nanos.getAsLong() + KEEP_INFORMED_NANOS);
  }

  private boolean receives(String address, String node) {
    if (!lost.contains(node)) {
      return true;
    }
    Long until = address.equals(Addresses.PLACEMENT) ? keptInformed.get(node) : null;
    if (until == null) {
      return false;
    }
    if (nanos.getAsLong() - until > 0) {
      keptInformed.remove(node);
      return false;
    }
    return true;
  }

  /**
   * Makes the event bus read all registrations again, because those that it holds may be out of
   * date.
   */
  public void refresh() {
    for (String address : List.copyOf(passedOn.keySet())) {
      forget(address);
    }
  }

  /**
   * An empty update, because the event bus ignores a report that registrations are lost: it would
   * go on with those that it holds.
   */
  private void forget(String address) {
    passedOn.remove(address);
    delegate.registrationsUpdated(new RegistrationUpdateEvent(address, List.of()));
  }

  private List<RegistrationInfo> live(@Nullable List<RegistrationInfo> registrations) {
    if (registrations == null) {
      return List.of();
    }
    if (lost.isEmpty()) {
      return registrations;
    }
    return registrations.stream().filter(one -> !lost.contains(one.nodeId())).toList();
  }

  private void remember(String address, List<RegistrationInfo> live) {
    if (live.isEmpty()) {
      passedOn.remove(address);
      return;
    }
    passedOn.put(address, live);
    if (address.equals(Addresses.PLACEMENT)) {
      live.forEach(one -> announced.add(one.nodeId()));
    }
  }

  @Override
  public void init(ClusteredNode cluster) {
    delegate.init(new LiveNodes(cluster));
  }

  @Override
  public void eventBusStarted() {
    delegate.eventBusStarted();
  }

  @Override
  public void selectForSend(String address, Completable<String> promise) {
    Consumer<String> chosen = CHOICE_LISTENER.get();
    delegate.selectForSend(
        address,
        (node, failure) -> {
          if (failure instanceof NoLiveRegistration) {
            promise.complete(null, null);
          } else if (failure != null) {
            promise.fail(failure);
          } else if (node != null && lost.contains(node)) {
            forget(address);
            promise.complete(null, null);
          } else {
            if (chosen != null && node != null) {
              chosen.accept(node);
            }
            promise.complete(node, null);
          }
        });
  }

  /**
   * A message for all nodes goes to the announced nodes at once, and to the other nodes of the
   * registrations as soon as these can be read.
   */
  @Override
  public void selectForPublish(String address, Completable<Iterable<String>> promise) {
    Set<String> reached = new HashSet<>();
    if (FOR_ALL.contains(address)) {
      reached.addAll(announced);
      reached.removeIf(node -> !receives(address, node));
    }
    reached.forEach(node -> choose(node, promise));
    delegate.selectForPublish(
        address,
        (nodes, failure) -> {
          if (nodes != null) {
            for (String node : nodes) {
              if (!lost.contains(node) && reached.add(node)) {
                choose(node, promise);
              }
            }
          }
          if (reached.isEmpty()) {
            promise.complete(List.of(), failure instanceof NoLiveRegistration ? null : failure);
          }
        });
  }

  /**
   * Completes the promise for one node. The event bus ends its own promise once for each node and
   * throws where that fails twice; the remaining nodes must still receive the message.
   */
  private static void choose(String node, Completable<Iterable<String>> promise) {
    try {
      promise.complete(List.of(node), null);
    } catch (IllegalStateException twice) {
      LOG.debug("a published message did not reach node {}", node, twice);
    }
  }

  @Override
  public boolean wantsUpdatesFor(String address) {
    return delegate.wantsUpdatesFor(address);
  }

  @Override
  public void registrationsUpdated(RegistrationUpdateEvent event) {
    List<RegistrationInfo> live = live(event.registrations());
    remember(event.address(), live);
    delegate.registrationsUpdated(new RegistrationUpdateEvent(event.address(), live));
  }

  @Override
  public void registrationsLost() {
    delegate.registrationsLost();
  }

  /** The cluster as the event bus sees it: without lost nodes. */
  private final class LiveNodes implements ClusteredNode {

    private final ClusteredNode cluster;

    LiveNodes(ClusteredNode cluster) {
      this.cluster = cluster;
    }

    @Override
    public String getNodeId() {
      return cluster.getNodeId();
    }

    @Override
    public void getRegistrations(String address, Completable<List<RegistrationInfo>> promise) {
      cluster.getRegistrations(
          address,
          (found, failure) -> {
            List<RegistrationInfo> live = live(found);
            if (failure != null) {
              promise.fail(failure);
            } else if (live.isEmpty()) {
              promise.fail(new NoLiveRegistration());
            } else {
              remember(address, live);
              promise.succeed(live);
            }
          });
    }

    @Override
    public NodeInfo getNodeInfo() {
      return cluster.getNodeInfo();
    }

    @Override
    public void getNodeInfo(String nodeId, Completable<NodeInfo> promise) {
      cluster.getNodeInfo(nodeId, promise);
    }

    @Override
    public List<String> getNodes() {
      return cluster.getNodes();
    }
  }
}
