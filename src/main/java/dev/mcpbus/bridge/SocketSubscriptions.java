package dev.mcpbus.bridge;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.bus.ServerOperation;
import dev.mcpbus.directory.ServerResource;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The resource subscriptions of one event-bus socket. The socket is a subscriber of its own, and
 * its subscriptions end with it. Used on the bridge's context.
 */
final class SocketSubscriptions {

  private static final int MAX = 1_000;

  private final Vertx vertx;
  private final String name = UUID.randomUUID().toString();
  private final Map<ServerResource, Requester> resources = new LinkedHashMap<>();

  SocketSubscriptions(Vertx vertx) {
    this.vertx = vertx;
  }

  /**
   * Notes a subscription or its end, if the message is one.
   *
   * @param headers of the message; the holder of the subscription is added
   * @return false if the socket has too many
   */
  boolean note(Requester requester, String address, @Nullable Object body, JsonObject headers) {
    ServerOperation row = EventBusRules.suffix(address).map(ServerOperation::of).orElse(null);
    if (row == null
        || row.belonging != ServerOperation.Belonging.SUBSCRIBER
        || !(body instanceof JsonObject params)
        || !(params.getValue("uri") instanceof String uri)) {
      return true;
    }
    headers.put(Headers.HOLDER, name);
    ServerResource resource = new ServerResource(EventBusRules.server(address), uri);
    if (row == ServerOperation.RESOURCES_UNSUBSCRIBE) {
      resources.remove(resource);
      return true;
    }
    if (resources.size() >= MAX && !resources.containsKey(resource)) {
      return false;
    }
    resources.put(resource, requester);
    return true;
  }

  /** Ends all subscriptions: the socket was closed. */
  void close() {
    resources.forEach(this::end);
    resources.clear();
  }

  private void end(ServerResource resource, Requester requester) {
    ConnectionId server = new ConnectionId(resource.server());
    DeliveryOptions options =
        requester.addTo(new DeliveryOptions()).addHeader(Headers.HOLDER, name);
    RequestSender.of(vertx)
        .request(
            server,
            Addresses.of(server, Addresses.RESOURCES_UNSUBSCRIBE),
            new JsonObject().put("uri", resource.uri()),
            options)
        .onFailure(gone -> {}); // the connection drops an unused subscription itself
  }
}
