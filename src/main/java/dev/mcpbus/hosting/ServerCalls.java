package dev.mcpbus.hosting;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.hosting.DiagnosticRequests.OnNodes;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * Collects the calls of servers from their connections. Stateless; used on the context of {@link
 * ServersVerticle}.
 */
final class ServerCalls {

  private static final int MAX_ENTRIES = 500;
  private static final int LEAST_OF_ONE = 5;

  private ServerCalls() {}

  /**
   * {@code {inFlight, recent, missing?}} as {@code mcp.<id>.calls} has them, each entry with its
   * {@code server}: the oldest in flight first, and the last that ended first. The more servers
   * there are, the fewer calls of each. A server that does not answer in time is in {@code
   * missing}, one of its replicas as {@code server@number}.
   *
   * @param nodes {@code {inFlight, recent}} of the private connections of each node
   */
  static Future<JsonObject> collect(
      Vertx vertx, Collection<ConnectionId> ids, long millis, Future<OnNodes> nodes) {
    int limit = limit(ids.size());
    List<JsonObject> inFlight = new ArrayList<>();
    List<JsonObject> recent = new ArrayList<>();
    JsonArray missing = new JsonArray();
    List<Future<Object>> replies = new ArrayList<>();
    for (ConnectionId id : ids) {
      replies.add(
          RequestSender.of(vertx)
              .<JsonObject>request(
                  id,
                  Addresses.of(id, Addresses.CALLS),
                  new JsonObject().put("limit", limit),
                  new DeliveryOptions().setSendTimeout(millis))
              .map(Message::body)
              .<Object>map(
                  reply -> {
                    add(inFlight, named(reply, "inFlight", id), "inFlight");
                    add(recent, named(reply, "recent", id), "recent");
                    reply
                        .getJsonArray("missing", new JsonArray())
                        .forEach(replica -> missing.add(id + "@" + replica));
                    return id;
                  })
              .otherwise(failure -> missing.add(id.value())));
    }
    return Future.join(replies)
        .compose(all -> nodes)
        .map(
            clients -> {
              for (JsonObject node : clients.replies()) {
                add(inFlight, node, "inFlight");
                add(recent, node, "recent");
              }
              Comparator<JsonObject> oldest =
                  Comparator.comparing(call -> call.getLong("ageMillis", 0L));
              Comparator<JsonObject> latest =
                  Comparator.comparing(call -> call.getString("time", ""));
              JsonObject calls =
                  new JsonObject()
                      .put("inFlight", first(inFlight, oldest.reversed()))
                      .put("recent", first(recent, latest.reversed()));
              return clients.note(missing.isEmpty() ? calls : calls.put("missing", missing));
            });
  }

  /** How many calls of each kind one of so many servers may name. */
  static int limit(int servers) {
    return Math.max(LEAST_OF_ONE, MAX_ENTRIES / Math.max(1, servers));
  }

  private static JsonObject named(JsonObject reply, String list, ConnectionId id) {
    reply
        .getJsonArray(list, new JsonArray())
        .forEach(call -> ((JsonObject) call).put("server", id.value()));
    return reply;
  }

  private static void add(List<JsonObject> to, JsonObject reply, String list) {
    reply.getJsonArray(list, new JsonArray()).forEach(call -> to.add((JsonObject) call));
  }

  private static JsonArray first(List<JsonObject> calls, Comparator<JsonObject> order) {
    return new JsonArray(calls.stream().sorted(order).limit(MAX_ENTRIES).toList());
  }
}
