package dev.mcpbus.hosting;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerOrigin;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The hosting of a node without a cluster: every connection runs on it. Where the file names a
 * server that a caller had added at run time, the file counts. Confined to the context of {@link
 * ServersVerticle}.
 */
public final class LocalServerHosting implements ServerHosting {

  private static final Logger LOG = LoggerFactory.getLogger(LocalServerHosting.class);

  private final Vertx vertx;
  private final ConnectionHost connections;
  private final ServerEntryReader reader;
  private final KeptServers kept;
  private final Map<ConnectionId, ServerDefinition> servers = new LinkedHashMap<>();

  /** The removals that keep a server of the file away. */
  private final List<ConnectionId> away = new ArrayList<>();

  /**
   * @param reader reads the entries that callers added before the last end
   * @param kept what outlives the process
   */
  public LocalServerHosting(
      Vertx vertx, ConnectionHost connections, ServerEntryReader reader, KeptServers kept) {
    this.vertx = vertx;
    this.connections = connections;
    this.reader = reader;
    this.kept = kept;
  }

  @Override
  public Future<Void> start() {
    return Future.succeededFuture();
  }

  @Override
  public Map<ConnectionId, ServerDefinition> servers() {
    return servers;
  }

  @Override
  public Set<ConnectionId> ids() {
    return servers.keySet();
  }

  @Override
  public Future<Void> refresh(ConnectionId id) {
    return Future.succeededFuture();
  }

  @Override
  public Future<Boolean> add(ServerDefinition definition, Addition why) {
    ConnectionId id = definition.id();
    KeptServer change = kept.get(id);
    if (why == Addition.START && change != null && change.isRemovalOf(definition)) {
      LOG.info(
          "{}: server '{}' was removed at run time and stays away; change its entry, or add it, to"
              + " have it back",
          definition.source(),
          id);
      away.add(id);
      return Future.succeededFuture(false);
    }
    if (servers.putIfAbsent(id, definition) != null) {
      return Future.succeededFuture(false);
    }
    return connections
        .start(definition)
        .onFailure(failure -> servers.remove(id, definition))
        .compose(
            started ->
                why == Addition.CALLER
                    ? kept.added(definition, kept.next(id))
                    : why == Addition.FILE ? kept.forget(id) : Future.succeededFuture())
        .map(true);
  }

  @Override
  public Future<List<ConnectionId>> begin(List<ServerDefinition> definitions) {
    List<ConnectionId> added = new ArrayList<>();
    return Future.join(
            definitions.stream()
                .map(
                    one ->
                        add(one, Addition.START)
                            .onSuccess(
                                mine -> {
                                  if (mine) {
                                    added.add(one.id());
                                  }
                                }))
                .toList())
        .map(added);
  }

  @Override
  public Future<List<ConnectionId>> restore() {
    List<ConnectionId> restored = new ArrayList<>();
    List<Future<Void>> steps = new ArrayList<>();
    kept.all()
        .forEach(
            (id, change) -> {
              ServerOrigin origin = change.origin();
              if (origin != null && !servers.containsKey(id)) {
                steps.add(restore(id, origin, change.source(), restored));
              } else if (!away.contains(id)) {
                LOG.info("{}: the file counts now, the {} is forgotten", id, change);
                steps.add(kept.forget(id));
              }
            });
    return Future.join(steps).map(restored).otherwise(restored);
  }

  private Future<Void> restore(
      ConnectionId id, ServerOrigin origin, String source, List<ConnectionId> restored) {
    return vertx
        .executeBlocking(() -> reader.read(origin, source), false)
        .compose(
            definition -> {
              servers.put(id, definition);
              return connections.start(definition);
            })
        .onSuccess(started -> restored.add(id))
        .onFailure(
            failure -> {
              servers.remove(id);
              LOG.warn(
                  "server '{}' was added at run time and cannot be started again: {}",
                  id,
                  failure.getMessage());
            });
  }

  @Override
  public Future<Void> replace(ServerDefinition definition) {
    servers.put(definition.id(), definition);
    return connections.replace(definition).compose(replaced -> kept.forget(definition.id()));
  }

  @Override
  public Future<List<String>> remove(ConnectionId id, boolean file) {
    ServerDefinition definition = servers.remove(id);
    ServerOrigin origin = definition == null ? null : definition.origin();
    KeptServer change = kept.get(id);
    boolean added = change != null && change.origin() != null;
    Future<Void> written =
        file || added || origin == null
            ? kept.forget(id)
            : kept.removed(id, KeptServer.removed(kept.next(id), KeptServer.digest(origin)));
    return connections.end(id).eventually(() -> written).map(List.of());
  }

  @Override
  public JsonObject describe(ConnectionId id, JsonObject status) {
    return status;
  }

  @Override
  public Future<@Nullable String> nodeForPrivateConnection(ServerDefinition definition) {
    return Future.succeededFuture();
  }

  @Override
  public @Nullable PrivateConnectionPeers privateConnectionPeers() {
    return null;
  }

  @Override
  public @Nullable String node() {
    return null;
  }

  @Override
  public int serving() {
    return 0;
  }

  @Override
  public List<JsonObject> nodes() {
    return List.of(
        new JsonObject()
            .put("name", "local")
            .put("labels", new JsonArray())
            .put("weight", 1.0)
            .put("self", true)
            .put("leaving", false)
            .put("connections", servers.size()));
  }

  @Override
  public String nodeNamed(String name) {
    throw alone();
  }

  @Override
  public Future<JsonObject> drain() {
    return Future.failedFuture(alone());
  }

  private static McpFailure alone() {
    return McpFailure.badRequest(
        "this mcpbus is not in a cluster, so no other node can take its connections; stop its"
            + " process, or start it with --cluster");
  }

  @Override
  public List<String> problems() {
    return List.of();
  }

  @Override
  public List<String> notes() {
    return List.of();
  }

  @Override
  public Future<Void> close() {
    return Future.succeededFuture();
  }
}
