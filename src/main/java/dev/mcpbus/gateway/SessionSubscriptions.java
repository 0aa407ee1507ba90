package dev.mcpbus.gateway;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.directory.ListKind;
import dev.mcpbus.directory.ViewList;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The resources that a session's client has subscribed to. Confined to the session's host. */
final class SessionSubscriptions {

  private static final int MAX = 1_000;

  private final String session;
  private final RequestRouter router;
  private final SessionStore book;
  private final WatchedResources watched;

  SessionSubscriptions(
      EventBus bus, String session, String owner, RequestRouter router, SessionStore book) {
    this.session = session;
    this.router = router;
    this.book = book;
    this.watched = new WatchedResources(bus, session, owner);
  }

  /** The result of {@code resources/subscribe}. */
  Future<RawJson> add(GatewayRequest request, String uri) {
    request.about(null, uri);
    if (watched.size() >= MAX) {
      throw McpFailure.notSent(
          FailureCode.OVERLOADED, MAX + " resources are subscribed to already");
    }
    Future<ViewList.Target> found =
        router
            .subscribable(request.view(), uri)
            .onFailure(absent -> router.denied(request, ListKind.RESOURCES, uri));
    return watch(found, uri, server -> request.about(server, uri))
        .onSuccess(added -> note())
        .map(RawJson.EMPTY_OBJECT);
  }

  /** The result of {@code resources/unsubscribe}. */
  Future<RawJson> remove(String uri) {
    return watched.remove(uri).onSuccess(removed -> note()).map(RawJson.EMPTY_OBJECT);
  }

  /** Those of a session that goes on here. */
  void continueFrom(DirectoryView view, JsonObject facts) {
    for (Object uri : facts.getJsonArray(SessionStore.URIS, new JsonArray())) {
      String name = String.valueOf(uri);
      watch(router.subscribable(view, name), name, server -> {});
    }
  }

  private void note() {
    book.note(session, SessionStore.URIS, watched.uris());
  }

  /**
   * @param about hears which server has it
   */
  private Future<Boolean> watch(
      Future<ViewList.Target> subscribable, String uri, Consumer<String> about) {
    return subscribable.compose(
        found -> {
          about.accept(found.server());
          return watched.add(found.server(), found.key(), uri);
        });
  }

  /**
   * What the client calls a resource that was updated.
   *
   * @param view what he may see now: he may have had more rights when he subscribed
   */
  List<String> names(DirectoryView view, @Nullable String server, @Nullable String uri) {
    return watched.names(view, server, uri);
  }

  /** The session is over. */
  void close() {
    watched.close();
  }
}
