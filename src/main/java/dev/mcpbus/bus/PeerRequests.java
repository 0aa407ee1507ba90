package dev.mcpbus.bus;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Sends one request to each other node of the cluster and collects the answers, for data that a
 * node keeps to itself. Each node receives at its own address, {@code <address>.<node>}. On one
 * node alone there is no address and no request. Any thread may call; futures complete on the
 * caller's context.
 */
public final class PeerRequests {

  private final Vertx vertx;
  private final RequestSender sender;
  private final String address;

  /**
   * @param address the common part of the nodes' addresses
   */
  public PeerRequests(Vertx vertx, String address) {
    this.vertx = vertx;
    this.sender = RequestSender.of(vertx);
    this.address = address + ".";
  }

  /** The id of this node in the cluster; empty on one node alone. */
  public String own() {
    return sender.membership().self();
  }

  /**
   * Begins to answer the requests of other nodes. {@code operation} runs on the caller's context
   * and may throw {@link McpFailure}.
   *
   * @return completes when the other nodes can reach this one
   */
  public Future<Void> answer(Function<JsonObject, JsonObject> operation) {
    if (own().isEmpty()) {
      return Future.succeededFuture();
    }
    return vertx
        .eventBus()
        .<JsonObject>consumer(
            address + own(),
            message ->
                JsonReplies.serve(
                    message, () -> Future.succeededFuture(operation.apply(message.body()))))
        .completion();
  }

  /**
   * Sends a request to every other node.
   *
   * @return the answers by the node's id; leaves out each node that fails or does not answer within
   *     {@code timeout}; never fails
   */
  public Future<Map<String, JsonObject>> ask(JsonObject body, Duration timeout) {
    List<String> others =
        sender.membership().nodes().stream().filter(node -> !node.equals(own())).toList();
    return Gathered.ask(others, node -> ask(node, body, timeout)).map(Gathered::answers);
  }

  /** Sends a request to one node; fails as calls do, with {@code OWNER_LOST} if the node leaves. */
  public Future<JsonObject> ask(String node, JsonObject body, Duration timeout) {
    DeliveryOptions options = new DeliveryOptions().setSendTimeout(timeout.toMillis());
    return sender.<JsonObject>request(null, address + node, body, options).map(Message::body);
  }
}
