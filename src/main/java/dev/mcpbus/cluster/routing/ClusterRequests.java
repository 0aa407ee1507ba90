package dev.mcpbus.cluster.routing;

import dev.mcpbus.bus.ClusterMembership;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ReplicaId;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.bus.RequestSenderProvider;
import dev.mcpbus.bus.WireForm;
import dev.mcpbus.cluster.engine.EngineNodes;
import dev.mcpbus.cluster.engine.LiveNodeSelector;
import dev.mcpbus.cluster.membership.ClockOffsets;
import dev.mcpbus.cluster.membership.ClusterMaps;
import dev.mcpbus.cluster.membership.NodeMessage;
import dev.mcpbus.cluster.membership.NodeMessages;
import dev.mcpbus.internals.OwnContext;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.shareddata.AsyncMap;
import java.util.List;
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
 * call that meets no owner waits a moment for the next one.
 *
 * <p>One for each Vert.x; any thread may call. Futures complete on the caller's context.
 */
public final class ClusterRequests implements RequestSender, ClusterMembership {

  /** Finds it for {@link RequestSender#of}. */
  public static final class Provider implements RequestSenderProvider {
    @Override
    public RequestSender create(Vertx vertx) {
      return new ClusterRequests(vertx);
    }
  }

  /** About as long as it takes to hand a connection over. */
  private static final long RETRY_AFTER_MILLIS = 250;

  private static final long RELEASED_MILLIS = 1_000;

  /** For the question whether an answer is of an owner that was replaced. */
  private static final long CLAIM_MILLIS = 1_000;

  private final Vertx vertx;
  private final String speaks;
  private final ClockOffsets offsets = new ClockOffsets(ClockOffsets::clock);

  private final TransitDeadlines deadlines;
  private final NodeMessages messages;
  private final EngineNodes nodes;

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
    this.vertx = vertx;
    this.nodes = new EngineNodes(vertx);
    this.replicas = new ReplicaRouting(this, owners);
    WireForm.Range reads = WireForm.of(nodes.ownMetadata());
    this.speaks = Integer.toString(reads == null ? WireForm.NEWEST : reads.to());
    TransitDeadlines of = new TransitDeadlines(nodes.self(), offsets);
    this.deadlines = of;
    this.messages = new NodeMessages(vertx, offsets, this::heard);
    vertx.eventBus().addInboundInterceptor(of::arrived);
    nodes.listen(this::membership);
    readOwners();
  }

  /** That of a clustered Vert.x. */
  public static ClusterRequests of(Vertx vertx) {
    return (ClusterRequests) RequestSender.of(vertx);
  }

  @Override
  public ClusterMembership membership() {
    return this;
  }

  @Override
  public String self() {
    return nodes.self();
  }

  @Override
  public List<String> nodes() {
    return nodes.ids();
  }

  @Override
  public void onChange(BiConsumer<String, Boolean> listener) {
    listeners.add(listener);
  }

  @Override
  public <T> Future<Message<T>> request(
      @Nullable ConnectionId server, String address, Object body, DeliveryOptions options) {
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
    return entry(ClusterMaps.OWNERS, NewestEpochs.key(server, epoch))
        .timeout(CLAIM_MILLIS, TimeUnit.MILLISECONDS)
        .transform(claim -> Future.succeededFuture(epochs.isAnew(server, epoch, claim.result())));
  }

  /** Whether there is such a server; true where that cannot be read in time. */
  Future<Boolean> isDefined(ConnectionId server, long millis) {
    if (known.contains(server)) {
      return Future.succeededFuture(true);
    }
    return entry(ClusterMaps.SERVERS, server.value())
        .timeout(millis, TimeUnit.MILLISECONDS)
        .transform(read -> Future.succeededFuture(read.failed() || !isNone(read.result())));
  }

  /** What nodes tell each other. */
  public NodeMessages messages() {
    return messages;
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
    Promise<Message<T>> reply = OwnContext.promise(vertx);
    send(server, owner, owner.replica().address(), body, options, reply);
    return reply
        .future()
        .recover(
            failure ->
                Future.failedFuture(
                    RequestSender.hadNoReceiver(failure) ? betweenOwners(server) : failure));
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

  private void heard(NodeMessage message) {
    if (message instanceof NodeMessage.Claimed claimed) {
      owners.put(new ReplicaOwner(claimed.replica(), claimed.node(), ConnectionState.CLOSED, ""));
    } else if (message instanceof NodeMessage.ReplicaState told) {
      owners.state(told.replica(), told.node(), told.state(), told.version());
    } else if (message instanceof NodeMessage.Released released) {
      owners.remove(released.replica(), released.node());
      vertx.setTimer(
          RELEASED_MILLIS,
          later ->
              inFlight.released(
                  released.replica(),
                  released.node(),
                  System.nanoTime() - RELEASED_MILLIS * 1_000_000));
    }
  }

  private void readOwners() {
    vertx
        .sharedData()
        .<String, String>getClusterWideMap(ClusterMaps.OWNERS)
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

  /** On threads of the cluster's engine. */
  private void membership(String node, boolean joined) {
    if (joined) {
      inFlight.joined(node);
    } else {
      inFlight.left(node);
      owners.lost(node);
    }
    listeners.forEach(listener -> listener.accept(node, joined));
    if (!joined) {
      readOwners();
    }
  }
}
