package dev.mcpbus.bridge;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallOrigin;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.internals.ArrivalClock;
import dev.mcpbus.internals.InternalContext;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The requests and sockets of one HTTP verticle whose clients wait for answers, by the keys that
 * their calls carry as {@link CallOrigin}. A connection asks here before it sends a call that has
 * waited for long. Used on the bridge's context.
 */
final class OpenRequests {

  private final String node;
  private final String address;
  private final Map<String, OpenClient> clients = new HashMap<>();
  private final InternalContext context;
  private long sequence;

  /** A request, or a socket. */
  interface OpenClient {
    /** Whether its client still waits. */
    boolean isAwaited();

    /** The HTTP server closes: what has no answer yet gets one. A socket just ends. */
    default void giveUp() {}
  }

  /** Binds the object to the context of the caller. */
  OpenRequests(Vertx vertx) {
    this.context = InternalContext.current(vertx);
    this.node = RequestSender.of(vertx).membership().self();
    this.address = Addresses.at(Addresses.GATEWAY_DOORS + node, UUID.randomUUID().toString());
  }

  /** Answers questions, until the verticle ends. */
  Future<Void> open(Vertx vertx) {
    return vertx.eventBus().<String>consumer(address, this::asked).completion();
  }

  /** The event loop looks at its sockets twice: a request and its end may come in two readings. */
  private void asked(Message<String> question) {
    context.runAfterSockets(
        () ->
            context.runAfterSockets(
                () -> {
                  OpenClient client = clients.get(question.body());
                  question.reply(client != null && client.isAwaited());
                }));
  }

  /** A new key for a client. */
  String key() {
    return Long.toString(++sequence);
  }

  /** Adds a client, until {@link #remove}. */
  void add(String key, OpenClient client) {
    clients.put(key, client);
  }

  void remove(String key) {
    clients.remove(key);
  }

  /** Answers the requests that have no answer yet, before the server cuts their connections off. */
  void giveUp() {
    List.copyOf(clients.values()).forEach(OpenClient::giveUp);
  }

  /**
   * The origin of a call of a client that arrived at {@code nanos}, by the {@link ArrivalClock}.
   */
  CallOrigin origin(String key, long nanos) {
    return CallOrigin.at(node, nanos, address, key);
  }
}
