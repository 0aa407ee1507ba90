package dev.mcpbus.server;

import dev.mcpbus.protocol.Methods;
import io.vertx.core.json.JsonObject;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The resources that a client of the {@code initialize} era has subscribed to. Any thread may call.
 */
final class SubscribedResources {

  private static final int MOST = 1_024;

  private final Set<String> uris = ConcurrentHashMap.newKeySet();

  /**
   * Carries out {@code resources/subscribe} or {@code resources/unsubscribe}.
   *
   * @throws RequestException -32602 if the params name no resource, or the client has too many
   *     subscriptions
   */
  JsonObject change(String method, JsonObject params) {
    if (!(params.getValue("uri") instanceof String uri)) {
      throw RequestException.invalid("params.uri must be a string: the URI of the resource");
    }
    if (method.equals(Methods.RESOURCES_UNSUBSCRIBE)) {
      uris.remove(uri);
    } else if (uris.size() >= MOST) {
      throw RequestException.invalid("at most " + MOST + " subscriptions; end some first");
    } else {
      uris.add(uri);
    }
    return new JsonObject();
  }

  /** Restores what was before a change. */
  void set(String uri, boolean isSubscribed) {
    if (isSubscribed) {
      uris.add(uri);
    } else {
      uris.remove(uri);
    }
  }

  /** True for every notification except updates of resources without a subscription. */
  boolean wants(String notification, JsonObject params) {
    return !notification.equals(Methods.RESOURCE_UPDATED)
        || uris.contains(String.valueOf(params.getValue("uri")));
  }
}
