package dev.mcpbus;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.config.ConfigDiff;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.supervisor.SupervisorVerticle;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows which servers there are, and serves {@code mcp.servers.add}, {@code .remove}, {@code
 * .list}, {@code .get}, {@code .lease} and {@code .release}. What they do is the business of their
 * connections.
 */
final class ServersVerticle extends VerticleBase {

  private static final Logger LOG = LoggerFactory.getLogger(ServersVerticle.class);

  private final SupervisorVerticle supervisor;
  private final ConnectionFactory factory;
  private final ServerEntryReader reader;
  private final Map<ConnectionId, ServerDefinition> servers = new LinkedHashMap<>();

  // Set once in start().
  @SuppressWarnings("NullAway.Init")
  private ServerLeases leases;

  ServersVerticle(
      SupervisorVerticle supervisor, ConnectionFactory factory, ServerEntryReader reader) {
    this.supervisor = supervisor;
    this.factory = factory;
    this.reader = reader;
  }

  @Override
  public Future<?> start() {
    leases = new ServerLeases(vertx, supervisor, factory);
    return Future.join(
        consume(Addresses.SERVERS_ADD, this::add),
        consume(Addresses.SERVERS_REMOVE, this::remove),
        consume(Addresses.SERVERS_LIST, body -> list()),
        consume(Addresses.SERVERS_GET, body -> get(known(body))),
        consume(Addresses.SERVERS_LEASE, this::lease),
        consume(Addresses.SERVERS_RELEASE, body -> leases.release(body)));
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
          .onComplete(message::reply, failure -> message.reply(McpFailure.of(failure)));
    } catch (McpFailure refused) {
      message.reply(refused);
    } catch (RuntimeException defect) {
      LOG.error("{} failed", message.address(), defect);
      message.reply(McpFailure.maybeSent(FailureCode.INTERNAL, "a defect of mcpbus; see its log"));
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
  private Future<Void> add(ServerDefinition definition) {
    ServerDefinition present = servers.putIfAbsent(definition.id(), definition);
    if (present != null) {
      return Future.failedFuture(
          badRequest(
              "a server '"
                  + definition.id()
                  + "' exists already ("
                  + present.source()
                  + "); remove it first or choose another name. Servers: "
                  + servers.keySet()));
    }
    return supervisor
        .startChild(factory.childSpec(definition))
        .onSuccess(started -> publish(Events.SERVER_ADDED, definition.id()))
        .onFailure(failure -> servers.remove(definition.id(), definition));
  }

  /**
   * Starts servers; fails where one of them cannot be added, the others are started all the same.
   */
  Future<Void> apply(List<ServerDefinition> definitions) {
    return onContext(() -> Future.join(definitions.stream().map(this::add).toList()).mapEmpty());
  }

  /** Carries out the difference between two configurations; what did not change is not touched. */
  Future<Void> apply(ConfigDiff diff) {
    return onContext(
        () -> {
          List<Future<Void>> steps = new ArrayList<>();
          diff.removed().forEach(definition -> steps.add(remove(definition.id())));
          diff.added().forEach(definition -> steps.add(add(definition)));
          diff.changed().forEach(definition -> steps.add(replace(definition)));
          return Future.join(steps).mapEmpty();
        });
  }

  /** Callers of {@code apply} come from anywhere; the map of servers has one writer. */
  private Future<Void> onContext(Supplier<Future<Void>> step) {
    Promise<Void> done = Promise.promise();
    context.runOnContext(now -> step.get().onComplete(done));
    return done.future();
  }

  private Future<Void> replace(ServerDefinition definition) {
    servers.put(definition.id(), definition);
    return leases
        .endAll(definition.id())
        .compose(ended -> supervisor.replaceChild(factory.childSpec(definition)))
        .onSuccess(replaced -> publish(Events.SERVER_CHANGED, definition.id()));
  }

  private Future<Void> remove(ConnectionId id) {
    servers.remove(id);
    return leases
        .endAll(id)
        .compose(ended -> supervisor.terminateChild(id.value()))
        .onSuccess(removed -> publish(Events.SERVER_REMOVED, id));
  }

  private Future<JsonObject> add(JsonObject body) {
    if (!(body.getValue("name") instanceof String name)
        || !(body.getValue("config") instanceof JsonObject entry)) {
      throw badRequest("the body must be {\"name\": string, \"config\": {...}}");
    }
    return vertx
        .executeBlocking(() -> reader.read(name, entry))
        .compose(definition -> add(definition).compose(added -> get(definition.id())));
  }

  private Future<JsonObject> remove(JsonObject body) {
    ConnectionId id = known(body);
    return remove(id).map(new JsonObject().put("removed", id.value()));
  }

  private Future<JsonObject> lease(JsonObject body) {
    if (body.containsKey("lease")) {
      return leases.renew(body);
    }
    ServerDefinition definition = servers.get(known(body));
    if (definition == null) {
      throw badRequest("no such server");
    }
    return leases.lease(definition, body);
  }

  private ConnectionId known(JsonObject body) {
    if (!(body.getValue("id") instanceof String text)) {
      throw badRequest("the body must be {\"id\": string}");
    }
    return ConnectionId.parse(text)
        .filter(servers::containsKey)
        .orElseThrow(
            () ->
                McpFailure.notSent(
                    FailureCode.UNKNOWN_CONNECTION,
                    "no such server; there are " + servers.keySet()));
  }

  private Future<JsonObject> list() {
    List<Future<JsonObject>> statuses = new ArrayList<>();
    servers.keySet().forEach(id -> statuses.add(status(id)));
    return Future.join(statuses)
        .map(
            all -> {
              JsonArray list = new JsonArray();
              statuses.forEach(status -> list.add(status.result()));
              return new JsonObject().put("servers", list);
            });
  }

  private Future<JsonObject> get(ConnectionId id) {
    ServerDefinition definition = servers.get(id);
    return status(id)
        .map(
            status ->
                definition == null
                    ? status
                    : status.put("config", definition.view()).put("source", definition.source()));
  }

  /** A connection that is being redeployed has no address for a moment; it is still listed. */
  private Future<JsonObject> status(ConnectionId id) {
    return vertx
        .eventBus()
        .<JsonObject>request(Addresses.of(id, Addresses.STATUS), new JsonObject())
        .map(Message::body)
        .otherwise(
            failure ->
                new JsonObject()
                    .put("id", id.value())
                    .put("state", "CLOSED")
                    .put("status", "disconnected"));
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
