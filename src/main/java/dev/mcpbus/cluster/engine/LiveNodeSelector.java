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
 * To which node the clustered bus sends: as Vert.x chooses, but never to a node that is known to be
 * lost. The cluster's table names such a node for a while yet, and what is sent there is lost
 * without a word. Any thread may call.
 */
public final class LiveNodeSelector implements NodeSelector, Shareable {

  private static final Logger LOG = LoggerFactory.getLogger(LiveNodeSelector.class);

  /**
   * What every node listens for. It must not wait for the table, which cannot be read while a node
   * that has stopped holds part of it, nor miss a node that the bus has not heard of yet.
   */
  private static final Set<String> FOR_ALL = Set.of(Addresses.PLACEMENT, Addresses.ALL_EVENTS);

  /** How long a node that may be alive is told what concerns it. */
  private static final long DOUBT_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final String KEY = "dev.mcpbus.routes";

  /** Hears where the message goes that this thread is about to send. */
  private static final ThreadLocal<@Nullable Consumer<String>> SENDER = new ThreadLocal<>();

  /**
   * Says to Vert.x' selector that the table has nobody. It forgets those who wait for an answer
   * that is empty where it hears meanwhile that the address is gone: they would wait until their
   * time is up. Those who wait for a failure are always told.
   */
  private static final class NoLiveRegistration extends VertxException {
    private static final long serialVersionUID = 1;

    NoLiveRegistration() {
      super("nobody listens", true);
    }
  }

  private final NodeSelector all = new DefaultNodeSelector();
  private final Set<String> lost = ConcurrentHashMap.newKeySet();

  /** Nodes that were seen to listen for {@link Addresses#PLACEMENT}. */
  private final Set<String> announced = ConcurrentHashMap.newKeySet();

  /** Lost nodes that may be alive, and until when they are told what all nodes are. */
  private final Map<String, Long> doubted = new ConcurrentHashMap<>();

  private final LongSupplier nanos;

  /** What the bus has been told of the addresses that it asked for. */
  private final Map<String, List<RegistrationInfo>> told = new ConcurrentHashMap<>();

  public LiveNodeSelector() {
    this(System::nanoTime);
  }

  /**
   * @param nanos monotonic
   */
  LiveNodeSelector(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** From now on they are those of this Vert.x. */
  public void register(Vertx vertx) {
    vertx.sharedData().<String, LiveNodeSelector>getLocalMap(KEY).put(KEY, this);
  }

  /** Those of this Vert.x; null where it has been started by others than us. */
  public static @Nullable LiveNodeSelector of(Vertx vertx) {
    return vertx.sharedData().<String, LiveNodeSelector>getLocalMap(KEY).get(KEY);
  }

  /**
   * Runs something that sends one message.
   *
   * @param heard gets the id of the node that is chosen, on any thread, before the message is
   *     written; nothing where nobody is there, and where the bus has no routes of this kind
   */
  public static void noting(Consumer<String> heard, Runnable sending) {
    SENDER.set(heard);
    try {
      sending.run();
    } finally {
      SENDER.remove();
    }
  }

  /** A node has left: nothing is sent there from now on. */
  public void lost(String node) {
    lost.add(node);
    told.forEach(
        (address, registrations) -> {
          if (registrations.stream().anyMatch(one -> one.nodeId().equals(node))) {
            registrationsUpdated(new RegistrationUpdateEvent(address, registrations));
          }
        });
  }

  /** A node is there; it may have been lost before. */
  public void found(String node) {
    lost.remove(node);
    doubted.remove(node);
  }

  /**
   * A lost node may be alive: for 10 s it is told on {@link Addresses#PLACEMENT} what all are, so
   * that it hears that it is lost.
   */
  public void keepInformed(String node) {
    doubted.put(node, nanos.getAsLong() + DOUBT_NANOS);
  }

  private boolean isTold(String address, String node) {
    if (!lost.contains(node)) {
      return true;
    }
    Long until = address.equals(Addresses.PLACEMENT) ? doubted.get(node) : null;
    if (until == null) {
      return false;
    }
    if (nanos.getAsLong() - until > 0) {
      doubted.remove(node);
      return false;
    }
    return true;
  }

  /** What the bus knows of any address may be out of date: it will read it again. */
  public void refresh() {
    for (String address : List.copyOf(told.keySet())) {
      forget(address);
    }
  }

  /** The bus does nothing when it is told that registrations are lost; nowhere, it believes. */
  private void forget(String address) {
    told.remove(address);
    all.registrationsUpdated(new RegistrationUpdateEvent(address, List.of()));
  }

  private List<RegistrationInfo> living(@Nullable List<RegistrationInfo> registrations) {
    if (registrations == null) {
      return List.of();
    }
    if (lost.isEmpty()) {
      return registrations;
    }
    return registrations.stream().filter(one -> !lost.contains(one.nodeId())).toList();
  }

  private void note(String address, List<RegistrationInfo> living) {
    if (living.isEmpty()) {
      told.remove(address);
      return;
    }
    told.put(address, living);
    if (address.equals(Addresses.PLACEMENT)) {
      living.forEach(one -> announced.add(one.nodeId()));
    }
  }

  @Override
  public void init(ClusteredNode cluster) {
    all.init(new LiveNodes(cluster));
  }

  @Override
  public void eventBusStarted() {
    all.eventBusStarted();
  }

  @Override
  public void selectForSend(String address, Completable<String> promise) {
    Consumer<String> sender = SENDER.get();
    all.selectForSend(
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
            if (sender != null && node != null) {
              sender.accept(node);
            }
            promise.complete(node, null);
          }
        });
  }

  /**
   * What concerns all goes to the announced at once, and to who else the table knows as soon as it
   * can be read.
   */
  @Override
  public void selectForPublish(String address, Completable<Iterable<String>> promise) {
    Set<String> reached = new HashSet<>();
    if (FOR_ALL.contains(address)) {
      reached.addAll(announced);
      reached.removeIf(node -> !isTold(address, node));
    }
    reached.forEach(node -> choose(node, promise));
    all.selectForPublish(
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
   * One by one: the bus ends its promise once for each node, and throws where that fails twice. The
   * nodes after those are to hear it all the same.
   */
  private static void choose(String node, Completable<Iterable<String>> promise) {
    try {
      promise.complete(List.of(node), null);
    } catch (IllegalStateException twice) {
      LOG.debug("not told to {}", node, twice);
    }
  }

  @Override
  public boolean wantsUpdatesFor(String address) {
    return all.wantsUpdatesFor(address);
  }

  @Override
  public void registrationsUpdated(RegistrationUpdateEvent event) {
    List<RegistrationInfo> living = living(event.registrations());
    note(event.address(), living);
    all.registrationsUpdated(new RegistrationUpdateEvent(event.address(), living));
  }

  @Override
  public void registrationsLost() {
    all.registrationsLost();
  }

  /** The cluster as the bus is to see it. */
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
            List<RegistrationInfo> living = living(found);
            if (failure != null) {
              promise.fail(failure);
            } else if (living.isEmpty()) {
              promise.fail(new NoLiveRegistration());
            } else {
              note(address, living);
              promise.succeed(living);
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
