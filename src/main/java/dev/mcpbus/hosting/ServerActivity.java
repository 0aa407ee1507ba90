package dev.mcpbus.hosting;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallActivity;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.RequestSender;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Collects the activity of the last hour of servers from their connections. Stateless; used on the
 * context of {@link ServersVerticle}.
 */
final class ServerActivity {

  private ServerActivity() {}

  /**
   * {@code {servers: {id: activity}, missing?: [id]}}, where the activity is what {@code
   * mcp.<id>.activity} replies, and that of the private connections. A server that does not answer
   * in time is in {@code missing}.
   *
   * @param idle whether servers without a call in the last hour are in the reply
   * @param clients what the private connections of each node did, by server
   */
  static Future<JsonObject> collect(
      Vertx vertx,
      Collection<ConnectionId> ids,
      boolean idle,
      long millis,
      List<JsonObject> clients) {
    JsonObject servers = new JsonObject();
    JsonArray missing = new JsonArray();
    List<Future<Object>> replies = new ArrayList<>();
    for (ConnectionId id : ids) {
      replies.add(
          RequestSender.of(vertx)
              .<JsonObject>request(
                  id,
                  Addresses.of(id, Addresses.ACTIVITY),
                  new JsonObject(),
                  new DeliveryOptions().setSendTimeout(millis))
              .map(Message::body)
              .<Object>map(
                  reply -> {
                    JsonObject all = withClients(reply, clients, id.value());
                    return idle || hasCalls(all) ? servers.put(id.value(), all) : servers;
                  })
              .otherwise(failure -> missing.add(id.value())));
    }
    return Future.join(replies)
        .map(
            all -> {
              JsonObject activity = new JsonObject().put("servers", servers);
              return missing.isEmpty() ? activity : activity.put("missing", missing);
            });
  }

  private static JsonObject withClients(JsonObject reply, List<JsonObject> clients, String id) {
    JsonObject all = reply.copy();
    Object missing = all.remove("missing");
    for (JsonObject node : clients) {
      if (node.getValue(id) instanceof JsonObject more) {
        all = CallActivity.sum(all, more);
      }
    }
    return missing == null ? all : all.put("missing", missing);
  }

  /** Whether there is a call in the last hour, or a replica that may have had one. */
  private static boolean hasCalls(JsonObject reply) {
    return reply.containsKey("missing")
        || reply.getJsonArray("calls", new JsonArray()).stream()
            .anyMatch(calls -> ((Number) calls).longValue() > 0);
  }
}
