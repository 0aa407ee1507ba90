package dev.mcpbus.cluster;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Gathered;
import dev.mcpbus.bus.JsonReplies;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.PeerRequests;
import dev.mcpbus.cluster.membership.ClusterNode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * After the removal of a server asks every node to confirm that it calls the server no more: it
 * knows of the removal, and no connection to the server is left on it. Confined to the context of
 * {@code ServersVerticle}.
 */
final class RemovalConfirmations {

  /** Longer than connections drain by default. */
  static final long MAX_WAIT_MILLIS = 6_000;

  private static final String PROGRAM = "program";

  private final Vertx vertx;
  private final BiFunction<ConnectionId, Boolean, Future<Void>> gone;
  private @Nullable MessageConsumer<JsonObject> questions;

  /**
   * @param gone completes when this node calls the server no more; the second argument says whether
   *     a server of this node's program is meant, too
   */
  RemovalConfirmations(Vertx vertx, BiFunction<ConnectionId, Boolean, Future<Void>> gone) {
    this.vertx = vertx;
    this.gone = gone;
  }

  /**
   * Confirms to other nodes from now on.
   *
   * @param self the id of this node
   */
  Future<Void> open(String self) {
    MessageConsumer<JsonObject> consumer =
        vertx
            .eventBus()
            .consumer(
                Addresses.at(Addresses.SERVERS_REMOVE, self),
                message -> JsonReplies.serve(message, () -> confirm(message.body())));
    questions = consumer;
    return consumer.completion();
  }

  void close() {
    if (questions != null) {
      questions.unregister();
    }
  }

  private Future<JsonObject> confirm(JsonObject body) {
    ConnectionId id =
        ConnectionId.parse(body.getString("id", ""))
            .orElseThrow(() -> McpFailure.badRequest("the body must be {\"id\": string}"));
    // An older node does not say that it means no server of a program.
    return gone.apply(id, body.getBoolean(PROGRAM, true))
        .map(new JsonObject().put("removed", id.value()));
  }

  /** Makes the node that has a server of its program end it; fails where that does not answer. */
  Future<Void> end(ConnectionId id, String node) {
    return new PeerRequests(vertx, Addresses.SERVERS_REMOVE)
        .ask(node, new JsonObject().put("id", id.value()), Duration.ofMillis(MAX_WAIT_MILLIS))
        .mapEmpty();
  }

  /**
   * Waits for this node and the others, for at most {@link #MAX_WAIT_MILLIS}.
   *
   * @return the names of the nodes that have not confirmed
   */
  Future<List<String>> await(ConnectionId id, String self, List<ClusterNode> nodes) {
    return Gathered.ask(
            nodes,
            node ->
                node.id().equals(self)
                    ? gone.apply(id, false).timeout(MAX_WAIT_MILLIS, TimeUnit.MILLISECONDS)
                    : vertx
                        .eventBus()
                        .request(
                            Addresses.at(Addresses.SERVERS_REMOVE, node.id()),
                            new JsonObject().put("id", id.value()).put(PROGRAM, false),
                            new DeliveryOptions().setSendTimeout(MAX_WAIT_MILLIS))
                        .<Void>mapEmpty())
        .map(told -> told.silent().stream().map(ClusterNode::name).toList());
  }
}
