package dev.mcpbus.gateway.request;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.directory.ServerResource;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The resources that one client has subscribed to. Confined to the context of its session or
 * stream.
 */
public final class WatchedResources {

  private static final DeliveryOptions LOCAL = new DeliveryOptions().setLocalOnly(true);

  private final EventBus bus;
  private final String holder;
  private final String owner;
  private final Map<String, ServerResource> byName = new HashMap<>();
  private boolean closed;

  /**
   * @param holder names the client among all clients of this node
   * @param owner the name of its principal
   */
  public WatchedResources(EventBus bus, String holder, String owner) {
    this.bus = bus;
    this.holder = holder;
    this.owner = owner;
  }

  /**
   * Subscribes to {@code uri} at its server.
   *
   * @param name the client's URI of the resource
   * @return true; fails if the server refuses
   */
  public Future<Boolean> add(String server, String uri, String name) {
    ServerResource resource = new ServerResource(server, uri);
    byName.put(name, resource);
    return tell(resource, true)
        .map(true)
        .onSuccess(
            added -> {
              if (closed) {
                tell(resource, false);
              }
            })
        .onFailure(refused -> byName.remove(name, resource));
  }

  public boolean has(String name) {
    return byName.containsKey(name);
  }

  /** The client's URIs. */
  public JsonArray uris() {
    return new JsonArray(List.copyOf(byName.keySet()));
  }

  public int size() {
    return byName.size();
  }

  public Future<Void> remove(String name) {
    ServerResource resource = byName.remove(name);
    return resource == null || byName.containsValue(resource)
        ? Future.succeededFuture()
        : tell(resource, false);
  }

  /**
   * The client's URIs of a resource that was updated, or of the updated part of a resource.
   *
   * @param view with the client's present rights, which may be fewer than when it subscribed
   */
  public List<String> names(DirectoryView view, @Nullable String server, @Nullable String uri) {
    if (server == null
        || uri == null
        || !view.includes(server)
        || !view.maySubscribe(server, uri)) {
      return List.of();
    }
    return byName.entrySet().stream()
        .filter(one -> one.getValue().server().equals(server))
        .filter(one -> view.maySubscribe(server, one.getValue().uri()))
        .map(one -> renamed(one.getKey(), one.getValue().uri(), uri))
        .filter(Objects::nonNull)
        .map(Objects::requireNonNull)
        .toList();
  }

  private static @Nullable String renamed(String name, String watched, String updated) {
    if (!updated.startsWith(watched)) {
      return null;
    }
    String rest = updated.substring(watched.length());
    boolean part = rest.isEmpty() || watched.endsWith("/") || rest.startsWith("/");
    return part ? name + rest : null;
  }

  /** The client has left: ends its subscriptions. */
  public void close() {
    closed = true;
    byName.values().stream().distinct().forEach(resource -> tell(resource, false));
    byName.clear();
  }

  private Future<Void> tell(ServerResource resource, boolean wanted) {
    return bus.request(
            Addresses.GATEWAY_SUBSCRIBE,
            new JsonObject()
                .put("server", resource.server())
                .put("uri", resource.uri())
                .put("holder", holder)
                .put("owner", owner)
                .put("wanted", wanted),
            LOCAL)
        .mapEmpty();
  }
}
