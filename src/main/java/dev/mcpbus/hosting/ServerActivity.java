package dev.mcpbus.hosting;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.McpFailure;
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
 * Collects the activity of the last hour of all servers from their connections: {@code
 * mcp.servers.activity}. Stateless; used on the context of {@link ServersVerticle}.
 */
final class ServerActivity {

  private ServerActivity() {}

  /**
   * {@code {servers: {id: activity}, missing?: [id]}}, where the activity is what {@code
   * mcp.<id>.activity} replies. A server without a call in the last hour is left out. A server that
   * does not answer in time is in {@code missing}.
   *
   * @param body {@code {servers?: [id]}}: only these; an id that no server has is left out
   */
  static Future<JsonObject> collect(
      Vertx vertx, JsonObject body, Collection<ConnectionId> ids, long millis) {
    Object wanted = body.getValue("servers");
    if (wanted != null && !isListOfTexts(wanted)) {
      throw McpFailure.badRequest("\"servers\" must be a list of ids of servers, or be left out");
    }
    JsonObject servers = new JsonObject();
    JsonArray missing = new JsonArray();
    List<Future<Object>> replies = new ArrayList<>();
    for (ConnectionId id : ids) {
      if (wanted instanceof JsonArray some && !some.contains(id.value())) {
        continue;
      }
      replies.add(
          RequestSender.of(vertx)
              .<JsonObject>request(
                  id,
                  Addresses.of(id, Addresses.ACTIVITY),
                  new JsonObject(),
                  new DeliveryOptions().setSendTimeout(millis))
              .map(Message::body)
              .<Object>map(reply -> hasCalls(reply) ? servers.put(id.value(), reply) : servers)
              .otherwise(failure -> missing.add(id.value())));
    }
    return Future.join(replies)
        .map(
            all -> {
              JsonObject activity = new JsonObject().put("servers", servers);
              return missing.isEmpty() ? activity : activity.put("missing", missing);
            });
  }

  private static boolean isListOfTexts(Object wanted) {
    return wanted instanceof JsonArray list && list.stream().allMatch(String.class::isInstance);
  }

  /** Whether there is a call in the last hour, or a replica that may have had one. */
  private static boolean hasCalls(JsonObject reply) {
    return reply.containsKey("missing")
        || reply.getJsonArray("calls", new JsonArray()).stream()
            .anyMatch(calls -> ((Number) calls).longValue() > 0);
  }
}
