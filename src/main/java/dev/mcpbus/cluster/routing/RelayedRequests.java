package dev.mcpbus.cluster.routing;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.cluster.engine.LiveNodeSelector;
import dev.mcpbus.internals.InternalContext;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import org.jspecify.annotations.Nullable;

/**
 * Passes requests on between two other nodes that do not reach each other. The header {@link
 * Headers#RELAY} has the send time-out and the address; everything else of the request and of its
 * reply stays as it is. A request is passed on once: this node sends it where the bus says, and
 * nowhere else. Where that node is lost before it answers, this node says so: the sender may not
 * know who the owner is. What the owner publishes for the call, such as progress, does not go
 * around.
 */
record RelayedRequests(
    Vertx vertx, TransitDeadlines deadlines, InFlightRequests inFlight, String self) {

  /** The part of the way that begins at this node, in the list of what is in flight. */
  private final class PassedOn implements LiveNodeSelector.Sending {

    private final InFlightRequests.InFlightRequest<Object> sent;

    PassedOn(InFlightRequests.InFlightRequest<Object> sent) {
      this.sent = sent;
    }

    @Override
    public boolean goesTo(@Nullable String node, boolean guessed) {
      return sent.goesTo(node == null ? self : node, guessed);
    }

    @Override
    public @Nullable String owner() {
      return null;
    }
  }

  /** The address of the node that passes on. */
  static String address(String node) {
    return Addresses.at(Addresses.PLACEMENT, node);
  }

  /** Makes {@code options} those of a request that another node passes on. */
  static void mark(DeliveryOptions options, String address) {
    options.getHeaders().set(Headers.RELAY, options.getSendTimeout() + " " + address);
  }

  /** Passes on what arrives for this node, until this Vert.x closes. */
  void open() {
    InternalContext.create(vertx)
        .run(() -> vertx.eventBus().<Object>consumer(address(self), this::passOn));
  }

  private void passOn(Message<Object> message) {
    String relay = String.valueOf(message.headers().get(Headers.RELAY));
    int space = relay.indexOf(' ');
    MultiMap headers = MultiMap.caseInsensitiveMultiMap().addAll(message.headers());
    headers.remove(Headers.RELAY);
    DeliveryOptions options;
    try {
      options =
          new DeliveryOptions()
              .setHeaders(headers)
              .setSendTimeout(Math.max(1, Long.parseLong(relay.substring(0, Math.max(0, space)))));
    } catch (NumberFormatException e) {
      McpFailure.badRequest("header '" + Headers.RELAY + "' is not <milliseconds> <address>")
          .replyTo(message);
      return;
    }
    deadlines.stamp(headers);
    Promise<Message<Object>> reply = InternalContext.promise(vertx);
    // The sender asks for the answer under its own id of the request, which is in the headers. As
    // one that is passed on it may go to a node that this one has dropped: questions do.
    InFlightRequests.InFlightRequest<Object> sent =
        inFlight.begin(null, null, null, null, true, reply);
    LiveNodeSelector.follow(
        new PassedOn(sent),
        () ->
            vertx
                .eventBus()
                .request(relay.substring(space + 1), message.body(), options)
                .onComplete(sent::answered, sent::failedOnBus));
    reply
        .future()
        .onSuccess(
            answer ->
                message.reply(answer.body(), new DeliveryOptions().setHeaders(answer.headers())))
        .onFailure(failure -> failed(failure, message));
  }

  /** Where no node serves the address, the next owner of the connection may. */
  private static void failed(Throwable failure, Message<Object> message) {
    (RequestSender.hadNoReceiver(failure)
            ? McpFailure.ownerLeft("no node serves this at the moment")
            : McpFailure.of(failure))
        .replyTo(message);
  }
}
