package dev.mcpbus.cluster.routing;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallRepeats;
import dev.mcpbus.bus.ClusterMap;
import dev.mcpbus.bus.ClusterMembership;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.OwnershipEpoch;
import dev.mcpbus.bus.ReceiverWords;
import dev.mcpbus.bus.ReplicaId;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.bus.RequestSenderProvider;
import dev.mcpbus.bus.WireForm;
import dev.mcpbus.cluster.engine.EngineNodes;
import dev.mcpbus.cluster.engine.ReservedEventLoops;
import dev.mcpbus.cluster.membership.ClockOffsets;
import dev.mcpbus.cluster.membership.NodeMessage;
import dev.mcpbus.cluster.membership.NodeMessages;
import dev.mcpbus.cluster.ownership.OwnershipClaim;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.replicas.OwnerTable;
import dev.mcpbus.replicas.ReplicaOwner;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.shareddata.AsyncMap;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to connections that may run on other nodes; implements the seam {@link
 * RequestSender}. The event bus does not report that the node which holds a call has left the
 * cluster, and the call would wait for its time-out. So this class records the node of each call in
 * {@link InFlightRequests} and fails the call with {@code OWNER_LOST} as soon as that node is no
 * member any more. A {@link RoutedRequest} that finds no owner waits a moment for the next one.
 *
 * <p>One instance for each Vert.x; any thread may call. Futures complete on the caller's context.
 */
public final class ClusterRequests implements RequestSender, ClusterMembership {

  /** Makes the instance for {@link RequestSender#of}. */
  public static final class Provider implements RequestSenderProvider {
    @Override
    public RequestSender create(Vertx vertx) {
      return new ClusterRequests(vertx);
    }
  }

  /** About as long as it takes to hand a connection over. */
  private static final long RETRY_AFTER_MILLIS = 250;

  private static final long RELEASED_MILLIS = 1_000;

  /**
   * Time-out for reading the claim of an answer whose owner may have been replaced, milliseconds.
   */
  private static final long CLAIM_MILLIS = 1_000;

  private final Vertx vertx;
  private final CallRepeats repeats;
  private final String wireForm;
  private final ClockOffsets offsets = new ClockOffsets(ClockOffsets::clock);

  private final TransitDeadlines deadlines;
  private final NodeMessages messages;
  private final EngineNodes nodes;

  private final NewestEpochs epochs = new NewestEpochs();
  private final InFlightRequests inFlight = new InFlightRequests();
  private final OwnerTable owners = new OwnerTable();
  private final NodeLinks links;
  private final ReplicaRouting replicas;
  private final GatheredReads gathered;
  private final SingleSend.Shared sending;

  /**
   * Servers that this node knows to be defined; while two halves of the map merge, the map may not
   * show them.
   */
  private final Set<ConnectionId> known = ConcurrentHashMap.newKeySet();

  /** The node of each server that only one node has. */
  private final Map<ConnectionId, String> bound = new ConcurrentHashMap<>();

  /** The header that names the key, of servers whose calls with the same key stay together. */
  private final Map<ConnectionId, String> keys = new ConcurrentHashMap<>();

  private volatile Supplier<@Nullable String> reasonNotServing = () -> null;

  private final CopyOnWriteArrayList<BiConsumer<String, Boolean>> listeners =
      new CopyOnWriteArrayList<>();

  private ClusterRequests(Vertx vertx) {
    this.vertx = vertx;
    this.repeats = CallRepeats.of(vertx);
    this.nodes = new EngineNodes(vertx);
    this.replicas = new ReplicaRouting(this, owners);
    WireForm.Range reads = WireForm.of(nodes.ownMetadata());
    this.wireForm = Integer.toString(reads == null ? WireForm.NEWEST : reads.to());
    TransitDeadlines of = new TransitDeadlines(nodes.self(), offsets);
    this.deadlines = of;
    this.links = new NodeLinks(nodes.self(), ClockOffsets::clock);
    this.messages = new NodeMessages(ReservedEventLoops.ownership(vertx), offsets, this::received);
    vertx.eventBus().addInboundInterceptor(of::arrived);
    RequestId.Numbering ids = new RequestId.Numbering(new SecureRandom());
    this.sending = new SingleSend.Shared(vertx, nodes.self(), links, inFlight, ids);
    new ArrivedRequests(ids, ClockOffsets::clock).open(vertx, nodes.self());
    new LostAnswers(vertx, nodes.self(), links, inFlight).open();
    new RelayedRequests(vertx, of, inFlight, nodes.self()).open();
    this.gathered = new GatheredReads(vertx, this);
    gathered.open(nodes.self());
    nodes.listen(this::membership);
    readOwners();
  }

  /** The instance of a clustered Vert.x. */
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
  public CallRepeats repeats() {
    return repeats;
  }

  @Override
  public <T> Future<Message<T>> requestOnce(
      @Nullable ConnectionId server, String address, Object body, DeliveryOptions options) {
    options.addHeader(Headers.SPEAKS, wireForm);
    return new RoutedRequest<T>(vertx, this, deadlines, server, address, body, options).run();
  }

  @Override
  public <T> Future<T> read(
      ConnectionId server, String suffix, Object body, DeliveryOptions options) {
    ReplicaOwner owner =
        isReplicated(server) || !GatheredReads.isReadable(suffix) ? null : owners.speaker(server);
    if (owner == null
        || owner.node().equals(self())
        || !(links.to(owner.node()) instanceof NodeLinks.Way.Direct)) {
      return RequestSender.super.read(server, suffix, body, options);
    }
    long began = ClockOffsets.clock();
    long timeout = options.getSendTimeout();
    return gathered
        .read(owner.node(), server, suffix, body, timeout)
        .compose(
            answer -> {
              if (answer != null) {
                @SuppressWarnings("unchecked") // as with any reply: its reader names the type
                T read = (T) answer;
                return Future.succeededFuture(read);
              }
              long left = timeout - (ClockOffsets.clock() - began);
              return left > 0
                  ? RequestSender.super.read(server, suffix, body, options.setSendTimeout(left))
                  : Future.failedFuture(
                      McpFailure.notSent(
                          FailureCode.CALL_TIMEOUT,
                          ReceiverWords.silent(
                              Addresses.of(server, suffix), Long.toString(timeout))));
            });
  }

  /**
   * A request that can be sent once. It is in flight until the reply arrives, its node leaves, or
   * the send fails.
   *
   * @param owner the node and replica that should receive it, null where the bus chooses
   */
  <T> SingleSend<T> sending(
      @Nullable ConnectionId server,
      @Nullable ReplicaOwner owner,
      String address,
      Object body,
      DeliveryOptions options,
      Promise<Message<T>> reply) {
    return new SingleSend<>(sending, server, owner, address, body, options, reply);
  }

  /**
   * The node to which this one passes requests while it is no part of a quorum and serves nothing
   * itself: one that hears it and may be part of a quorum. Null while this node serves, and where
   * there is none.
   */
  @Nullable String wayOut() {
    return servesNothing() ? links.widest() : null;
  }

  /** Whether this node is no part of a quorum, so that it owns nothing. */
  boolean servesNothing() {
    return reasonNotServing.get() != null;
  }

  /** Whether the bus, asked to choose, may choose a node that has just left. */
  boolean mayGoToLostNode() {
    return inFlight.mayGoToLostNode();
  }

  boolean isReplicated(ConnectionId server) {
    return owners.isReplicated(server);
  }

  /** Whether no newer owner of the same replica has answered before, as far as this node knows. */
  boolean isCurrent(OwnershipEpoch answer) {
    return epochs.isCurrent(answer);
  }

  /** Whether the map of claims names the owner of an answer that seems to have been replaced. */
  Future<Boolean> isNamedByClaim(OwnershipEpoch answer) {
    return entry(ClusterMap.OWNERS, answer.replica().key())
        .timeout(CLAIM_MILLIS, TimeUnit.MILLISECONDS)
        .transform(claim -> Future.succeededFuture(epochs.isNamedByClaim(answer, claim.result())));
  }

  /** Whether a server with this id is defined; true where that cannot be read in time. */
  Future<Boolean> isDefined(ConnectionId server, long millis) {
    String only = bound.get(server);
    if (only != null && !nodes.ids().contains(only)) {
      return Future.succeededFuture(false);
    }
    if (known.contains(server)) {
      return Future.succeededFuture(true);
    }
    return entry(ClusterMap.SERVERS, server.value())
        .timeout(millis, TimeUnit.MILLISECONDS)
        .transform(
            read ->
                Future.succeededFuture(read.failed() || ClusterMap.isDefinition(read.result())));
  }

  /** The messages between the nodes of the cluster. */
  public NodeMessages messages() {
    return messages;
  }

  /** Which nodes hear each other. */
  public NodeLinks links() {
    return links;
  }

  /** The replicas of each server and their owners. */
  public ReplicaRouting replicas() {
    return replicas;
  }

  /**
   * Sets what failures of calls without an owner report in addition.
   *
   * @param why the reason why this node serves nothing; gives null while it may serve; called on
   *     any thread
   */
  public void reasonNotServing(Supplier<@Nullable String> why) {
    reasonNotServing = why;
  }

  /**
   * Records what this node knows of a server with this id.
   *
   * @param options of its connections; null where it is not defined
   */
  public void define(ConnectionId server, @Nullable ConnectionOptions options) {
    if (options != null) {
      known.add(server);
    } else {
      known.remove(server);
    }
    if (options != null && options.balance() == ConnectionOptions.Balance.STICKY) {
      keys.put(server, options.balanceKey());
    } else {
      keys.remove(server);
    }
  }

  /** What decides which replica takes a request; null for none: they take turns. */
  @Nullable String key(ConnectionId server, DeliveryOptions options) {
    String header = keys.get(server);
    return header == null || options.getHeaders() == null ? null : options.getHeaders().get(header);
  }

  /** Records the node of a server that only this node has; null where any node may have it. */
  public void bind(ConnectionId server, @Nullable String node) {
    ReplicaId replica = new ReplicaId(server, 0);
    String before = node == null ? bound.remove(server) : bound.put(server, node);
    if (before != null && !before.equals(node)) {
      owners.remove(replica, before);
    }
    if (node != null) {
      owners.learn(new ReplicaOwner(replica, node, null, ""));
    }
  }

  /** Sends a request to one replica and no other, once. */
  <T> Future<Message<T>> requestOf(
      ReplicaOwner owner, String suffix, Object body, DeliveryOptions options) {
    ConnectionId server = owner.replica().server();
    options.addHeader(Headers.SPEAKS, wireForm).addHeader(Headers.TO, suffix);
    deadlines.stamp(options.getHeaders());
    Promise<Message<T>> reply = InternalContext.promise(vertx);
    sending(server, owner, owner.replica().address(), body, options, reply).send();
    return reply
        .future()
        .recover(
            failure ->
                Future.failedFuture(
                    RequestSender.hadNoReceiver(failure) ? betweenOwners(server) : failure));
  }

  McpFailure betweenOwners(ConnectionId server) {
    String why = reasonNotServing.get();
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
        "the answer came from an owner of '"
            + server
            + "' that has been replaced; the call has run");
  }

  private Future<@Nullable String> entry(ClusterMap map, String key) {
    return map.<String>of(vertx).compose(entries -> entries.get(key));
  }

  private void received(NodeMessage message) {
    if (message instanceof NodeMessage.Announcement announcement) {
      links.announced(announcement);
      Long echo = announcement.heard().get(self());
      if (echo != null) {
        offsets.answered(announcement.node(), announcement.at(), echo);
      }
    } else if (message instanceof NodeMessage.Claimed claimed) {
      owners.put(new ReplicaOwner(claimed.replica(), claimed.node(), ConnectionState.CLOSED, ""));
    } else if (message instanceof NodeMessage.ReplicaState changed) {
      owners.state(changed.replica(), changed.node(), changed.state(), changed.version());
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

  /** Reads an entry of the map of claims; null where it names no node. */
  private static @Nullable ReplicaOwner owner(ReplicaId replica, String claim) {
    OwnershipClaim named = OwnershipClaim.decode(claim);
    String node = named == null ? null : named.node();
    return node == null ? null : new ReplicaOwner(replica, node, null, "");
  }

  private void readOwners() {
    ClusterMap.OWNERS
        .<String>of(vertx)
        .compose(AsyncMap::entries)
        .onSuccess(
            all ->
                all.forEach(
                    (id, claim) -> {
                      ReplicaOwner owner =
                          ReplicaId.parse(id).map(one -> owner(one, claim)).orElse(null);
                      // The claims of a lost node stay in the map until other nodes take them over.
                      if (owner != null && !inFlight.isGone(owner.node())) {
                        owners.learn(owner);
                      }
                    }));
  }

  /** Runs on threads of the cluster's engine. */
  private void membership(String node, boolean joined) {
    if (joined) {
      inFlight.joined(node);
      links.joined(node);
    } else {
      links.left(node);
      inFlight.leaves(node);
      owners.lost(node); // before its requests end: their callers may ask again at once
      inFlight.left(node);
    }
    listeners.forEach(listener -> listener.accept(node, joined));
    if (!joined) {
      readOwners();
    }
  }
}
