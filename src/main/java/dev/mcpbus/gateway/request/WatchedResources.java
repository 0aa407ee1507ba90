package dev.mcpbus.gateway.request;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.directory.ServerResource;
import dev.mcpbus.directory.ViewUris;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The resources that one client has subscribed to. Confined to the context of its session or
 * stream.
 */
public final class WatchedResources {

  /** Begins and ends subscriptions at servers. */
  @FunctionalInterface
  public interface SubscriptionSender {

    /** Fails if the server refuses. */
    Future<Void> tell(ServerResource resource, boolean wanted);
  }

  private static final DeliveryOptions LOCAL = new DeliveryOptions().setLocalOnly(true);

  private final SubscriptionSender sender;
  private final Map<String, ServerResource> byName = new HashMap<>();

  /** Those that their servers have confirmed. */
  private final Set<ServerResource> confirmed = new HashSet<>();

  private boolean closed;

  public WatchedResources(SubscriptionSender sender) {
    this.sender = sender;
  }

  /**
   * Subscribes over the connections that all clients share.
   *
   * @param holder names the client among all clients of this node
   * @param owner the name of its principal
   */
  public static SubscriptionSender shared(EventBus bus, String holder, String owner) {
    return (resource, wanted) ->
        bus.request(
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

  /**
   * Subscribes to {@code uri} at its server.
   *
   * @param name the client's URI of the resource
   * @return true; fails if the server refuses
   */
  public Future<Boolean> add(String server, String uri, String name) {
    ServerResource resource = new ServerResource(server, uri);
    byName.put(name, resource);
    return sender
        .tell(resource, true)
        .map(true)
        .onSuccess(
            added -> {
              if (closed || !byName.containsValue(resource)) {
                sender.tell(resource, false);
              } else {
                confirmed.add(resource);
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
    if (resource == null || byName.containsValue(resource)) {
      return Future.succeededFuture();
    }
    confirmed.remove(resource);
    return sender.tell(resource, false);
  }

  /** Whether a resource of that server is among them. */
  public boolean watches(String server) {
    return confirmed.stream().anyMatch(one -> one.server().equals(server));
  }

  /** The server has a new session for the client, without subscriptions: subscribes again. */
  public void renew(String server) {
    confirmed.stream()
        .filter(one -> one.server().equals(server))
        .forEach(one -> sender.tell(one, true));
  }

  /**
   * The client's URIs of a resource that was updated, or of the updated part of a resource.
   *
   * @param view with the client's present rights, which may be fewer than when it subscribed
   * @param uris of that view
   */
  public List<String> names(
      DirectoryView view, ViewUris uris, @Nullable String server, @Nullable String uri) {
    if (server == null
        || uri == null
        || !view.includes(server)
        || !view.maySubscribe(server, uri)) {
      return List.of();
    }
    return byName.entrySet().stream()
        .filter(one -> one.getValue().server().equals(server))
        .filter(one -> view.maySubscribe(server, one.getValue().uri()))
        .map(one -> renamed(uris, one.getKey(), one.getValue(), uri))
        .filter(Objects::nonNull)
        .map(Objects::requireNonNull)
        .toList();
  }

  private static @Nullable String renamed(
      ViewUris uris, String name, ServerResource resource, String updated) {
    String watched = resource.uri();
    if (!updated.startsWith(watched)) {
      return null;
    }
    String rest = updated.substring(watched.length());
    if (rest.isEmpty()) {
      return name;
    }
    boolean part = watched.endsWith("/") || rest.startsWith("/");
    return part ? uris.name(resource.server(), updated, name + rest) : null;
  }

  /** The client has left: ends its subscriptions. */
  public void close() {
    closed = true;
    byName.values().stream().distinct().forEach(resource -> sender.tell(resource, false));
    byName.clear();
    confirmed.clear();
  }
}
