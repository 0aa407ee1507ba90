package dev.mcpbus.gateway.request;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallerFacts;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.directory.ServerResource;
import dev.mcpbus.directory.ViewUris;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The resources that one client has subscribed to. Confined to the context of its session or
 * stream.
 */
public final class WatchedResources {

  /** Begins and ends subscriptions at servers. */
  @FunctionalInterface
  public interface SubscriptionSender {

    /**
     * @param params of the client's request; empty where the client did not ask
     * @return the server's result, empty over a connection that clients share; fails if the server
     *     refuses
     */
    Future<RawJson> tell(ServerResource resource, boolean wanted, RawJson params);
  }

  /** Requests at once: a connection keeps few of them until its server has started. */
  private static final int AT_ONCE = 64;

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
  public static SubscriptionSender shared(
      EventBus bus, String holder, Supplier<CallerFacts> owner) {
    return (resource, wanted, params) -> {
      CallerFacts caller = owner.get();
      JsonObject wish =
          new JsonObject()
              .put("server", resource.server())
              .put("uri", resource.uri())
              .put("holder", holder)
              .put("owner", caller.principal())
              .put("wanted", wanted);
      return bus.request(Addresses.GATEWAY_SUBSCRIBE, caller.into(wish), LOCAL)
          .map(RawJson.EMPTY_OBJECT);
    };
  }

  /**
   * Subscribes to {@code uri} at its server.
   *
   * @param name the client's URI of the resource
   * @param params of the client's request; empty where it was another request
   * @return the server's result; fails if the server refuses
   */
  public Future<RawJson> add(String server, String uri, String name, RawJson params) {
    ServerResource resource = new ServerResource(server, uri);
    byName.put(name, resource);
    return sender
        .tell(resource, true, params)
        .onSuccess(
            added -> {
              if (closed || !byName.containsValue(resource)) {
                sender.tell(resource, false, RawJson.EMPTY_OBJECT);
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

  /**
   * @param params of the client's request
   * @return the server's result; an empty object if the server needs not be told
   */
  public Future<RawJson> remove(String name, RawJson params) {
    ServerResource resource = byName.remove(name);
    if (resource == null || byName.containsValue(resource)) {
      return Future.succeededFuture(RawJson.EMPTY_OBJECT);
    }
    confirmed.remove(resource);
    return sender.tell(resource, false, params);
  }

  /** Whether a resource of that server is among them. */
  public boolean watches(String server) {
    return confirmed.stream().anyMatch(one -> one.server().equals(server));
  }

  /** The server has a new session for the client, without subscriptions: subscribes again. */
  public void renew(String server) {
    each(
        confirmed.stream().filter(one -> one.server().equals(server)).toList().iterator(),
        one ->
            confirmed.contains(one)
                ? sender.tell(one, true, RawJson.EMPTY_OBJECT)
                : Future.succeededFuture());
  }

  /** Sends a request for each item, {@value #AT_ONCE} at once; completes when all are answered. */
  public static <T> Future<Void> each(Iterator<T> items, Function<T, Future<?>> request) {
    List<Future<Void>> lanes = new ArrayList<>();
    while (items.hasNext() && lanes.size() < AT_ONCE) {
      lanes.add(next(items, request));
    }
    return Future.join(lanes).transform(done -> Future.succeededFuture());
  }

  private static <T> Future<Void> next(Iterator<T> items, Function<T, Future<?>> request) {
    return items.hasNext()
        ? request.apply(items.next()).transform(done -> next(items, request))
        : Future.succeededFuture();
  }

  /**
   * What the client gets when a server reports that a resource has changed: the params, once for
   * each of the client's URIs of the resource, or of the changed part of one.
   *
   * @param view with the client's present rights, which may be fewer than when it subscribed
   * @param uris of that view
   * @param params by the server's own URI
   */
  public List<RawJson> updates(DirectoryView view, ViewUris uris, String server, RawJson params) {
    RawJson member = params.member("uri");
    if (member == null || !member.isString()) {
      return List.of();
    }
    String own = member.asString();
    return names(view, uris, server, own).stream()
        .map(name -> name.equals(own) ? params : params.with("uri", RawJson.string(name)))
        .toList();
  }

  private List<String> names(DirectoryView view, ViewUris uris, String server, String uri) {
    if (!view.admits(ListKind.RESOURCES, server, uri) || !view.maySubscribe(server, uri)) {
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
    byName.values().stream()
        .distinct()
        .forEach(resource -> sender.tell(resource, false, RawJson.EMPTY_OBJECT));
    byName.clear();
    confirmed.clear();
  }
}
