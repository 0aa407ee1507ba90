package dev.mcpbus.bus;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * One question to every other node of the cluster, for what each keeps to itself. Each listens at
 * an address of its own. On one node alone there is nobody to ask. Any thread may call; futures
 * complete on the caller's context.
 */
public final class PeerRequests {

  /** What a node said. */
  public record Answer(String node, JsonObject body) {}

  private final Vertx vertx;
  private final RequestSender sender;
  private final String address;

  /**
   * @param address to which each node's name is added
   */
  public PeerRequests(Vertx vertx, String address) {
    this.vertx = vertx;
    this.sender = RequestSender.of(vertx);
    this.address = address + ".";
  }

  /** This node's name in the cluster; empty where there is none. */
  public String own() {
    return sender.membership().self();
  }

  /** Answers what other nodes ask; {@code operation} may throw {@link McpFailure}. */
  public Future<Void> answer(Function<JsonObject, JsonObject> operation) {
    if (own().isEmpty()) {
      return Future.succeededFuture();
    }
    return vertx
        .eventBus()
        .<JsonObject>consumer(
            address + own(),
            message -> {
              try {
                message.reply(operation.apply(message.body()));
              } catch (McpFailure refused) {
                refused.replyTo(message);
              }
            })
        .completion();
  }

  /** What the others say; who does not answer in time, or fails, is left out. Never fails. */
  public Future<List<Answer>> ask(JsonObject body, Duration patience) {
    List<Future<Answer>> asked = new ArrayList<>();
    for (String node : sender.membership().nodes()) {
      if (!node.equals(own())) {
        asked.add(ask(node, body, patience).map(answer -> new Answer(node, answer)));
      }
    }
    return Future.join(asked)
        .<List<Answer>>transform(
            all ->
                Future.succeededFuture(
                    asked.stream().filter(Future::succeeded).map(Future::result).toList()));
  }

  /** Asks one of them; fails as calls do, {@code OWNER_LOST} where the node leaves. */
  public Future<JsonObject> ask(String node, JsonObject body, Duration patience) {
    DeliveryOptions options = new DeliveryOptions().setSendTimeout(patience.toMillis());
    return sender.<JsonObject>request(null, address + node, body, options).map(Message::body);
  }
}
