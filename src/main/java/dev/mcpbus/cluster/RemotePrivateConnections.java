package dev.mcpbus.cluster;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.hosting.PrivateConnectionPeers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * Private connections of this node's clients that another node runs, because the server requires
 * labels that only that node has, or because this node is drained. Passes lease, renew and release
 * on to that node. Confined to the context of {@code ServersVerticle}.
 */
final class RemotePrivateConnections implements PrivateConnectionPeers {

  private static final long TIMEOUT_MILLIS = 20_000;
  private static final long RETRY_AFTER_MILLIS = 250;

  /**
   * Pause before a request is repeated to a node that has no receiver yet, for example one that has
   * just joined, milliseconds.
   */
  private static final long PAUSE_MILLIS = 100;

  private static final int TRIES = 30;

  /**
   * A release is repeated this many times as often: without it the connection runs until its lease
   * expires.
   */
  private static final int RELEASE_FACTOR = 4;

  /**
   * An entry that was not renewed for so long is dropped; the other node has ended the connection
   * by then.
   */
  private static final long KEPT_NANOS = TimeUnit.HOURS.toNanos(2);

  /**
   * @param node the id of the node that runs the connection
   * @param events the address at which its holder receives the connection's events
   * @param since when it was last opened or renewed, {@code System.nanoTime()}
   */
  private record RemoteConnection(String node, String events, long since) {
    RemoteConnection renewed() {
      return new RemoteConnection(node, events, System.nanoTime());
    }
  }

  private final Vertx vertx;
  private final UnaryOperator<String> names;
  private final int tries;
  private final Map<String, RemoteConnection> held = new HashMap<>();

  /**
   * Binds the object to the context of the caller.
   *
   * @param names from the id of a node to its name
   */
  RemotePrivateConnections(Vertx vertx, UnaryOperator<String> names) {
    this(vertx, names, TRIES);
  }

  RemotePrivateConnections(Vertx vertx, UnaryOperator<String> names, int tries) {
    this.vertx = vertx;
    this.names = names;
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
    return send(node, Addresses.SERVERS_LEASE, body, tries)
        .onSuccess(
            answer -> {
              String id = answer.getString("lease");
              if (id != null) {
                String events = body.getString("events", "");
                held.put(id, new RemoteConnection(node, events, System.nanoTime()));
              }
            });
  }

  /**
   * Ends the entries of a node that has left the cluster: each holder receives {@code gaveUp} and
   * may open another private connection at once.
   */
  private void lost(String node) {
    Map.copyOf(held)
        .forEach(
            (id, one) -> {
              if (one.node().equals(node)) {
                held.remove(id);
                vertx
                    .eventBus()
                    .send(one.events(), new JsonObject().put("type", Events.GAVE_UP).put("id", id));
              }
            });
  }

  @Override
  public boolean has(JsonObject body) {
    return held.containsKey(id(body));
  }

  @Override
  public Future<JsonObject> renew(JsonObject body) {
    String id = id(body);
    RemoteConnection known = held.get(id);
    return known == null
        ? Future.failedFuture(gone())
        : send(known.node(), Addresses.SERVERS_LEASE, body, tries)
            .onSuccess(still -> held.put(id, known.renewed()))
            .recover(failure -> isGone(failure) ? forget(id) : Future.failedFuture(failure));
  }

  @Override
  public Future<JsonObject> release(JsonObject body) {
    RemoteConnection known = held.remove(id(body));
    return known == null
        ? Future.failedFuture(gone())
        : send(known.node(), Addresses.SERVERS_RELEASE, body, RELEASE_FACTOR * tries);
  }

  private Future<JsonObject> forget(String id) {
    held.remove(id);
    return Future.failedFuture(gone());
  }

  private static boolean isGone(Throwable failure) {
    FailureCode code = McpFailure.of(failure).code();
    return code == FailureCode.UNKNOWN_CONNECTION || code == FailureCode.OWNER_LOST;
  }

  private static McpFailure gone() {
    return McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "there is no such lease");
  }

  private static String id(JsonObject body) {
    return String.valueOf(body.getValue("lease"));
  }

  /**
   * Sends a request to one node. Fails with {@code UNAVAILABLE} where the node has no receiver
   * after all repeats: the node may be back in a moment, and the server exists in any case.
   */
  private Future<JsonObject> send(String node, String address, JsonObject body, int left) {
    return RequestSender.of(vertx)
        .<JsonObject>request(
            null,
            Addresses.at(address, node),
            body,
            new DeliveryOptions().setSendTimeout(TIMEOUT_MILLIS))
        .map(Message::body)
        .recover(
            failure -> {
              if (!RequestSender.hadNoReceiver(failure)) {
                return Future.failedFuture(failure);
              }
              return left <= 1
                  ? Future.failedFuture(unreachable(node))
                  : vertx
                      .timer(PAUSE_MILLIS, TimeUnit.MILLISECONDS)
                      .compose(due -> send(node, address, body, left - 1));
            });
  }

  private McpFailure unreachable(String node) {
    return new McpFailure(
        FailureCode.UNAVAILABLE,
        McpFailure.Sent.NO,
        "node '"
            + names.apply(node)
            + "' does not answer, and has to run the client's private connection: it is starting or"
            + " ending; try again",
        RETRY_AFTER_MILLIS,
        null);
  }
}
