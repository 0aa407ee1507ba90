package dev.mcpbus.hosting;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FairLimits;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Readiness;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.config.ConfigDiff;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.supervisor.SupervisorVerticle;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows which servers there are, and serves {@code mcp.servers.add}, {@code .remove}, {@code
 * .list}, {@code .get}, {@code .nodes}, {@code .lease} and {@code .release}. What they do is the
 * business of their connections.
 *
 * <p>{@code .nodes} gives {@code {nodes: [{name, labels, weight, self, leaving, connections}],
 * problems?}}, the last how many connections the node owns, as of at most 2 s ago; in a cluster
 * each has {@code id}, {@code host} and {@code port} of its event bus, too.
 */
public final class ServersVerticle extends VerticleBase {

  private static final Logger LOG = LoggerFactory.getLogger(ServersVerticle.class);

  /** A connection answers at once, wherever it is; one that hangs must not hold up a list. */
  private static final long STATUS_MILLIS = 1_500;

  private final SupervisorVerticle supervisor;
  private final ConnectionFactory factory;
  private final ServerEntryReader reader;
  private final ServerHosting.Factory hostings;
  private final Readiness readiness;
  private long refresh = -1;

  // Set once in start().
  @SuppressWarnings("NullAway.Init")
  private PrivateConnectionRegistry leases;

  @SuppressWarnings("NullAway.Init")
  private ServerHosting hosting;

  /**
   * @param hostings makes the hosting: this node's own, or a cluster's
   * @param readiness is told each second whether this node should get requests
   */
  public ServersVerticle(
      SupervisorVerticle supervisor,
      ConnectionFactory factory,
      ServerEntryReader reader,
      ServerHosting.Factory hostings,
      Readiness readiness) {
    this.supervisor = supervisor;
    this.factory = factory;
    this.reader = reader;
    this.hostings = hostings;
    this.readiness = readiness;
  }

  @Override
  public Future<?> start() {
    leases =
        new PrivateConnectionRegistry(vertx, supervisor, factory, id -> hosting.servers().get(id));
    hosting = hostings.create(vertx, new ConnectionHost(supervisor, factory, leases::endAll));
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
                        consume(Addresses.SERVERS_NODES, body -> Future.succeededFuture(nodes())),
                        consume(Addresses.SERVERS_LEASE, this::lease),
                        consume(Addresses.SERVERS_RELEASE, this::release))))
        .compose(open -> openToNodes())
        .onSuccess(
            open -> {
              assess();
              refresh = vertx.setPeriodic(Readiness.REFRESH_MILLIS, now -> assess());
            });
  }

  private void assess() {
    readiness.tell(hosting.problems());
  }

  /** Clients of other nodes have their own connections here, where only this node can run them. */
  private Future<?> openToNodes() {
    String node = hosting.node();
    return node == null
        ? Future.succeededFuture()
        : Future.join(
            consume(
                Addresses.at(Addresses.SERVERS_LEASE, node),
                body ->
                    body.containsKey("lease")
                        ? leases.renew(body)
                        : known(body).compose(id -> leases.lease(defined(id), body))),
            consume(Addresses.at(Addresses.SERVERS_RELEASE, node), body -> leases.release(body)));
  }

  /** Hands over what this node serves. */
  @Override
  public Future<?> stop() {
    vertx.cancelTimer(refresh);
    readiness.withdraw();
    leases.close();
    return hosting.close();
  }

  private Future<Void> consume(String address, Function<JsonObject, Future<JsonObject>> operation) {
    return vertx
        .eventBus()
        .<Object>consumer(address, message -> answer(message, operation))
        .completion();
  }

  private static void answer(
      Message<Object> message, Function<JsonObject, Future<JsonObject>> operation) {
    try {
      operation
          .apply(body(message.body()))
          .onComplete(message::reply, failure -> McpFailure.of(failure).replyTo(message));
    } catch (McpFailure refused) {
      refused.replyTo(message);
    } catch (RuntimeException defect) {
      LOG.error("{} failed", message.address(), defect);
      McpFailure.maybeSent(FailureCode.INTERNAL, "a defect of mcpbus; see its log")
          .replyTo(message);
    }
  }

  private static JsonObject body(Object body) {
    if (body == null) {
      return new JsonObject();
    }
    if (body instanceof JsonObject json) {
      return json;
    }
    throw badRequest("the body must be a JsonObject, not " + body.getClass().getSimpleName());
  }

  private static McpFailure badRequest(String message) {
    return McpFailure.notSent(FailureCode.BAD_REQUEST, message);
  }

  /** Starts a server; completes when its addresses answer, not when it is connected. */
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
    return badRequest(
        "a server '"
            + id
            + "' exists already ("
            + (present == null ? "elsewhere" : present.source())
            + "); remove it first or choose another name. Servers: "
            + hosting.ids());
  }

  /**
   * Starts servers; fails where one of them cannot be added, the others are started all the same.
   */
  public Future<Void> apply(List<ServerDefinition> definitions) {
    return onContext(
        () -> Future.join(definitions.stream().map(one -> add(one, true)).toList()).mapEmpty());
  }

  /** Carries out the difference between two configurations; what did not change is not touched. */
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
   * Callers of {@code apply} come from anywhere; the map of servers has one writer. A file that was
   * applied may say what another's does not: health knows it before the caller does.
   */
  private Future<Void> onContext(Supplier<Future<Void>> step) {
    Promise<Void> done = Promise.promise();
    context.runOnContext(now -> step.get().onComplete(applied -> assess()).onComplete(done));
    return done.future();
  }

  private Future<Void> replace(ServerDefinition definition) {
    return leases
        .endAll(definition.id())
        .compose(ended -> hosting.replace(definition))
        .compose(replaced -> leases.endAll(definition.id())) // those that began meanwhile
        .onSuccess(replaced -> publish(Events.SERVER_CHANGED, definition.id()));
  }

  private Future<Void> remove(ConnectionId id, boolean file) {
    return leases
        .endAll(id)
        .compose(ended -> hosting.remove(id, file))
        .compose(removed -> leases.endAll(id)) // those that began meanwhile
        .onSuccess(removed -> publish(Events.SERVER_REMOVED, id));
  }

  private Future<JsonObject> add(JsonObject body) {
    if (!(body.getValue("name") instanceof String name)
        || !(body.getValue("config") instanceof JsonObject entry)) {
      throw badRequest("the body must be {\"name\": string, \"config\": {...}}");
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
    PrivateConnectionHost elsewhere = hosting.elsewhere();
    if (body.containsKey("lease")) {
      return elsewhere != null && elsewhere.has(body) ? elsewhere.renew(body) : leases.renew(body);
    }
    return known(body)
        .compose(
            id -> {
              ServerDefinition definition = hosting.servers().get(id);
              if (definition == null) {
                throw McpFailure.notSent(
                    FailureCode.UNAVAILABLE, "this node cannot read the server '" + id + "'");
              }
              String node =
                  definition.connection().shared() ? null : hosting.placeOfLease(definition);
              return node == null || elsewhere == null
                  ? leases.lease(definition, body)
                  : elsewhere.lease(node, body);
            });
  }

  private Future<JsonObject> release(JsonObject body) {
    PrivateConnectionHost elsewhere = hosting.elsewhere();
    return elsewhere != null && elsewhere.has(body)
        ? elsewhere.release(body)
        : leases.release(body);
  }

  private ServerDefinition defined(ConnectionId id) {
    ServerDefinition definition = hosting.servers().get(id);
    if (definition == null) {
      throw badRequest("no such server");
    }
    return definition;
  }

  private Future<ConnectionId> known(JsonObject body) {
    if (!(body.getValue("id") instanceof String text)) {
      throw badRequest("the body must be {\"id\": string}");
    }
    ConnectionId id = ConnectionId.parse(text).orElse(null);
    if (id != null && hosting.ids().contains(id)) {
      return Future.succeededFuture(id);
    }
    Future<Void> fresh = id == null ? Future.succeededFuture() : hosting.refresh(id);
    return fresh.map(
        read -> {
          if (id == null || !hosting.ids().contains(id)) {
            throw McpFailure.notSent(
                FailureCode.UNKNOWN_CONNECTION, "no such server; there are " + hosting.ids());
          }
          return id;
        });
  }

  private Future<JsonObject> list() {
    List<Future<JsonObject>> statuses = new ArrayList<>();
    hosting.ids().forEach(id -> statuses.add(status(id)));
    return Future.join(statuses)
        .map(
            all -> {
              JsonArray list = new JsonArray();
              statuses.forEach(status -> list.add(status.result()));
              return problems(new JsonObject().put("servers", list));
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
    return status(id)
        .map(
            status ->
                definition == null
                    ? status
                    : status.put("config", definition.view()).put("source", definition.source()));
  }

  /** A connection that is being redeployed has no address for a moment; it is still listed. */
  private Future<JsonObject> status(ConnectionId id) {
    return RequestSender.of(vertx)
        .<JsonObject>request(
            id,
            Addresses.of(id, Addresses.STATUS),
            new JsonObject(),
            new DeliveryOptions().setSendTimeout(STATUS_MILLIS))
        .map(Message::body)
        .otherwise(
            failure ->
                new JsonObject()
                    .put("id", id.value())
                    .put("state", "CLOSED")
                    .put("status", "disconnected"))
        .map(status -> hosting.describe(id, status));
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
