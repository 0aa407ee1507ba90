package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.ServerNotice;
import dev.mcpbus.directory.DirectorySnapshot;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.gateway.dialect.Dialect;
import dev.mcpbus.gateway.dialect.Initialize;
import dev.mcpbus.gateway.request.HostMessage;
import dev.mcpbus.gateway.request.HostMessage.From;
import dev.mcpbus.gateway.request.ListChangeTracker;
import dev.mcpbus.gateway.request.SessionHostNames;
import dev.mcpbus.gateway.request.WatchedResources;
import dev.mcpbus.protocol.EraMembers;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.eventbus.EventBus;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where a client hears of lists and resources: the standalone stream of a session, or a {@code
 * subscriptions/listen} stream of a {@code discover} client. The HTTP verticle has the latter and
 * tags what it gets from here. Confined to the host's context.
 */
final class ClientStream {

  private final Dialect dialect;
  private final @Nullable String verticle;
  private final BooleanSupplier read;
  private final BiConsumer<String, RawJson> out;
  private DirectoryView view;
  final ListChangeTracker changes;
  final WatchedResources watched;

  private ClientStream(
      Dialect dialect,
      @Nullable String verticle,
      BooleanSupplier read,
      BiConsumer<String, RawJson> out,
      DirectoryView view,
      WatchedResources.SubscriptionSender sender) {
    this.dialect = dialect;
    this.verticle = verticle;
    this.read = read;
    this.out = out;
    this.view = view;
    this.changes = new ListChangeTracker(view);
    this.watched = new WatchedResources(sender);
  }

  /** The standalone stream of a session. */
  static ClientStream standing(
      SessionStreams streams, DirectoryView view, WatchedResources.SubscriptionSender sender) {
    return new ClientStream(
        Dialect.INITIALIZE,
        null,
        () -> streams.standing().isRead(),
        (method, params) -> streams.standing().send(Initialize.notification(method, params)),
        view,
        sender);
  }

  /**
   * A response with which a client listens.
   *
   * @param view with the client's rights; the stream ends when they change
   */
  static ClientStream listening(
      EventBus bus, From from, DirectoryView view, WatchedResources.SubscriptionSender sender) {
    return new ClientStream(
        Dialect.DISCOVER,
        from.verticle(),
        () -> true,
        (method, params) ->
            ServerNotice.ofCall(bus, from.verticle(), from.exchange(), method, params),
        view,
        sender);
  }

  /** Whether the client reads it. */
  boolean isRead() {
    return read.getAsBoolean();
  }

  /** Whether its HTTP verticle was on a node that has left. */
  boolean isLost(String node) {
    return verticle != null
        && SessionHostNames.isOn(node, verticle.substring(verticle.lastIndexOf('.') + 1));
  }

  /** The client has these rights from now on. */
  void look(DirectoryView now) {
    view = now;
    changes.look(now);
  }

  /** The client hears of changes of these lists from now on. */
  void begins(DirectorySnapshot seen, Set<ListKind> kinds) {
    kinds.forEach(kind -> changes.saw(seen, kind));
  }

  /** The client's own lists may have changed. */
  void changed(DirectorySnapshot seen) {
    changes.due(seen).forEach(due -> out.accept(due, RawJson.EMPTY_OBJECT));
  }

  /** The shared lists have changed. */
  void noticed(DirectorySnapshot seen) {
    if (dialect.hearsShared() || seen.hasSessions(view)) {
      changed(seen);
    } else {
      changes.due(seen);
    }
  }

  /**
   * A server announces another list. The client of this server alone gets each announcement as the
   * server sent it; at other views the lists are compared.
   */
  void announced(String server, String method, RawJson params) {
    if (view.server()
        && view.name().equals(server)
        && view.includes(server)
        && (changes.announced(method) || dialect.hearsUnread())) {
      out.accept(method, dialect.hearsUnread() ? params : EraMembers.forDiscover(params));
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
      out.accept(Methods.RESOURCE_UPDATED, named);
    }
  }

  /**
   * The client's own session with a server reports that a resource has changed. At the endpoint of
   * this server the report passes as it is: servers also report parts of a resource, and what no
   * client has subscribed to.
   */
  void updatedByOwn(DirectorySnapshot seen, String server, RawJson params) {
    if (dialect.hearsUnread() && view.server() && view.rights().isUnbounded()) {
      out.accept(Methods.RESOURCE_UPDATED, params);
    } else {
      updated(seen, server, params);
    }
  }

  /** This host does not have the client any more: one that listens has to do it anew. */
  void end() {
    if (verticle == null) {
      watched.close();
    } else {
      out.accept(HostMessage.ENDED, RawJson.EMPTY_OBJECT);
    }
  }
}
