package dev.mcpbus.hosting;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.config.ServerDefinition;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The hosting of a node without a cluster: every connection runs on it. Confined to the context of
 * {@link ServersVerticle}.
 */
public final class LocalServerHosting implements ServerHosting {

  private final ConnectionHost connections;
  private final Map<ConnectionId, ServerDefinition> servers = new LinkedHashMap<>();

  public LocalServerHosting(ConnectionHost connections) {
    this.connections = connections;
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
  public Future<Boolean> add(ServerDefinition definition, boolean file) {
    if (servers.putIfAbsent(definition.id(), definition) != null) {
      return Future.succeededFuture(false);
    }
    return connections
        .start(definition)
        .map(true)
        .onFailure(failure -> servers.remove(definition.id(), definition));
  }

  @Override
  public Future<Void> replace(ServerDefinition definition) {
    servers.put(definition.id(), definition);
    return connections.replace(definition);
  }

  @Override
  public Future<Void> remove(ConnectionId id, boolean file) {
    servers.remove(id);
    return connections.end(id);
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
  public List<String> problems() {
    return List.of();
  }

  @Override
  public Future<Void> close() {
    return Future.succeededFuture();
  }
}
