package dev.mcpbus.cluster.shared;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.cluster.membership.ClusterNode;
import dev.mcpbus.cluster.membership.NodeMessage;
import dev.mcpbus.cluster.membership.NodeMessages;
import dev.mcpbus.cluster.ownership.RendezvousHash;
import dev.mcpbus.cluster.routing.ClusterRequests;
import dev.mcpbus.cluster.shared.RateLimitLedger.Ask;
import dev.mcpbus.cluster.shared.RateLimitLedger.Grant;
import dev.mcpbus.security.AuthOptions;
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
 * Limits of principals that hold for all nodes together: keeps them for some, and finds who keeps
 * them for the others. The keeper of a principal is computed as the owner of a connection is, from
 * the nodes that are heard.
 */
public final class RateLimitKeepers extends VerticleBase implements ClusterRateLimiter.Keepers {

  private static final long TICK_MILLIS = 1_000;

  /** A request waits no longer than this where nothing is in hand. */
  private static final long PATIENCE_MILLIS = 250;

  private final String self;
  private final RateLimitLedger book = new RateLimitLedger(System::nanoTime);
  private final ClusterRateLimiter throttle;
  private final Set<String> heard = ConcurrentHashMap.newKeySet();
  private final Vertx bus;
  private volatile List<ClusterNode> nodes = List.of();

  public RateLimitKeepers(Vertx vertx, AuthOptions options) {
    this.self = RequestSender.of(vertx).membership().self();
    this.bus = vertx;
    this.throttle = new ClusterRateLimiter(vertx, options, this, System::nanoTime);
  }

  public ClusterRateLimiter throttle() {
    return throttle;
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
                book.left(node);
                gone(node);
              }
            });
    vertx.setPeriodic(TICK_MILLIS, now -> throttle.tick());
    NodeMessages messages = ClusterRequests.of(vertx).messages();
    messages.listen(this::heard);
    return Future.join(
        vertx
            .eventBus()
            .<JsonObject>consumer(
                address(self), ask -> ask.reply(book.ask(Ask.of(ask.body())).toJson()))
            .completion(),
        messages.open());
  }

  private void heard(NodeMessage message) {
    if (message instanceof NodeMessage.Here) {
      if (heard.add(message.node())) {
        keepers();
      }
    } else if (message instanceof NodeMessage.Leaving) {
      gone(message.node());
    }
  }

  private void gone(String node) {
    if (heard.remove(node)) {
      keepers();
    }
  }

  /** What is in hand is told to new keepers at once. */
  private void keepers() {
    nodes = heard.stream().map(id -> new ClusterNode(id, id, 1, Set.of())).toList();
    throttle.tick();
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
  public Future<Grant> ask(Ask ask) {
    String keeper =
        RendezvousHash.owner(ask.principal(), nodes, Set.of()).map(ClusterNode::id).orElse(self);
    if (keeper.equals(self)) {
      return Future.succeededFuture(book.ask(ask));
    }
    return bus.eventBus()
        .<JsonObject>request(
            address(keeper), ask.toJson(), new DeliveryOptions().setSendTimeout(PATIENCE_MILLIS))
        .map(Message::body)
        .map(Grant::of);
  }
}
