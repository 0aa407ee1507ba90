package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.ServerNotice;
import dev.mcpbus.directory.DirectorySnapshot;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.gateway.request.HostMessage;
import dev.mcpbus.gateway.request.HostMessage.From;
import dev.mcpbus.gateway.request.ListChangeTracker;
import dev.mcpbus.gateway.request.WatchedResources;
import dev.mcpbus.protocol.EraMembers;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.eventbus.EventBus;
import java.util.Collection;

/**
 * What one {@code subscriptions/listen} stream of a {@code discover} client wants from the client's
 * own sessions. The HTTP verticle has the stream and tags what it gets from here. Confined to the
 * host's context.
 */
final class ClientStream {

  private final EventBus bus;
  private final String verticle;
  private final DirectoryView view;
  private final ListChangeTracker changes;
  final String exchange;
  final WatchedResources watched;

  /**
   * @param view with the client's rights; the stream ends when they change
   */
  ClientStream(
      EventBus bus, From from, DirectoryView view, WatchedResources.SubscriptionSender sender) {
    this.bus = bus;
    this.verticle = from.verticle();
    this.exchange = from.exchange();
    this.view = view;
    this.changes = new ListChangeTracker(view);
    this.watched = new WatchedResources(sender);
  }

  /** The address of the HTTP verticle. */
  String verticle() {
    return verticle;
  }

  /** The client hears of changes of these lists from now on. */
  void begins(DirectorySnapshot seen, Collection<ListKind> kinds) {
    kinds.forEach(kind -> changes.saw(seen, kind));
  }

  Collection<ListKind> kinds() {
    return changes.seen();
  }

  /** The client's own lists may have changed. */
  void changed(DirectorySnapshot seen) {
    for (String due : changes.due(seen)) {
      tell(due, RawJson.EMPTY_OBJECT);
    }
  }

  /**
   * The shared lists have changed: the HTTP verticle itself tells the client of several servers.
   */
  void noticed(DirectorySnapshot seen) {
    if (seen.hasSessions(view)) {
      changed(seen);
    } else {
      changes.due(seen);
    }
  }

  /** The client's own session with a server announces another list. */
  void announced(String server, String method, RawJson params) {
    if (view.server() && view.name().equals(server) && changes.announced(method)) {
      tell(method, EraMembers.forDiscover(params));
    }
  }

  /**
   * A server reports to this client that a resource has changed.
   *
   * @param seen the lists that the client sees
   * @param params by the server's own URI
   */
  void updated(DirectorySnapshot seen, String server, RawJson params) {
    for (RawJson named : watched.updates(view, seen.uris(view), server, params)) {
      tell(Methods.RESOURCE_UPDATED, named);
    }
  }

  /** This host does not have the client any more: it has to listen anew. */
  void end() {
    tell(HostMessage.ENDED, RawJson.EMPTY_OBJECT);
  }

  private void tell(String method, RawJson params) {
    ServerNotice.ofCall(bus, verticle, exchange, method, params);
  }
}
