package dev.mcpbus.hosting;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FairLimits;
import dev.mcpbus.bus.JsonReplies;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.MissingServers;
import dev.mcpbus.bus.Readiness;
import dev.mcpbus.config.ConfigDiff;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.hosting.credentials.PendingLogins;
import dev.mcpbus.supervisor.SupervisorVerticle;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Holds the list of servers and serves {@code mcp.servers.add}, {@code .remove}, {@code .list},
 * {@code .get}, {@code .config}, {@code .calls}, {@code .nodes}, {@code .lease}, {@code .leases}
 * and {@code .release}. It starts and ends connections through the supervisor; calls go to the
 * connections themselves. Owner of the hosting and of the private connections, on its context.
 *
 * <p>{@code .nodes} replies {@code {nodes: [{name, labels, weight, self, leaving, connections}],
 * problems?}}; {@code connections} is the number that the node owned at most 2 s ago. In a cluster
 * each node also has {@code id}, and {@code host} and {@code port} of its event bus.
 */
public final class ServersVerticle extends VerticleBase {

  private final SupervisorVerticle supervisor;
  private final ConnectionFactory factory;
  private final ServerEntryReader reader;
  private final ServerHosting.HostingFactory hostingFactory;
  private final Readiness readiness;
  private long refresh = -1;
  private volatile ConfigurationState configuration =
      ConfigurationState.loaded(null, Instant.now(), List.of());

  // Set once in start().
  @SuppressWarnings("NullAway.Init")
  private PrivateConnectionRegistry privateConnections;

  @SuppressWarnings("NullAway.Init")
  private ServerHosting hosting;

  @SuppressWarnings("NullAway.Init")
  private ServerStatuses statuses;

  /**
   * @param hostingFactory makes the hosting: this node's own, or a cluster's
   * @param readiness receives every second the reasons why this node is not ready
   */
  public ServersVerticle(
      SupervisorVerticle supervisor,
      ConnectionFactory factory,
      ServerEntryReader reader,
      ServerHosting.HostingFactory hostingFactory,
      Readiness readiness) {
    this.supervisor = supervisor;
    this.factory = factory;
    this.reader = reader;
    this.hostingFactory = hostingFactory;
    this.readiness = readiness;
  }

  @Override
  public Future<?> start() {
    privateConnections =
        new PrivateConnectionRegistry(vertx, supervisor, factory, id -> hosting.servers().get(id));
    hosting =
        hostingFactory.create(
            vertx, new ConnectionHost(supervisor, factory, privateConnections::endAll));
    statuses = new ServerStatuses(vertx, hosting);
    return hosting
        .start()
        .compose(
            started ->
                Future.join(
                    List.of(
                        consume(Addresses.SERVERS_ADD, this::add),
                        consume(Addresses.SERVERS_REMOVE, this::remove),
                        consume(Addresses.SERVERS_LIST, body -> list()),
                        consume(Addresses.SERVERS_GET, body -> known(body).compose(this::get)),
                        reply(
                            Addresses.SERVERS_LOGINS,
                            () -> PendingLogins.of(vertx).toJson(Instant.now())),
                        reply(Addresses.SERVERS_CONFIG, () -> configuration.toJson(hosting.ids())),
                        consume(
                            Addresses.SERVERS_CALLS,
                            body ->
                                ServerCalls.collect(vertx, hosting.ids(), ServerStatuses.MILLIS)),
                        reply(Addresses.SERVERS_NODES, this::nodes),
                        consume(Addresses.SERVERS_LEASE, this::lease),
                        reply(Addresses.SERVERS_LEASES, privateConnections::toJson),
                        consume(Addresses.SERVERS_RELEASE, this::release))))
        .compose(open -> openToNodes())
        .onSuccess(
            open -> {
              assess();
              refresh = vertx.setPeriodic(Readiness.REFRESH_MILLIS, now -> assess());
            });
  }

  private void assess() {
    readiness.tell(hosting.problems(), configuration.notes(hosting.ids()));
  }

  /**
   * In a cluster, serves private connections for clients of other nodes, where only this node can
   * run them.
   */
  private Future<?> openToNodes() {
    String node = hosting.node();
    return node == null
        ? Future.succeededFuture()
        : Future.join(
            consume(
                Addresses.at(Addresses.SERVERS_LEASE, node),
                body ->
                    body.containsKey("lease")
                        ? privateConnections.renew(body)
                        : known(body).compose(id -> privateConnections.lease(defined(id), body))),
            consume(
                Addresses.at(Addresses.SERVERS_RELEASE, node),
                body -> privateConnections.release(body)));
  }

  /** Hands over the connections of this node. */
  @Override
  public Future<?> stop() {
    vertx.cancelTimer(refresh);
    readiness.withdraw();
    MissingServers.of(vertx).put(Map.of());
    privateConnections.close();
    return hosting.close();
  }

  private Future<Void> consume(String address, Function<JsonObject, Future<JsonObject>> operation) {
    return vertx
        .eventBus()
        .<Object>consumer(
            address,
            message -> JsonReplies.serve(message, () -> operation.apply(body(message.body()))))
        .completion();
  }

  private Future<Void> reply(String address, Supplier<JsonObject> state) {
    return consume(address, body -> Future.succeededFuture(state.get()));
  }

  private static JsonObject body(Object body) {
    if (body == null) {
      return new JsonObject();
    }
    if (body instanceof JsonObject json) {
      return json;
    }
    throw McpFailure.badRequest(
        "the body must be a JsonObject, not " + body.getClass().getSimpleName());
  }

  /** Adds a server; completes when its addresses are registered, before it is connected. */
  private Future<Void> add(ServerDefinition definition, boolean file) {
    return hosting
        .add(definition, file)
        .compose(
            added -> {
              if (added) {
                publish(Events.SERVER_ADDED, definition.id());
              }
              // In a cluster another node may have read the same file before.
              return added || (file && vertx.isClustered())
                  ? Future.succeededFuture()
                  : Future.failedFuture(taken(definition.id()));
            });
  }

  private McpFailure taken(ConnectionId id) {
    ServerDefinition present = hosting.servers().get(id);
    return McpFailure.badRequest(
        "a server '"
            + id
            + "' exists already ("
            + (present == null ? "elsewhere" : present.source())
            + "); remove it first or choose another name. Servers: "
            + hosting.ids());
  }

  /** What the configuration of this node says now. Any thread may call. */
  public void configured(ConfigurationState state) {
    configuration = state;
    MissingServers.of(vertx).put(state.reasons());
  }

  /** Any thread may call. */
  public ConfigurationState configuration() {
    return configuration;
  }

  /** Adds servers; fails where one of them cannot be added, after all others were started. */
  public Future<Void> apply(List<ServerDefinition> definitions) {
    return onContext(
        () -> Future.join(definitions.stream().map(one -> add(one, true)).toList()).mapEmpty());
  }

  /**
   * Applies the difference between two configurations; unchanged servers are not touched. Any
   * thread may call.
   */
  public Future<Void> apply(ConfigDiff diff) {
    return onContext(
        () -> {
          List<Future<Void>> steps = new ArrayList<>();
          diff.removed().forEach(definition -> steps.add(remove(definition.id(), true)));
          diff.added().forEach(definition -> steps.add(add(definition, true)));
          diff.changed().forEach(definition -> steps.add(replace(definition)));
          return Future.join(steps).mapEmpty();
        });
  }

  /**
   * Runs a step on this verticle's context, the only writer of the servers. Refreshes the readiness
   * before the caller gets the result, because an applied file may differ from another node's.
   */
  private Future<Void> onContext(Supplier<Future<Void>> step) {
    Promise<Void> done = Promise.promise();
    context.runOnContext(now -> step.get().onComplete(applied -> assess()).onComplete(done));
    return done.future();
  }

  private Future<Void> replace(ServerDefinition definition) {
    return privateConnections
        .endAll(definition.id())
        .compose(ended -> hosting.replace(definition))
        .compose(
            replaced ->
                privateConnections.endAll(definition.id())) // those that were started meanwhile
        .onSuccess(replaced -> publish(Events.SERVER_CHANGED, definition.id()));
  }

  private Future<Void> remove(ConnectionId id, boolean file) {
    return privateConnections
        .endAll(id)
        .compose(ended -> hosting.remove(id, file))
        .compose(removed -> privateConnections.endAll(id)) // those that were started meanwhile
        .onSuccess(removed -> publish(Events.SERVER_REMOVED, id));
  }

  private Future<JsonObject> add(JsonObject body) {
    if (!(body.getValue("name") instanceof String name)
        || !(body.getValue("config") instanceof JsonObject entry)) {
      throw McpFailure.badRequest("the body must be {\"name\": string, \"config\": {...}}");
    }
    return vertx
        .executeBlocking(() -> reader.read(name, entry))
        .compose(definition -> add(definition, false).compose(added -> get(definition.id())));
  }

  private Future<JsonObject> remove(JsonObject body) {
    return known(body)
        .compose(id -> remove(id, false).map(new JsonObject().put("removed", id.value())));
  }

  private Future<JsonObject> lease(JsonObject body) {
    PrivateConnectionPeers elsewhere = hosting.privateConnectionPeers();
    if (body.containsKey("lease")) {
      return elsewhere != null && elsewhere.has(body)
          ? elsewhere.renew(body)
          : privateConnections.renew(body);
    }
    return known(body)
        .compose(
            id -> {
              ServerDefinition definition = hosting.servers().get(id);
              if (definition == null) {
                throw McpFailure.notSent(
                    FailureCode.UNAVAILABLE, "this node cannot read the server '" + id + "'");
              }
              if (elsewhere == null || definition.connection().shared()) {
                return privateConnections.lease(definition, body);
              }
              return hosting
                  .nodeForPrivateConnection(definition)
                  .compose(
                      node ->
                          node == null
                              ? privateConnections.lease(definition, body)
                              : elsewhere.lease(node, body));
            });
  }

  private Future<JsonObject> release(JsonObject body) {
    PrivateConnectionPeers elsewhere = hosting.privateConnectionPeers();
    return elsewhere != null && elsewhere.has(body)
        ? elsewhere.release(body)
        : privateConnections.release(body);
  }

  private ServerDefinition defined(ConnectionId id) {
    ServerDefinition definition = hosting.servers().get(id);
    if (definition == null) {
      throw McpFailure.badRequest("no such server");
    }
    return definition;
  }

  private Future<ConnectionId> known(JsonObject body) {
    if (!(body.getValue("id") instanceof String text)) {
      throw McpFailure.badRequest("the body must be {\"id\": string}");
    }
    ConnectionId id = ConnectionId.parse(text).orElse(null);
    if (id != null && hosting.ids().contains(id)) {
      return Future.succeededFuture(id);
    }
    Future<Void> fresh = id == null ? Future.succeededFuture() : hosting.refresh(id);
    return fresh.map(
        read -> {
          if (id == null || !hosting.ids().contains(id)) {
            McpFailure leftOut = MissingServers.of(vertx).failure(text);
            throw leftOut != null
                ? leftOut
                : McpFailure.notSent(
                    FailureCode.UNKNOWN_CONNECTION, "no such server; there are " + hosting.ids());
          }
          return id;
        });
  }

  private Future<JsonObject> list() {
    return statuses
        .all()
        .map(
            all -> {
              JsonArray left = configuration.leftOutJson(hosting.ids());
              JsonObject reply = new JsonObject().put("servers", all);
              return problems(left.isEmpty() ? reply : reply.put("leftOut", left));
            });
  }

  private JsonObject nodes() {
    return problems(
        new JsonObject()
            .put("nodes", new JsonArray(hosting.nodes()))
            .put("limits", FairLimits.of(vertx).toJson()));
  }

  private JsonObject problems(JsonObject reply) {
    List<String> problems = hosting.problems();
    return problems.isEmpty() ? reply : reply.put("problems", new JsonArray(problems));
  }

  private Future<JsonObject> get(ConnectionId id) {
    ServerDefinition definition = hosting.servers().get(id);
    return statuses
        .of(id)
        .map(
            status ->
                definition == null
                    ? status
                    : status.put("config", definition.view()).put("source", definition.source()));
  }

  private void publish(String type, ConnectionId id) {
    JsonObject event =
        new JsonObject()
            .put("type", type)
            .put("id", id.value())
            .put("time", Instant.now().toString());
    vertx.eventBus().publish(Addresses.of(id, Addresses.EVENTS), event);
    vertx.eventBus().publish(Addresses.ALL_EVENTS, event);
  }
}
