package dev.mcpbus.bus;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryContext;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import io.vertx.core.shareddata.AsyncMap;
import io.vertx.core.shareddata.LocalMap;
import io.vertx.core.shareddata.Shareable;
import io.vertx.core.spi.cluster.ClusterManager;
import io.vertx.core.spi.cluster.NodeListener;
import io.vertx.core.spi.cluster.RegistrationInfo;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Requests to connections that may live on other nodes. The bus tells nobody that the node which
 * holds a call has gone: the call would run to its time-out. Here each call is known with the node
 * that owns its connection, and fails with {@code OWNER_LOST} as soon as that node is no member any
 * more. On one node alone this is the bus and nothing else.
 *
 * <p>One for each Vert.x; any thread may call. Futures complete on the caller's context.
 */
public final class ClusterCalls implements Shareable {

  /** Map of the cluster: who owns which connection, {@code "<epoch> <node>"}. */
  public static final String OWNERS = "mcpbus.owners";

  /** Map of the cluster: the definitions of all servers, JSON by id. */
  public static final String SERVERS = "mcpbus.servers";

  /** Members of what is published on {@link Addresses#PLACEMENT}. */
  public static final String TYPE = "type";

  /** The sender's monotonic clock, milliseconds; see {@link Transit}. */
  public static final String CLOCK = "clock";

  public static final String CLAIMED = "claimed";
  public static final String RELEASED = "released";

  /** About as long as it takes to hand a connection over. */
  private static final long RETRY_AFTER_MILLIS = 250;

  private static final long RELEASED_MILLIS = 1_000;

  /** How long after a loss an owner that is not known is asked for before a call is sent. */
  private static final long UNSETTLED_NANOS = 10_000_000_000L;

  private static final long[] GONE_MILLIS = {500, 1_500};

  private static final String KEY = "dev.mcpbus.calls";

  private final VertxInternal vertx;
  private final boolean clustered;
  private final Transit transit = new Transit(ClusterCalls::clock);
  private final Map<String, String> owners = new ConcurrentHashMap<>();

  /** Nodes that have left; one of them may come back after a partition. */
  private final Set<String> gone = ConcurrentHashMap.newKeySet();

  private volatile long leftAt = System.nanoTime() - UNSETTLED_NANOS;
  private final Set<Flight<?>> flights = ConcurrentHashMap.newKeySet();
  private final CopyOnWriteArrayList<BiConsumer<String, Boolean>> listeners =
      new CopyOnWriteArrayList<>();

  private static final class Flight<T> {
    private final long sentAt = System.nanoTime();
    private final String address;
    private final @Nullable ConnectionId server;
    private final @Nullable String node;
    private final boolean local;
    private final Promise<Message<T>> promise;

    Flight(
        String address,
        @Nullable ConnectionId server,
        @Nullable String node,
        boolean local,
        Promise<Message<T>> promise) {
      this.address = address;
      this.local = local;
      this.server = server;
      this.node = node;
      this.promise = promise;
    }
  }

  private ClusterCalls(Vertx vertx) {
    this.vertx = (VertxInternal) vertx;
    this.clustered = vertx.isClustered();
    ClusterManager cluster = this.vertx.clusterManager();
    if (clustered && cluster != null) {
      vertx.eventBus().<JsonObject>consumer(Addresses.PLACEMENT, fact -> heard(fact.body()));
      vertx.eventBus().addInboundInterceptor(this::arrived);
      cluster.nodeListener(new Watch());
      readOwners();
    }
  }

  public static ClusterCalls of(Vertx vertx) {
    LocalMap<String, ClusterCalls> map = vertx.sharedData().getLocalMap(KEY);
    ClusterCalls present = map.get(KEY);
    return present != null ? present : map.computeIfAbsent(KEY, absent -> new ClusterCalls(vertx));
  }

  /**
   * Hears of every node that joins (true) or leaves (false), on a thread of the cluster's engine.
   */
  public void onMembership(BiConsumer<String, Boolean> listener) {
    listeners.add(listener);
  }

  /**
   * A request.
   *
   * @param server whose connection it is for, null where it is for a service of every node
   * @return fails with what the bus fails with, or {@code OWNER_LOST}, or {@code UNAVAILABLE} where
   *     the connection is between two owners
   */
  public <T> Future<Message<T>> request(
      @Nullable ConnectionId server, String address, Object body, DeliveryOptions options) {
    if (!clustered) {
      return vertx.eventBus().request(address, body, options);
    }
    options.addHeader(Headers.SPEAKS, Headers.VERSION);
    stamp(options.getHeaders());
    String node = server == null ? null : owners.get(server.value());
    if (server == null || node != null || !isUnsettled()) {
      return send(server, node, address, body, options);
    }
    // The addresses of a lost node stay for a moment: what is sent there would be lost as well.
    return claimant(server)
        .transform(
            read ->
                read.failed() || (read.result() != null && gone.contains(read.result()))
                    ? Future.failedFuture(betweenOwners(server))
                    : send(server, read.result(), address, body, options));
  }

  private boolean isUnsettled() {
    return System.nanoTime() - leftAt < UNSETTLED_NANOS;
  }

  private <T> Future<Message<T>> send(
      @Nullable ConnectionId server,
      @Nullable String node,
      String address,
      Object body,
      DeliveryOptions options) {
    ContextInternal context = vertx.getOrCreateContext();
    Flight<T> flight =
        new Flight<>(address, server, node, options.isLocalOnly(), context.promise());
    flights.add(flight);
    vertx
        .eventBus()
        .<T>request(address, body, options)
        .onComplete(
            reply -> {
              flights.remove(flight);
              flight.promise.tryComplete(reply);
            },
            failure -> {
              flights.remove(flight);
              failed(flight, failure);
            });
    return flight.promise.future();
  }

  private void failed(Flight<?> flight, Throwable failure) {
    ConnectionId server = flight.server;
    if (server == null
        || !(failure instanceof ReplyException reply)
        || reply.failureType() != ReplyFailure.NO_HANDLERS) {
      flight.promise.tryFail(failure);
      return;
    }
    definition(server)
        .onComplete(
            known ->
                flight.promise.tryFail(
                    known.succeeded() && known.result() == null ? failure : betweenOwners(server)));
  }

  private static McpFailure betweenOwners(ConnectionId server) {
    return new McpFailure(
        FailureCode.UNAVAILABLE,
        McpFailure.Sent.NO,
        "no node serves '" + server + "' at the moment",
        RETRY_AFTER_MILLIS,
        null);
  }

  /** The node that the map names, whether or not it lives; null where none is named. */
  private Future<@Nullable String> claimant(ConnectionId server) {
    return vertx
        .sharedData()
        .<String, String>getClusterWideMap(OWNERS)
        .compose(claims -> claims.get(server.value()))
        .map(claim -> claim == null ? null : node(claim));
  }

  private static @Nullable String node(String claim) {
    String node = claim.substring(claim.indexOf(' ') + 1);
    return node.isEmpty() ? null : node;
  }

  private Future<@Nullable String> definition(ConnectionId server) {
    return vertx
        .sharedData()
        .<String, String>getClusterWideMap(SERVERS)
        .compose(servers -> servers.get(server.value()));
  }

  /** Monotonic milliseconds, as nodes tell each other. */
  public static long clock() {
    return System.nanoTime() / 1_000_000;
  }

  private void stamp(MultiMap headers) {
    ClusterManager cluster = vertx.clusterManager();
    if (cluster != null && headers.contains(Headers.DEADLINE)) {
      headers.set(Headers.SENT_AT, cluster.getNodeId() + " " + transit.now());
    }
  }

  /** What was under way is taken off a call's budget; a call without any left is not delivered. */
  private void arrived(DeliveryContext<Object> delivery) {
    Message<Object> message = delivery.message();
    String stamp = message.headers().isEmpty() ? null : message.headers().get(Headers.SENT_AT);
    if (stamp == null) {
      delivery.next();
      return;
    }
    long late;
    long budget;
    try {
      int space = stamp.indexOf(' ');
      late =
          transit.underWay(
              stamp.substring(0, Math.max(0, space)), Long.parseLong(stamp.substring(space + 1)));
      budget = Long.parseLong(String.valueOf(message.headers().get(Headers.DEADLINE)).trim());
    } catch (NumberFormatException e) {
      // Whoever reads the headers says what is wrong with them.
      delivery.next();
      return;
    }
    message.headers().remove(Headers.SENT_AT);
    if (late >= budget && late > 0) {
      McpFailure.notSent(
              FailureCode.CALL_TIMEOUT,
              "the call was under way between nodes for " + late + " ms; it was not sent")
          .replyTo(message);
      return;
    }
    if (late > 0) {
      message.headers().set(Headers.DEADLINE, Long.toString(budget - late));
    }
    delivery.next();
  }

  private void heard(JsonObject fact) {
    Long clock = fact.getLong(CLOCK);
    if (clock != null) {
      transit.heard(fact.getString("node", ""), clock);
    }
    String id = fact.getString("id");
    if (id == null) {
      return;
    }
    switch (fact.getString(TYPE, "")) {
      case CLAIMED -> owners.put(id, fact.getString("node", ""));
      case RELEASED -> released(id, fact.getString("node", ""));
      default -> {}
    }
  }

  /** All that it had accepted it has answered by now: what is left it has never seen, or cut. */
  private void released(String id, String node) {
    owners.remove(id, node);
    vertx.setTimer(
        RELEASED_MILLIS,
        later -> {
          for (Flight<?> flight : flights) {
            ConnectionId server = flight.server;
            if (server != null
                && server.value().equals(id)
                && node.equals(flight.node)
                && flight.sentAt < System.nanoTime() - RELEASED_MILLIS * 1_000_000) {
              lost(flight, "handed '" + id + "' over before it answered");
            }
          }
        });
  }

  private void lost(Flight<?> flight, String what) {
    if (flights.remove(flight)) {
      flight.promise.tryFail(
          McpFailure.maybeSent(
              FailureCode.OWNER_LOST, "the node " + what + "; the call may have run"));
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
                      String node = node(claim);
                      // A lost node's claims stay until another takes them over.
                      if (node != null && !gone.contains(node)) {
                        owners.put(id, node);
                      }
                    }));
  }

  private void left(String node) {
    gone.add(node);
    leftAt = System.nanoTime();
    for (Flight<?> flight : flights) {
      ConnectionId server = flight.server;
      String at = flight.node;
      if (at == null && server != null) {
        at = owners.get(server.value());
      }
      if (node.equals(at)) {
        lost(flight, "that held '" + server + "' has left the cluster");
      }
    }
    owners.values().removeIf(node::equals);
    // Its registrations go a moment after it.
    for (long delay : GONE_MILLIS) {
      vertx.setTimer(delay, later -> sweep());
    }
  }

  /** Ends calls to addresses of one node each, such as a session's, that nobody serves any more. */
  private void sweep() {
    ClusterManager cluster = vertx.clusterManager();
    if (cluster == null) {
      return;
    }
    for (Flight<?> flight : flights) {
      if (flight.server == null && !flight.local) {
        Promise<List<RegistrationInfo>> registered = vertx.promise();
        cluster.getRegistrations(flight.address, registered);
        registered
            .future()
            .onSuccess(
                all -> {
                  if (all == null || all.isEmpty()) {
                    lost(flight, "that served " + flight.address + " has left the cluster");
                  }
                });
      }
    }
  }

  int inFlight() {
    return flights.size();
  }

  /** Called on threads of the cluster's engine. */
  private final class Watch implements NodeListener {

    @Override
    public void nodeAdded(String node) {
      gone.remove(node);
      listeners.forEach(listener -> listener.accept(node, true));
    }

    @Override
    public void nodeLeft(String node) {
      left(node);
      listeners.forEach(listener -> listener.accept(node, false));
      readOwners();
    }
  }
}
