package dev.mcpbus.bus;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import io.vertx.core.shareddata.AsyncMap;
import io.vertx.core.shareddata.LocalMap;
import io.vertx.core.shareddata.Shareable;
import io.vertx.core.spi.cluster.ClusterManager;
import io.vertx.core.spi.cluster.NodeInfo;
import io.vertx.core.spi.cluster.NodeListener;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Requests to connections that may live on other nodes. The bus tells nobody that the node which
 * holds a call has gone: the call would run to its time-out. Here each call is known with the node
 * that it went to, and fails with {@code OWNER_LOST} as soon as that node is no member any more. A
 * call that meets no owner waits a moment for the next one. On one node alone this is the bus and
 * nothing else.
 *
 * <p>One for each Vert.x; any thread may call. Futures complete on the caller's context.
 */
public final class ClusterRequests implements Shareable {

  /** Map of the cluster: who owns which connection, {@code "<epoch> <node>"}. */
  public static final String OWNERS = "mcpbus.owners";

  /** Map of the cluster: the definitions of all servers, JSON by id. */
  public static final String SERVERS = "mcpbus.servers";

  /** Members of what is published on {@link Addresses#PLACEMENT}. */
  public static final String TYPE = "type";

  /** The sender's monotonic clock, milliseconds; see {@link ClockOffsets}. */
  public static final String CLOCK = "clock";

  public static final String CLAIMED = "claimed";
  public static final String RELEASED = "released";

  /** A replica tells its {@code state} and the {@code version} of its definition. */
  public static final String REPLICA = "replica";

  /** About as long as it takes to hand a connection over. */
  private static final long RETRY_AFTER_MILLIS = 250;

  private static final long RELEASED_MILLIS = 1_000;

  /** For the question whether an answer is of an owner that was replaced. */
  private static final long CLAIM_MILLIS = 1_000;

  private static final String KEY = "dev.mcpbus.calls";

  private final VertxInternal vertx;
  private final String speaks;
  private final ClockOffsets offsets = new ClockOffsets(ClusterRequests::clock);

  /** Null on a node of its own. */
  private final @Nullable TransitDeadlines deadlines;

  private final NewestEpochs epochs = new NewestEpochs();
  private final InFlightRequests inFlight = new InFlightRequests();
  private final OwnerTable owners = new OwnerTable();
  private final ReplicaRouting replicas;

  /** Servers that this node knows; the map does not while it is merged. */
  private final Set<ConnectionId> known = ConcurrentHashMap.newKeySet();

  private volatile Supplier<@Nullable String> hindrance = () -> null;

  private final CopyOnWriteArrayList<BiConsumer<String, Boolean>> listeners =
      new CopyOnWriteArrayList<>();

  private ClusterRequests(Vertx vertx) {
    this.vertx = (VertxInternal) vertx;
    this.replicas = new ReplicaRouting(this.vertx, this, owners);
    ClusterManager cluster = vertx.isClustered() ? this.vertx.clusterManager() : null;
    if (cluster == null) {
      this.deadlines = null;
      this.speaks = Integer.toString(WireForm.NEWEST);
      return;
    }
    NodeInfo own = cluster.getNodeInfo();
    WireForm.Range reads = own == null ? null : WireForm.of(own.metadata());
    this.speaks = Integer.toString(reads == null ? WireForm.NEWEST : reads.to());
    TransitDeadlines of = new TransitDeadlines(cluster.getNodeId(), offsets);
    this.deadlines = of;
    vertx.eventBus().<JsonObject>consumer(Addresses.PLACEMENT, fact -> heard(fact.body()));
    vertx.eventBus().addInboundInterceptor(of::arrived);
    cluster.nodeListener(new Watch());
    readOwners();
  }

  public static ClusterRequests of(Vertx vertx) {
    LocalMap<String, ClusterRequests> map = vertx.sharedData().getLocalMap(KEY);
    ClusterRequests present = map.get(KEY);
    return present != null
        ? present
        : map.computeIfAbsent(KEY, absent -> new ClusterRequests(vertx));
  }

  /**
   * Hears of every node that joins (true) or leaves (false), on a thread of the cluster's engine.
   */
  public void onMembership(BiConsumer<String, Boolean> listener) {
    listeners.add(listener);
  }

  /**
   * A request. One with a budget ({@link Headers#DEADLINE}) or a name ({@link Headers#CALL_ID})
   * waits up to 3 s, and never longer than its budget, where its connection has no owner at the
   * moment; others fail at once.
   *
   * @param server whose connection it is for, null where it is for a service of every node
   * @return fails with what the bus fails with, or {@code OWNER_LOST}, or {@code UNAVAILABLE} where
   *     the connection is between two owners
   */
  public <T> Future<Message<T>> request(
      @Nullable ConnectionId server, String address, Object body, DeliveryOptions options) {
    if (deadlines == null) {
      return vertx.eventBus().request(address, body, options);
    }
    options.addHeader(Headers.SPEAKS, speaks);
    return new RoutedRequest<T>(vertx, this, deadlines, server, address, body, options).run();
  }

  /**
   * Sends a request once; its flight is over when the reply has come, or the node has left.
   *
   * @param owner whom it is for, null for whomever the bus chooses
   */
  <T> void send(
      @Nullable ConnectionId server,
      @Nullable ReplicaOwner owner,
      String address,
      Object body,
      DeliveryOptions options,
      Promise<Message<T>> reply) {
    InFlightRequests.Flight<T> flight = inFlight.begin(server, owner, reply);
    LiveNodeSelector.noting(
        flight::goesTo,
        () ->
            vertx
                .eventBus()
                .<T>request(address, body, options)
                .onComplete(flight::answered, flight::failed));
  }

  boolean isReplicated(ConnectionId server) {
    return owners.isReplicated(server);
  }

  /** Whether an answer is of an owner that, as far as is known here, was not replaced. */
  boolean isCurrent(ConnectionId server, @Nullable String epoch) {
    return epochs.isCurrent(server, epoch);
  }

  /** Whether the map names the owner of an answer that seems to have been replaced. */
  Future<Boolean> isAnew(ConnectionId server, @Nullable String epoch) {
    return entry(OWNERS, NewestEpochs.key(server, epoch))
        .timeout(CLAIM_MILLIS, TimeUnit.MILLISECONDS)
        .transform(claim -> Future.succeededFuture(epochs.isAnew(server, epoch, claim.result())));
  }

  /** Whether there is such a server; true where that cannot be read in time. */
  Future<Boolean> isDefined(ConnectionId server, long millis) {
    if (known.contains(server)) {
      return Future.succeededFuture(true);
    }
    return entry(SERVERS, server.value())
        .timeout(millis, TimeUnit.MILLISECONDS)
        .transform(read -> Future.succeededFuture(read.failed() || !isNone(read.result())));
  }

  /** The connections of each server, where it may have several. */
  public ReplicaRouting replicas() {
    return replicas;
  }

  /**
   * What whoever finds nobody is told beside that.
   *
   * @param why this node may serve nothing; gives null where it may; asked on any thread
   */
  public void reasonNotServing(Supplier<@Nullable String> why) {
    hindrance = why;
  }

  /** Whether there is such a server, as this node knows by itself. */
  public void define(ConnectionId server, boolean defined) {
    if (defined) {
      known.add(server);
    } else {
      known.remove(server);
    }
  }

  /** A request to one replica and no other, not sent again. */
  <T> Future<Message<T>> requestOf(
      ReplicaOwner owner, String suffix, Object body, DeliveryOptions options) {
    ConnectionId server = owner.replica().server();
    options.addHeader(Headers.SPEAKS, speaks).addHeader(Headers.TO, suffix);
    Promise<Message<T>> reply = vertx.getOrCreateContext().promise();
    send(server, owner, owner.replica().address(), body, options, reply);
    return reply
        .future()
        .recover(
            failure -> Future.failedFuture(isNobody(failure) ? betweenOwners(server) : failure));
  }

  /** Whether nobody was there to take a request; it was not sent. */
  public static boolean isNobody(Throwable failure) {
    return failure instanceof ReplyException reply
        && reply.failureType() == ReplyFailure.NO_HANDLERS;
  }

  McpFailure betweenOwners(ConnectionId server) {
    String why = hindrance.get();
    return new McpFailure(
        FailureCode.UNAVAILABLE,
        McpFailure.Sent.NO,
        "no node serves '" + server + "' at the moment" + (why == null ? "" : ": " + why),
        RETRY_AFTER_MILLIS,
        null);
  }

  static McpFailure replaced(ConnectionId server) {
    return McpFailure.maybeSent(
        FailureCode.OWNER_LOST,
        "an owner of '" + server + "' answered that has been replaced; the call has run");
  }

  private Future<@Nullable String> entry(String map, String key) {
    return vertx
        .sharedData()
        .<String, String>getClusterWideMap(map)
        .compose(entries -> entries.get(key));
  }

  /** What was removed leaves a note, which has no source. */
  private static boolean isNone(@Nullable String definition) {
    return definition == null || !definition.contains("\"origin\"");
  }

  /** Monotonic milliseconds, as nodes tell each other. */
  public static long clock() {
    return System.nanoTime() / 1_000_000;
  }

  private void heard(JsonObject fact) {
    Long clock = fact.getLong(CLOCK);
    if (clock != null) {
      offsets.heard(fact.getString("node", ""), clock);
    }
    ReplicaId replica = ReplicaId.parse(fact.getString("id", "")).orElse(null);
    if (replica == null) {
      return;
    }
    String node = fact.getString("node", "");
    switch (fact.getString(TYPE, "")) {
      case CLAIMED -> owners.put(new ReplicaOwner(replica, node, ConnectionState.CLOSED, ""));
      case REPLICA ->
          owners.state(
              replica,
              node,
              ConnectionState.valueOf(fact.getString("state")),
              fact.getString("version", ""));
      case RELEASED -> {
        owners.remove(replica, node);
        vertx.setTimer(
            RELEASED_MILLIS,
            later ->
                inFlight.released(replica, node, System.nanoTime() - RELEASED_MILLIS * 1_000_000));
      }
      default -> {}
    }
  }

  private void readOwners() {
    vertx
        .sharedData()
        .<String, String>getClusterWideMap(OWNERS)
        .compose(AsyncMap::entries)
        .onSuccess(
            all ->
                all.forEach(
                    (id, claim) -> {
                      ReplicaOwner owner =
                          ReplicaId.parse(id).map(one -> ReplicaOwner.of(one, claim)).orElse(null);
                      // A lost node's claims stay until another takes them over.
                      if (owner != null && !inFlight.isGone(owner.node())) {
                        owners.learn(owner);
                      }
                    }));
  }

  /** Called on threads of the cluster's engine. */
  private final class Watch implements NodeListener {

    @Override
    public void nodeAdded(String node) {
      inFlight.joined(node);
      listeners.forEach(listener -> listener.accept(node, true));
    }

    @Override
    public void nodeLeft(String node) {
      inFlight.left(node);
      owners.lost(node);
      listeners.forEach(listener -> listener.accept(node, false));
      readOwners();
    }
  }
}
