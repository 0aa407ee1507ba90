package dev.mcpbus.cluster.routing;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.cluster.engine.LiveNodeSelector;
import dev.mcpbus.replicas.ReplicaOwner;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import org.jspecify.annotations.Nullable;

/**
 * The sending of one request, once: directly, or by a third node while the link to its receiver is
 * cut. Where the receiver is not known before, the choice of the bus is looked at, and a request
 * that would get lost on a cut link is not sent there. Where no node reaches the receiver, the
 * request is refused at once. Any thread may call.
 */
final class SingleSend<T> implements LiveNodeSelector.Sending {

  private static final long RETRY_AFTER_MILLIS = 250;

  /** What all requests of a node share. */
  record Shared(
      Vertx vertx,
      String self,
      NodeLinks links,
      InFlightRequests inFlight,
      RequestId.Numbering ids) {}

  private final Shared shared;
  private final @Nullable ConnectionId server;
  private final @Nullable ReplicaOwner owner;
  private final String address;
  private final Object body;
  private final DeliveryOptions options;
  private final Promise<Message<T>> reply;

  /** The one that the bus is asked for at the moment. */
  private InFlightRequests.@Nullable InFlightRequest<T> inFlight;

  private boolean isPassedOn;
  private boolean mayBeGivenUp;

  /**
   * @param owner the node and replica that should receive it, null where the bus chooses
   */
  SingleSend(
      Shared shared,
      @Nullable ConnectionId server,
      @Nullable ReplicaOwner owner,
      String address,
      Object body,
      DeliveryOptions options,
      Promise<Message<T>> reply) {
    this.shared = shared;
    this.server = server;
    this.owner = owner;
    this.address = address;
    this.body = body;
    this.options = options;
    this.reply = reply;
  }

  /** Its caller sends it again where the bus finds no node for it in time. */
  SingleSend<T> mayBeGivenUp() {
    mayBeGivenUp = true;
    return this;
  }

  /** Sends it the way to its owner, or where the bus chooses. */
  void send() {
    NodeLinks.Way way = owner == null ? null : shared.links().to(owner.node());
    if (way instanceof NodeLinks.Way.Around around) {
      send(owner(), around.via());
    } else if (way instanceof NodeLinks.Way.Closed closed) {
      reply.fail(closed(closed.millis()));
    } else {
      send(owner(), null);
    }
  }

  /** Lets another node send it where that one's bus chooses. */
  void sendBy(String via) {
    send(null, via);
  }

  /**
   * @param receiver the node that should receive it; null where that is not known
   * @param via the node that passes it on; null for none
   */
  private void send(@Nullable String receiver, @Nullable String via) {
    MultiMap headers = options.getHeaders().remove(Headers.RELAY);
    RequestId id = via == null && shared.self().equals(receiver) ? null : shared.ids().create();
    if (id == null) {
      headers.remove(Headers.REQUEST);
    } else {
      headers.set(Headers.REQUEST, id.text());
    }
    if (via != null) {
      RelayedRequests.mark(options, address);
    }
    isPassedOn = via != null;
    String to = via == null ? address : RelayedRequests.address(via);
    InFlightRequests.InFlightRequest<T> sent =
        shared
            .inFlight()
            .begin(id, server, owner == null ? null : owner.replica(), receiver, isPassedOn, reply);
    if (mayBeGivenUp) {
      sent.mayBeGivenUp();
    }
    inFlight = sent;
    LiveNodeSelector.follow(
        this,
        () ->
            shared
                .vertx()
                .eventBus()
                .<T>request(to, body, options)
                .onComplete(sent::answered, sent::failedOnBus));
  }

  @Override
  public @Nullable String owner() {
    return owner == null ? null : owner.node();
  }

  @Override
  public boolean goesTo(@Nullable String chosen, boolean guessed) {
    String node = chosen == null ? shared.self() : chosen;
    InFlightRequests.InFlightRequest<T> sent = inFlight;
    if (sent == null) {
      return false;
    }
    // The way to a known owner was looked at before the bus was asked.
    boolean isNew = !isPassedOn && !node.equals(owner());
    NodeLinks.Way way = isNew ? shared.links().to(node) : null;
    if (way instanceof NodeLinks.Way.Around around && sent.takeBack()) {
      send(node, around.via());
      return false;
    }
    if (way instanceof NodeLinks.Way.Closed closed && sent.takeBack()) {
      reply.tryFail(closed(closed.millis()));
      return false;
    }
    return sent.goesTo(node, guessed);
  }

  private McpFailure closed(long millis) {
    return new McpFailure(
        FailureCode.UNAVAILABLE,
        McpFailure.Sent.NO,
        "the node that "
            + (server == null ? "serves this" : "owns '" + server + "'")
            + " has been silent for "
            + millis / 1_000
            + " s, and no other node hears it; the call was not sent",
        RETRY_AFTER_MILLIS,
        null);
  }
}
