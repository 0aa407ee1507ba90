package dev.mcpbus.gateway;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who wants to hear of which resource: a server is told of the first who does and of the last who
 * does no longer, so that no client can end another's subscription. Confined to the context of the
 * directory's verticle.
 */
final class SubscriptionBook {

  private record Resource(String server, String uri) {}

  private static final class Held {
    private final Set<String> holders = new HashSet<>();
    private @Nullable Future<Void> asked;
  }

  private final EventBus bus;
  private final Map<Resource, Held> resources = new HashMap<>();

  SubscriptionBook(EventBus bus) {
    this.bus = bus;
  }

  /** {@code {server, uri, holder, wanted}}; the reply comes when the server has answered. */
  void handle(Message<JsonObject> message) {
    JsonObject body = message.body();
    Resource resource = new Resource(body.getString("server"), body.getString("uri"));
    String holder = body.getString("holder");
    Future<Void> done =
        body.getBoolean("wanted") ? add(resource, holder) : remove(resource, holder);
    done.onComplete(
        told -> message.reply(new JsonObject()), failure -> message.reply(McpFailure.of(failure)));
  }

  /** Whoever comes while the server is asked hears what it answers the first. */
  private Future<Void> add(Resource resource, String holder) {
    Held held = resources.computeIfAbsent(resource, absent -> new Held());
    held.holders.add(holder);
    Future<Void> asked = held.asked;
    if (asked == null) {
      asked = tell(resource, Addresses.RESOURCES_SUBSCRIBE);
      held.asked = asked;
    }
    return asked.onFailure(
        refused -> {
          held.holders.remove(holder);
          if (held.holders.isEmpty()) {
            resources.remove(resource, held);
          }
        });
  }

  private Future<Void> remove(Resource resource, String holder) {
    Held held = resources.get(resource);
    if (held == null || !held.holders.remove(holder) || !held.holders.isEmpty()) {
      return Future.succeededFuture();
    }
    resources.remove(resource);
    return tell(resource, Addresses.RESOURCES_UNSUBSCRIBE).otherwiseEmpty();
  }

  /** The server has a connection that knows of nothing yet. */
  void renew(String server) {
    resources
        .keySet()
        .forEach(
            resource -> {
              if (resource.server().equals(server)) {
                tell(resource, Addresses.RESOURCES_SUBSCRIBE);
              }
            });
  }

  private Future<Void> tell(Resource resource, String suffix) {
    Buffer params = RawJson.EMPTY_OBJECT.with("uri", RawJson.string(resource.uri())).toBuffer();
    return bus.<Buffer>request(Addresses.of(new ConnectionId(resource.server()), suffix), params)
        .mapEmpty();
  }
}
