package dev.mcpbus.cluster.engine;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.cluster.signing.SignedMessages;
import io.vertx.core.Completable;
import io.vertx.core.Vertx;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses the node to which the clustered event bus sends: the choice of Vert.x, but never a node
 * that is known to be lost. The cluster's registrations name a lost node for a while, and a message
 * to it would disappear without a failure. {@link RefreshingClusterManager} reports lost and joined
 * nodes. It looks for an address of a connection in the one entry of that connection ({@link
 * ConnectionEntries}). {@link SignedMessages} sign what it chooses a node for. Any thread may call.
 */
public final class LiveNodeSelector implements NodeSelector, Shareable {

  private static final Logger LOG = LoggerFactory.getLogger(LiveNodeSelector.class);

  /**
   * Addresses for which every node has a consumer. A message there must not wait for the
   * registrations, which cannot be read while a stopped node holds part of them, nor miss a node
   * whose registration has not arrived yet.
   */
  private static final Set<String> FOR_ALL = Set.of(Addresses.PLACEMENT, Addresses.ALL_EVENTS);

  /** What each node serves under its own id; more may follow after a dot. */
  private static final List<String> OF_EACH_NODE =
      List.of(
          Addresses.at(Addresses.PLACEMENT, ""),
          Addresses.at(Addresses.SERVERS_ANSWERS, ""),
          Addresses.GATEWAY_DOORS);

  /** How long messages of {@link #FOR_ALL} still go to a lost node that may run. */
  private static final long KEEP_INFORMED_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** How long messages wait until registrations that were known before have been read again. */
  private static final long PATIENCE_MILLIS = 200;

  private static final String KEY = "dev.mcpbus.routes";

  /** Bound of {@link #unheard}. */
  private static final int MAX_UNHEARD = 50_000;

  private static final long BEING_READ = Long.MIN_VALUE;

  /** An update may be lost with a link: the registrations are read again after this time. */
  private static final long UNHEARD_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The message that this thread is about to send. */
  private static final ThreadLocal<@Nullable Sending> SENDING = new ThreadLocal<>();

  /** One message that is to be sent. Its methods are called on any thread. */
  public interface Sending {

    /**
     * Receives the chosen node before the message is written; is not called where this Vert.x has
     * no such selector.
     *
     * @param node null where no node is known to have a consumer: the message goes to this process,
     *     and fails there if it has none either
     * @param guessed the registrations could not be read in time: former ones were taken, or {@link
     *     #owner}
     * @return false where the message must not be sent any more
     */
    boolean goesTo(@Nullable String node, boolean guessed);

    /** The node that should receive it; null where that is not known. */
    @Nullable String owner();
  }

  private final NodeSelector delegate = new DefaultNodeSelector();
  private final Set<String> lost = ConcurrentHashMap.newKeySet();

  /** Nodes that had a registration for {@link Addresses#PLACEMENT}. */
  private final Set<String> announced = ConcurrentHashMap.newKeySet();

  /** Lost nodes that may still run, each with the time until which they receive announcements. */
  private final Map<String, Long> keptInformed = new ConcurrentHashMap<>();

  private final LongSupplier nanos;

  /**
   * Entries without a consumer: what is published there needs no reading of the registrations. The
   * value is the time of the reading, {@link #BEING_READ} meanwhile; an update takes the entry out.
   * Each connection has an address for its events, and few of these have a consumer.
   */
  private final Map<String, Long> unheard = new ConcurrentHashMap<>();

  private final RegistrationMemory memory = new RegistrationMemory();

  /** Runs a task on any thread after so many milliseconds. */
  private volatile BiConsumer<Long, Runnable> timer;

  public LiveNodeSelector() {
    this(System::nanoTime, (millis, task) -> {});
  }

  /**
   * @param nanos monotonic nanoseconds
   * @param timer until {@link #register}
   */
  LiveNodeSelector(LongSupplier nanos, BiConsumer<Long, Runnable> timer) {
    this.nanos = nanos;
    this.timer = timer;
  }

  /** Makes this the selector that {@link #of} returns for {@code vertx}. */
  public void register(Vertx vertx) {
    timer = (millis, task) -> vertx.setTimer(millis, now -> task.run());
    vertx.sharedData().<String, LiveNodeSelector>getLocalMap(KEY).put(KEY, this);
  }

  /** The selector of this Vert.x; null where another program started its cluster. */
  public static @Nullable LiveNodeSelector of(Vertx vertx) {
    return vertx.sharedData().<String, LiveNodeSelector>getLocalMap(KEY).get(KEY);
  }

  /** Runs {@code send}, which sends one message, and lets {@code sending} follow its way. */
  public static void follow(Sending sending, Runnable send) {
    SENDING.set(sending);
    try {
      send.run();
    } finally {
      SENDING.remove();
    }
  }

  /** Records that a node has left: no message goes to it from now on. */
  public void lost(String node) {
    lost.add(node);
    memory
        .naming(node)
        .forEach(
            (entry, registrations) ->
                registrationsUpdated(new RegistrationUpdateEvent(entry, registrations)));
  }

  /** Records that a node is a member, perhaps again. */
  public void found(String node) {
    lost.remove(node);
    keptInformed.remove(node);
    unheard.clear();
  }

  /**
   * Keeps a lost node that may still run informed: for a minute it receives the messages on {@link
   * Addresses#PLACEMENT}, so that it sees that it is no member any more.
   */
  public void keepInformed(String node) {
    keptInformed.put(node, nanos.getAsLong() + KEEP_INFORMED_NANOS);
  }

  private static @Nullable String named(String address) {
    for (String service : OF_EACH_NODE) {
      if (address.startsWith(service)) {
        int end = address.indexOf('.', service.length());
        return address.substring(service.length(), end < 0 ? address.length() : end);
      }
    }
    return null;
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
    unheard.clear();
    memory.entries().forEach(this::forget);
  }

  /**
   * An empty update, because the event bus ignores a report that registrations are lost: it would
   * go on with those that it holds.
   */
  private void forget(String address) {
    memory.forget(address);
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
    memory.passedOn(address, live);
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

  /**
   * What is sent to a node by its id goes there, also where the registrations cannot be read, and
   * to one that is no member here and runs: it is how nodes talk that a cut link keeps apart. The
   * doors of a lost node are gone: their clients have heard that this node is lost.
   */
  @Override
  public void selectForSend(String address, Completable<String> promise) {
    SignedMessages.chosen(address);
    NodeChoice choice = new NodeChoice(SENDING.get(), promise);
    String named = named(address);
    if (named != null) {
      boolean isGone = lost.contains(named) && address.startsWith(Addresses.GATEWAY_DOORS);
      choice.take(isGone ? null : named, false);
      return;
    }
    String entry = ConnectionEntries.entryOf(address);
    delegate.selectForSend(
        entry,
        (node, failure) -> {
          if (failure instanceof NodeChoice.NoLiveRegistration) {
            choice.take(null, false);
          } else if (failure != null) {
            choice.fail(failure);
          } else if (node != null && lost.contains(node)) {
            forget(entry);
            choice.take(null, false);
          } else {
            choice.take(node, memory.isOutdated(entry));
          }
        });
    String owner = choice.owner();
    if (owner != null && !choice.isMade()) {
      timer.accept(
          PATIENCE_MILLIS,
          () -> {
            if (!lost.contains(owner)) {
              choice.take(owner, true);
            }
          });
    }
  }

  /**
   * A message for all nodes goes to the announced nodes at once, and to the other nodes of the
   * registrations as soon as these can be read.
   */
  @Override
  public void selectForPublish(String address, Completable<Iterable<String>> promise) {
    SignedMessages.chosen(address);
    String entry = ConnectionEntries.entryOf(address);
    if (!FOR_ALL.contains(address)) {
      Long read = unheard.get(entry);
      if (read != null && read != BEING_READ && nanos.getAsLong() - read < UNHEARD_NANOS) {
        promise.complete(List.of(), null);
        return;
      }
      if (!delegate.wantsUpdatesFor(entry) && unheard.size() < MAX_UNHEARD) {
        unheard.put(entry, BEING_READ);
      }
    }
    Set<String> reached = new HashSet<>();
    if (FOR_ALL.contains(address)) {
      reached.addAll(announced);
      reached.removeIf(node -> !receives(address, node));
    }
    reached.forEach(node -> choose(node, promise));
    delegate.selectForPublish(
        entry,
        (nodes, failure) -> {
          if (failure instanceof NodeChoice.NoLiveRegistration) {
            unheard.replace(entry, BEING_READ, nanos.getAsLong());
          } else {
            unheard.remove(entry);
          }
          if (nodes != null) {
            for (String node : nodes) {
              if (!lost.contains(node) && reached.add(node)) {
                choose(node, promise);
              }
            }
          }
          if (reached.isEmpty()) {
            promise.complete(
                List.of(), failure instanceof NodeChoice.NoLiveRegistration ? null : failure);
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
    return unheard.containsKey(address) || delegate.wantsUpdatesFor(address);
  }

  @Override
  public void registrationsUpdated(RegistrationUpdateEvent event) {
    memory.read(event.address());
    unheard.remove(event.address());
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
      AtomicBoolean answered = new AtomicBoolean();
      cluster.getRegistrations(
          address,
          (found, failure) -> {
            List<RegistrationInfo> live = live(found);
            if (failure == null) {
              memory.read(address);
            }
            if (answered.getAndSet(true)) {
              if (failure == null) {
                registrationsUpdated(new RegistrationUpdateEvent(address, live));
              } else {
                forget(address); // the next message reads them again
              }
            } else if (failure != null) {
              promise.fail(failure);
            } else if (live.isEmpty()) {
              promise.fail(new NodeChoice.NoLiveRegistration());
            } else {
              remember(address, live);
              promise.succeed(live);
            }
          });
      if (!memory.former(address).isEmpty()) {
        timer.accept(PATIENCE_MILLIS, () -> goOnWithFormer(address, answered, promise));
      }
    }

    /** The part of the table with this address may be on a node that cannot be reached. */
    private void goOnWithFormer(
        String address, AtomicBoolean answered, Completable<List<RegistrationInfo>> promise) {
      List<RegistrationInfo> former = live(memory.former(address));
      if (!former.isEmpty() && !answered.getAndSet(true)) {
        LOG.debug("the registrations of {} cannot be read; the former ones hold", address);
        memory.holdFormer(address, former);
        promise.succeed(former);
      }
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
