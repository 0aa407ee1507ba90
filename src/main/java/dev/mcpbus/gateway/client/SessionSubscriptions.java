package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.directory.ServerResource;
import dev.mcpbus.directory.ViewList;
import dev.mcpbus.gateway.request.GatewayCall;
import dev.mcpbus.gateway.request.WatchedResources;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.function.Consumer;

/**
 * The resources that the client of one session has subscribed to. Confined to the session's host.
 */
final class SessionSubscriptions {

  private static final int MAX = 1_000;

  private final HostParts host;
  private final GatewaySession of;
  private final String session;
  private final WatchedResources.SubscriptionSender shared;
  private final WatchedResources watched;

  SessionSubscriptions(HostParts host, GatewaySession of) {
    this.host = host;
    this.of = of;
    this.session = of.id;
    this.shared = WatchedResources.shared(host.vertx().eventBus(), of.id, of.owner());
    this.watched = new WatchedResources(this::tell);
  }

  /** Over the session's own connection, because its calls change what that session sees. */
  private Future<RawJson> tell(ServerResource resource, boolean wanted, RawJson params) {
    ConnectionId server = new ConnectionId(resource.server());
    ClientConnections connections = of.servers.connections;
    if (!wanted && !connections.has(server)) {
      return shared.tell(resource, false, params);
    }
    return of.servers
        .watching(server)
        .compose(
            at ->
                at.shared()
                    ? shared.tell(resource, wanted, params)
                    : connections.subscription(at.id(), resource, session, wanted, params));
  }

  /** Whether the client subscribes to a URI. */
  boolean has(String uri) {
    return watched.has(uri);
  }

  /** Whether the client subscribes to a resource of that server. */
  boolean watches(String server) {
    return watched.watches(server);
  }

  /** Subscribes again at a server that has a new session for the client. */
  void renew(String server) {
    watched.renew(server);
  }

  /** The result of {@code resources/subscribe}. */
  Future<RawJson> add(GatewayCall call, String uri) {
    call.about(null, uri);
    if (watched.size() >= MAX) {
      throw McpFailure.notSent(
          FailureCode.OVERLOADED, MAX + " resources are subscribed to already");
    }
    Future<ViewList.Target> found =
        host.router()
            .subscribable(call.request().view(), uri)
            .onFailure(absent -> host.router().noteDenied(call, ListKind.RESOURCES, uri));
    return watch(found, uri, call.request().params(), server -> call.about(server, uri))
        .onSuccess(added -> note());
  }

  /** The result of {@code resources/unsubscribe}. */
  Future<RawJson> remove(String uri, RawJson params) {
    return watched.remove(uri, params).onSuccess(removed -> note());
  }

  /** Subscribes again to what the facts of a resumed session name. */
  void continueFrom(DirectoryView view, JsonObject facts) {
    for (Object uri : facts.getJsonArray(SessionStore.URIS, new JsonArray())) {
      String name = String.valueOf(uri);
      watch(host.router().subscribable(view, name), name, RawJson.EMPTY_OBJECT, server -> {});
    }
  }

  private void note() {
    host.store().note(session, SessionStore.URIS, watched.uris());
  }

  /**
   * @param about receives the server that has the resource
   */
  private Future<RawJson> watch(
      Future<ViewList.Target> subscribable, String uri, RawJson params, Consumer<String> about) {
    return subscribable.compose(
        found -> {
          about.accept(found.server());
          return watched.add(found.server(), found.key(), uri, params);
        });
  }

  /** As {@link WatchedResources#updates}. */
  List<RawJson> updates(DirectoryView view, String server, RawJson params) {
    return watched.updates(view, host.directory().snapshot().uris(view), server, params);
  }

  /** Ends all subscriptions. */
  void close() {
    watched.close();
  }
}
