package dev.mcpbus.cluster;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.hosting.PrivateConnectionHost;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Private connections of clients of this node that another node runs, because the server wants what
 * only that node has. Confined to the context of {@code ServersVerticle}.
 */
public final class RemotePrivateConnections implements PrivateConnectionHost {

  private static final long ASK_MILLIS = 20_000;
  private static final long RETRY_AFTER_MILLIS = 250;

  /** How often a node is asked again that is not found, as one that has just joined. */
  private static final long AGAIN_MILLIS = 100;

  private static final int TRIES = 30;

  /** So many times as often: nobody else ends what is not given back, until it has run out. */
  private static final int RELEASE = 4;

  /** What is not renewed is forgotten; the other node has ended it by then. */
  private static final long KEPT_NANOS = TimeUnit.HOURS.toNanos(2);

  /**
   * @param events where its holder hears what becomes of it
   */
  private record Held(String node, String events, long since) {
    Held renewed() {
      return new Held(node, events, System.nanoTime());
    }
  }

  private final Vertx vertx;
  private final int tries;
  private final Map<String, Held> held = new HashMap<>();

  /** Must be made on the context that it is to live on. */
  public RemotePrivateConnections(Vertx vertx) {
    this(vertx, TRIES);
  }

  public RemotePrivateConnections(Vertx vertx, int tries) {
    this.vertx = vertx;
    this.tries = tries;
    Context context = vertx.getOrCreateContext();
    RequestSender.of(vertx)
        .membership()
        .onChange(
            (node, joined) -> {
              if (!joined) {
                context.runOnContext(now -> lost(node));
              }
            });
  }

  @Override
  public Future<JsonObject> lease(String node, JsonObject body) {
    long now = System.nanoTime();
    held.values().removeIf(one -> now - one.since() > KEPT_NANOS);
    return ask(node, Addresses.SERVERS_LEASE, body, tries)
        .onSuccess(
            answer -> {
              String lease = answer.getString("lease");
              if (lease != null) {
                String events = body.getString("events", "");
                held.put(lease, new Held(node, events, System.nanoTime()));
              }
            });
  }

  /** The node is no member any more: who holds a lease there may ask for another at once. */
  private void lost(String node) {
    Map.copyOf(held)
        .forEach(
            (lease, one) -> {
              if (one.node().equals(node)) {
                held.remove(lease);
                vertx
                    .eventBus()
                    .send(
                        one.events(),
                        new JsonObject().put("type", Events.GAVE_UP).put("id", lease));
              }
            });
  }

  @Override
  public boolean has(JsonObject body) {
    return held.containsKey(lease(body));
  }

  @Override
  public Future<JsonObject> renew(JsonObject body) {
    String lease = lease(body);
    Held known = held.get(lease);
    return known == null
        ? Future.failedFuture(gone())
        : ask(known.node(), Addresses.SERVERS_LEASE, body, tries)
            .onSuccess(still -> held.put(lease, known.renewed()))
            .recover(failure -> isGone(failure) ? forget(lease) : Future.failedFuture(failure));
  }

  @Override
  public Future<JsonObject> release(JsonObject body) {
    Held known = held.remove(lease(body));
    return known == null
        ? Future.failedFuture(gone())
        : ask(known.node(), Addresses.SERVERS_RELEASE, body, RELEASE * tries);
  }

  private Future<JsonObject> forget(String lease) {
    held.remove(lease);
    return Future.failedFuture(gone());
  }

  private static boolean isGone(Throwable failure) {
    FailureCode code = McpFailure.of(failure).code();
    return code == FailureCode.UNKNOWN_CONNECTION || code == FailureCode.OWNER_LOST;
  }

  private static McpFailure gone() {
    return McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "there is no such lease");
  }

  private static String lease(JsonObject body) {
    return String.valueOf(body.getValue("lease"));
  }

  /**
   * Fails with {@code UNAVAILABLE} where the node is not found: it may be there again in a moment,
   * and its server is known in any case.
   */
  private Future<JsonObject> ask(String node, String address, JsonObject body, int left) {
    return RequestSender.of(vertx)
        .<JsonObject>request(
            null,
            Addresses.at(address, node),
            body,
            new DeliveryOptions().setSendTimeout(ASK_MILLIS))
        .map(Message::body)
        .recover(
            failure -> {
              if (!RequestSender.hadNoReceiver(failure)) {
                return Future.failedFuture(failure);
              }
              return left <= 1
                  ? Future.failedFuture(away(node))
                  : vertx
                      .timer(AGAIN_MILLIS, TimeUnit.MILLISECONDS)
                      .compose(due -> ask(node, address, body, left - 1));
            });
  }

  private static McpFailure away(String node) {
    return new McpFailure(
        FailureCode.UNAVAILABLE,
        McpFailure.Sent.NO,
        "the node " + node + " that is to run the client's own connection does not answer",
        RETRY_AFTER_MILLIS,
        null);
  }
}
