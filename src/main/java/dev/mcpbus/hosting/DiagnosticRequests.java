package dev.mcpbus.hosting;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Gathered;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.PeerRequests;
import dev.mcpbus.bus.RequestSender;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What operators ask about servers as a whole: {@code mcp.servers.calls}, {@code .activity} and
 * {@code .rpclog}. A reply covers the connection that all callers share and the private connections
 * of clients, on each node. Used on the context of {@link ServersVerticle}.
 *
 * @param known the id that a body names; fails where there is no such server
 * @param here the private connections of this node
 */
record DiagnosticRequests(
    Vertx vertx,
    ServerHosting hosting,
    Function<JsonObject, Future<ConnectionId>> known,
    PrivateConnectionDiagnostics here) {

  private static final long MILLIS = ServerStatuses.MILLIS;

  /** What a reply has of the private connections of all nodes. */
  record OnNodes(List<JsonObject> replies, Gathered<JsonObject, JsonObject> others) {

    /** Names the nodes that did not answer. */
    JsonObject note(JsonObject reply) {
      return others.note(reply, "missingNodes", node -> node.getString("name"));
    }
  }

  /**
   * The calls of all servers, or of one.
   *
   * @param body {@code {id?}}
   * @return {@link ServerCalls#collect}, and {@code missingNodes?}: the names of nodes that did not
   *     tell the calls of their private connections
   */
  Future<JsonObject> calls(JsonObject body) {
    return servers(body)
        .compose(
            ids -> {
              JsonObject wanted = some(ids).put("limit", ServerCalls.limit(ids.size()));
              return ServerCalls.collect(
                  vertx, ids, MILLIS, onNodes(Addresses.SERVERS_CALLS, wanted, callsHere(wanted)));
            });
  }

  /** The calls of this node's private connections: {@code {servers?: [id], limit}}. */
  Future<JsonObject> callsHere(JsonObject body) {
    return here.calls(ids(body), body.getInteger("limit", 1), MILLIS / 2);
  }

  /**
   * The activity of all servers, of some, or of one.
   *
   * @param body {@code {servers?: [id]}}, or {@code {id}} for one that must exist
   * @return {@link ServerActivity#collect}, and {@code missingNodes?} as {@link #calls}
   */
  Future<JsonObject> activity(JsonObject body) {
    Object wanted = body.getValue("servers");
    if (wanted != null && !isListOfTexts(wanted)) {
      throw McpFailure.badRequest("\"servers\" must be a list of ids of servers, or be left out");
    }
    return servers(body)
        .compose(
            all -> {
              Set<ConnectionId> ids = new HashSet<>(all);
              if (wanted != null) {
                ids.retainAll(ids(body));
              }
              JsonObject some = some(ids);
              return ServerActivity.collect(
                  vertx,
                  ids,
                  body.containsKey("id"),
                  MILLIS,
                  onNodes(Addresses.SERVERS_ACTIVITY, some, activityHere(some)));
            });
  }

  /** The activity of this node's private connections, by server: {@code {servers?: [id]}}. */
  Future<JsonObject> activityHere(JsonObject body) {
    return Future.succeededFuture(here.activity(ids(body)));
  }

  /**
   * Shows the JSON-RPC messages of a server for a time: {@code {id, mode, seconds?}}.
   *
   * @return {@code {mode, until?}} of {@code mcp.<id>.rpclog}, and {@code missingNodes?}: the names
   *     of nodes whose private connections may go on as before
   */
  Future<JsonObject> rpcLog(JsonObject body) {
    return known
        .apply(body)
        .compose(
            id -> {
              JsonObject wanted = body.copy();
              wanted.remove("id");
              return RequestSender.of(vertx)
                  .<JsonObject>read(
                      id, Addresses.RPCLOG, wanted, new DeliveryOptions().setSendTimeout(MILLIS))
                  .compose(
                      reply -> {
                        JsonObject told = reply.copy().put("id", id.value());
                        return onNodes(Addresses.SERVERS_RPCLOG, told, rpcLogHere(told))
                            .map(nodes -> nodes.note(reply.copy()));
                      });
            });
  }

  /** The same for this node's private connections: {@code {id, mode, until?}}. */
  Future<JsonObject> rpcLogHere(JsonObject body) {
    ConnectionId id = new ConnectionId(body.getString("id"));
    return here.show(id, PrivateConnectionDiagnostics.mode(body), MILLIS / 2)
        .map(shown -> new JsonObject());
  }

  private Future<Set<ConnectionId>> servers(JsonObject body) {
    return body.containsKey("id")
        ? known.apply(body).map(Set::of)
        : Future.succeededFuture(Set.copyOf(hosting.ids()));
  }

  /** Names servers to another node; of all of them there may be thousands, so these stay away. */
  private JsonObject some(Set<ConnectionId> ids) {
    return ids.size() == hosting.ids().size()
        ? new JsonObject()
        : new JsonObject()
            .put("servers", new JsonArray(ids.stream().map(ConnectionId::value).toList()));
  }

  private Set<ConnectionId> ids(JsonObject body) {
    JsonArray some = body.getJsonArray("servers");
    if (some == null) {
      return hosting.ids();
    }
    return some.stream()
        .flatMap(id -> ConnectionId.parse(String.valueOf(id)).stream())
        .collect(Collectors.toSet());
  }

  private static boolean isListOfTexts(Object wanted) {
    return wanted instanceof JsonArray list && list.stream().allMatch(String.class::isInstance);
  }

  /** Asks every other node, and adds what this one has. */
  private Future<OnNodes> onNodes(String address, JsonObject body, Future<JsonObject> ofThis) {
    PeerRequests others = new PeerRequests(vertx, address);
    List<JsonObject> nodes =
        hosting.nodes().stream()
            .filter(node -> node.getString("id") != null && !node.getBoolean("self", false))
            .toList();
    return Gathered.ask(
            nodes, node -> others.ask(node.getString("id"), body, Duration.ofMillis(MILLIS)))
        .compose(
            told ->
                ofThis.map(
                    own -> {
                      List<JsonObject> replies = new ArrayList<>(told.answers().values());
                      replies.add(0, own);
                      return new OnNodes(replies, told);
                    }));
  }
}
