package dev.mcpbus.cluster.shared;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.cluster.membership.ClusterNode;
import dev.mcpbus.cluster.membership.NodeMessage;
import dev.mcpbus.cluster.membership.NodeMessages;
import dev.mcpbus.cluster.ownership.RendezvousHash;
import dev.mcpbus.cluster.routing.ClusterRequests;
import dev.mcpbus.cluster.shared.RateLimitLedger.Ask;
import dev.mcpbus.cluster.shared.RateLimitLedger.RateGrant;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.RateLimiter;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps the limits of some principals for all nodes, and finds the keeper of the others. The keeper
 * of a principal is computed like the owner of a connection, by rendezvous hashing over the nodes
 * whose announcements arrive. A verticle; {@link #ask} may be called on any thread.
 */
public final class RateLimitKeepers extends VerticleBase implements ClusterRateLimiter.Keepers {

  private static final long TICK_MILLIS = 1_000;

  /** How long a request waits for the keeper where this node holds no token, milliseconds. */
  private static final long REPLY_MILLIS = 250;

  private final String self;
  private final RateLimitLedger ledger = new RateLimitLedger(System::nanoTime);
  private final ClusterRateLimiter limiter;
  private Runnable unlisten = () -> {};
  private final Set<String> announced = ConcurrentHashMap.newKeySet();
  private final Vertx bus;
  private volatile List<ClusterNode> nodes = List.of();

  public RateLimitKeepers(Vertx vertx, AuthOptions options) {
    this.self = RequestSender.of(vertx).membership().self();
    this.bus = vertx;
    this.limiter = new ClusterRateLimiter(vertx, options, this, System::nanoTime);
  }

  public RateLimiter limiter() {
    return limiter;
  }

  private static String address(String node) {
    return Addresses.LIMITS + node;
  }

  @Override
  public Future<?> start() {
    RequestSender.of(vertx)
        .membership()
        .onChange(
            (node, joined) -> {
              if (!joined) {
                ledger.left(node);
                removed(node);
              }
            });
    vertx.setPeriodic(TICK_MILLIS, now -> limiter.tick());
    NodeMessages messages = ClusterRequests.of(vertx).messages();
    unlisten = messages.listen(this::received);
    return Future.join(
        vertx
            .eventBus()
            .<JsonObject>consumer(
                address(self), ask -> ask.reply(ledger.ask(Ask.of(ask.body())).toJson()))
            .completion(),
        messages.open());
  }

  @Override
  public Future<?> stop() {
    unlisten.run();
    return Future.succeededFuture();
  }

  private void received(NodeMessage message) {
    if (message instanceof NodeMessage.Announcement) {
      if (announced.add(message.node())) {
        keepers();
      }
    } else if (message instanceof NodeMessage.Leaving) {
      removed(message.node());
    }
  }

  private void removed(String node) {
    if (announced.remove(node)) {
      keepers();
    }
  }

  /** The nodes have changed: new keepers receive at once what this node holds. */
  private void keepers() {
    nodes = announced.stream().map(id -> new ClusterNode(id, id, 1, Set.of())).toList();
    limiter.tick();
  }

  @Override
  public String self() {
    return self;
  }

  @Override
  public int nodes() {
    return Math.max(1, nodes.size());
  }

  @Override
  public Future<RateGrant> ask(Ask ask) {
    String keeper =
        RendezvousHash.owner(ask.principal(), nodes, Set.of()).map(ClusterNode::id).orElse(self);
    if (keeper.equals(self)) {
      return Future.succeededFuture(ledger.ask(ask));
    }
    return bus.eventBus()
        .<JsonObject>request(
            address(keeper), ask.toJson(), new DeliveryOptions().setSendTimeout(REPLY_MILLIS))
        .map(Message::body)
        .map(RateGrant::of);
  }
}
