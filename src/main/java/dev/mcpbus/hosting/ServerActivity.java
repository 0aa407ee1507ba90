package dev.mcpbus.hosting;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallActivity;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Gathered;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.hosting.DiagnosticRequests.OnNodes;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
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
   * @param nodes what the private connections of each node did, by server
   */
  static Future<JsonObject> collect(
      Vertx vertx, Collection<ConnectionId> ids, boolean idle, long millis, Future<OnNodes> nodes) {
    return Gathered.ask(
            ids,
            id ->
                RequestSender.of(vertx)
                    .<JsonObject>read(
                        id,
                        Addresses.ACTIVITY,
                        new JsonObject(),
                        new DeliveryOptions().setSendTimeout(millis)))
        .compose(
            told ->
                nodes.map(
                    clients -> {
                      JsonObject servers = new JsonObject();
                      told.answers()
                          .forEach(
                              (id, reply) -> {
                                JsonObject all = withClients(reply, clients.replies(), id.value());
                                if (idle || hasCalls(all)) {
                                  servers.put(id.value(), all);
                                }
                              });
                      JsonObject activity = new JsonObject().put("servers", servers);
                      return clients.note(told.note(activity, "missing", ConnectionId::value));
                    }));
  }

  private static JsonObject withClients(JsonObject reply, List<JsonObject> clients, String id) {
    if (clients.stream().noneMatch(node -> node.containsKey(id))) {
      return reply;
    }
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
