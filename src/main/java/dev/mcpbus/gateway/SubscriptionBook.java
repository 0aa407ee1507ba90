package dev.mcpbus.gateway;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Who wants to hear of which resource: a server is told of the first who does and of the last who
 * does no longer, so that no client can end another's subscription. Confined to the context of the
 * directory's verticle.
 */
final class SubscriptionBook {

  private record Resource(String server, String uri) {}

  private final EventBus bus;
  private final Map<Resource, Set<String>> holders = new HashMap<>();

  SubscriptionBook(EventBus bus) {
    this.bus = bus;
  }

  /** {@code {server, uri, holder, wanted}}; the reply comes when the server has answered. */
  void handle(Message<JsonObject> message) {
    JsonObject body = message.body();
    Resource resource = new Resource(body.getString("server"), body.getString("uri"));
    String holder = body.getString("holder");
    Set<String> held = holders.computeIfAbsent(resource, absent -> new HashSet<>());
    boolean wanted = body.getBoolean("wanted");
    boolean first = wanted && held.isEmpty();
    boolean changed = wanted ? held.add(holder) : held.remove(holder);
    boolean last = !wanted && changed && held.isEmpty();
    if (held.isEmpty()) {
      holders.remove(resource);
    }
    if (!first && !last) {
      message.reply(new JsonObject());
      return;
    }
    String suffix = wanted ? Addresses.RESOURCES_SUBSCRIBE : Addresses.RESOURCES_UNSUBSCRIBE;
    Buffer params = RawJson.EMPTY_OBJECT.with("uri", RawJson.string(resource.uri())).toBuffer();
    bus.<Buffer>request(Addresses.of(new ConnectionId(resource.server()), suffix), params)
        .onComplete(
            done -> message.reply(new JsonObject()),
            failure -> {
              forget(resource, holder, wanted);
              message.reply(McpFailure.of(failure));
            });
  }

  private void forget(Resource resource, String holder, boolean wanted) {
    Set<String> held = holders.get(resource);
    if (wanted && held != null && held.remove(holder) && held.isEmpty()) {
      holders.remove(resource);
    }
  }
}
