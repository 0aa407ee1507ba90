package dev.mcpbus.directory;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallerFacts;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.bus.FairLimits;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.JsonReplies;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.PeerRequests;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The gateway's subscriptions to resources, with the clients of this node that hold them. A server
 * gets {@code resources/subscribe} for the first holder, and {@code resources/unsubscribe} after
 * the last holder of all nodes, so that no client ends the subscription of another. Confined to the
 * context of the {@link DirectoryVerticle}.
 */
final class ResourceSubscriptions {

  private static final String BOUND = "gateway.subscriptions";
  static final int MAX = 100_000;

  /**
   * What is subscribed to at a server.
   *
   * @param caller over whose connection, of a server of callers; null over that of all
   */
  private record Watched(String server, String uri, @Nullable CallerFacts caller) {

    static Watched of(JsonObject body) {
      return new Watched(body.getString("server"), body.getString("uri"), CallerFacts.in(body));
    }

    JsonObject json() {
      JsonObject json = new JsonObject().put("server", server).put("uri", uri);
      return caller == null ? json : caller.into(json);
    }
  }

  private record ClientSubscription(Watched resource, String holder) {}

  private static final class Subscription {
    private final Set<String> holders = new HashSet<>();

    /** The answer of the server to the first holder. */
    private @Nullable Future<Void> answer;
  }

  /** The subscriber at the servers. All nodes share it: they count their holders together. */
  private static final String HOLDER = "gateway";

  private static final Duration PATIENCE = Duration.ofMillis(1_500);

  private final EventBus bus;
  private final RequestSender sender;
  private final PeerRequests others;
  private final Map<Watched, Subscription> resources = new HashMap<>();
  private final FairLimit<ClientSubscription> bound;
  private final Vertx vertx;
  private final Predicate<String> isOfCallers;

  /**
   * @param max the most holdings in all
   * @param isOfCallers whether a server acts for its callers
   */
  ResourceSubscriptions(Vertx vertx, int max, Predicate<String> isOfCallers) {
    this.isOfCallers = isOfCallers;
    this.vertx = vertx;
    this.bound = new FairLimit<>(max);
    FairLimits.of(vertx).add(BOUND, bound);
    this.bus = vertx.eventBus();
    this.sender = RequestSender.of(vertx);
    this.others = new PeerRequests(vertx, Addresses.GATEWAY_HOLDERS);
  }

  /** Begins to answer other nodes. */
  Future<Void> open() {
    bus.<JsonObject>consumer(
        Addresses.GATEWAY_FREED,
        freed -> {
          Watched resource = Watched.of(freed.body());
          if (resources.containsKey(resource)
              && !others.own().equals(freed.body().getString("by"))) {
            send(resource, Addresses.RESOURCES_SUBSCRIBE);
          }
        });
    return others.answer(
        request -> new JsonObject().put("held", resources.containsKey(Watched.of(request))));
  }

  void close() {
    FairLimits.of(vertx).remove(BOUND, bound);
  }

  /**
   * Adds or removes the holder of {@code {server, uri, holder, owner, caller?, wanted}}; replies
   * when the server has answered.
   */
  void handle(Message<JsonObject> message) {
    JsonObject body = message.body();
    Watched named = Watched.of(body);
    Watched resource =
        isOfCallers.test(named.server()) ? named : new Watched(named.server(), named.uri(), null);
    String holder = body.getString("holder");
    Future<Void> done =
        body.getBoolean("wanted")
            ? add(resource, holder, body.getString("owner", FairLimit.ANYBODY))
            : remove(resource, holder);
    JsonReplies.reply(message, done.map(answered -> new JsonObject()));
  }

  /** Sends one request to the server; holders that come before its answer share the answer. */
  private Future<Void> add(Watched resource, String holder, String owner) {
    ClientSubscription holding = new ClientSubscription(resource, holder);
    if (!bound.contains(holding) && bound.admit(holding, owner).isRefused()) {
      return Future.failedFuture(
          McpFailure.notSent(
              FailureCode.OVERLOADED,
              bound.size()
                  + " subscriptions are kept, "
                  + bound.sizeOf(owner)
                  + " of them yours; end some"));
    }
    Subscription held = resources.computeIfAbsent(resource, absent -> new Subscription());
    held.holders.add(holder);
    Future<Void> answer = held.answer;
    if (answer == null) {
      answer = send(resource, Addresses.RESOURCES_SUBSCRIBE);
      held.answer = answer;
    }
    return answer.onFailure(
        refused -> {
          held.holders.remove(holder);
          bound.remove(holding);
          if (held.holders.isEmpty()) {
            resources.remove(resource, held);
          }
        });
  }

  private Future<Void> remove(Watched resource, String holder) {
    bound.remove(new ClientSubscription(resource, holder));
    Subscription held = resources.get(resource);
    if (held == null || !held.holders.remove(holder) || !held.holders.isEmpty()) {
      return Future.succeededFuture();
    }
    resources.remove(resource);
    JsonObject named = resource.json();
    return others
        .ask(named, PATIENCE)
        .compose(
            replies ->
                replies.values().stream().anyMatch(reply -> reply.getBoolean("held", false))
                    ? Future.succeededFuture()
                    : free(resource, named));
  }

  /**
   * Ends the subscription at the server; another node that has a holder by then subscribes again.
   */
  private Future<Void> free(Watched resource, JsonObject named) {
    if (resources.containsKey(resource)) {
      return Future.succeededFuture();
    }
    return send(resource, Addresses.RESOURCES_UNSUBSCRIBE)
        .otherwiseEmpty()
        .onSuccess(
            done -> bus.publish(Addresses.GATEWAY_FREED, named.copy().put("by", others.own())));
  }

  /** Subscribes again: the server has a new connection, which has no subscriptions. */
  void renew(String server) {
    resources
        .keySet()
        .forEach(
            resource -> {
              if (resource.server().equals(server)) {
                send(resource, Addresses.RESOURCES_SUBSCRIBE);
              }
            });
  }

  private Future<Void> send(Watched resource, String suffix) {
    Buffer params = RawJson.EMPTY_OBJECT.with("uri", RawJson.string(resource.uri())).toBuffer();
    ConnectionId server = new ConnectionId(resource.server());
    DeliveryOptions options = new DeliveryOptions().addHeader(Headers.HOLDER, HOLDER);
    if (resource.caller() != null) {
      resource.caller().addTo(options);
    }
    return sender.<Buffer>request(server, Addresses.of(server, suffix), params, options).mapEmpty();
  }
}
