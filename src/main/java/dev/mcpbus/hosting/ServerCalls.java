package dev.mcpbus.hosting;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Gathered;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.hosting.DiagnosticRequests.OnNodes;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
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
    return Gathered.ask(
            ids,
            id ->
                RequestSender.of(vertx)
                    .<JsonObject>read(
                        id,
                        Addresses.CALLS,
                        new JsonObject().put("limit", limit),
                        new DeliveryOptions().setSendTimeout(millis))
                    .map(reply -> named(named(reply, "inFlight", id), "recent", id)))
        .compose(told -> nodes.map(clients -> clients.note(joined(told, clients))));
  }

  private static JsonObject joined(Gathered<ConnectionId, JsonObject> told, OnNodes clients) {
    Comparator<JsonObject> oldest = Comparator.comparing(call -> call.getLong("ageMillis", 0L));
    Comparator<JsonObject> latest = Comparator.comparing(call -> call.getString("time", ""));
    List<JsonObject> all = new ArrayList<>(told.answers().values());
    all.addAll(clients.replies());
    JsonObject calls =
        new JsonObject()
            .put("inFlight", first(all, "inFlight", oldest.reversed()))
            .put("recent", first(all, "recent", latest.reversed()));
    JsonArray missing = new JsonArray();
    told.answers()
        .forEach(
            (id, reply) ->
                reply
                    .getJsonArray("missing", new JsonArray())
                    .forEach(replica -> missing.add(id + "@" + replica)));
    told.silent().forEach(id -> missing.add(id.value()));
    return missing.isEmpty() ? calls : calls.put("missing", missing);
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

  private static JsonArray first(
      List<JsonObject> replies, String list, Comparator<JsonObject> order) {
    return new JsonArray(
        replies.stream()
            .flatMap(reply -> reply.getJsonArray(list, new JsonArray()).stream())
            .map(JsonObject.class::cast)
            .sorted(order)
            .limit(MAX_ENTRIES)
            .toList());
  }
}
