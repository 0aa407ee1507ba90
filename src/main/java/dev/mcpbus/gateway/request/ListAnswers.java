package dev.mcpbus.gateway.request;

import dev.mcpbus.bus.InstanceId;
import dev.mcpbus.bus.InvalidServers;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectorySnapshot;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.protocol.ProgressToken;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

/**
 * Answers {@code tools/list} and the other lists: with a page from the directory, or with what the
 * server of the view says to params that the directory does not know. Used as {@link
 * RequestRouter}.
 */
record ListAnswers(Vertx vertx, Directory directory, int pageSize, RequestRouter router) {

  /** The bytes of the result. */
  Future<RawJson> answer(GatewayCall call, ListKind kind) {
    GatewayRequest request = call.request();
    RawJson cursor = request.params().member("cursor");
    boolean noCursor = cursor != null && !cursor.isString();
    if (noCursor && !request.isAsIs()) {
      throw McpErrors.invalidParams("\"cursor\" must be a string");
    }
    DirectoryView view = request.view();
    if (kind == ListKind.TOOLS && view.searches()) {
      return Future.succeededFuture(ViewMetaTools.list(request.era()));
    }
    String capability = capability(kind);
    if (capability != null && router.refusedByServer(request, capability)) {
      return RequestRouter.toServer(call, kind.suffix);
    }
    if (noCursor || ListParams.goToServer(request)) {
      return byServer(call, kind);
    }
    return directory
        .listed(vertx, view, kind)
        .compose(
            known -> call.listed(kind).map(own -> call.seen(directory.snapshot(request.view()))))
        .compose(
            snapshot -> {
              RawJson page = page(snapshot, request, kind, cursor);
              if (page != null) {
                return Future.succeededFuture(page);
              }
              if (request.isAsIs()) {
                return byServer(call, kind);
              }
              throw McpErrors.staleCursor();
            });
  }

  /** The capability that a server with such a list states; null for skills, an extension. */
  private static @Nullable String capability(ListKind kind) {
    return switch (kind) {
      case TOOLS -> "tools";
      case PROMPTS -> "prompts";
      case RESOURCES, TEMPLATES -> "resources";
      case SKILLS -> null;
    };
  }

  /** The page of the client's view; null for a cursor that is none of it. */
  private @Nullable RawJson page(
      DirectorySnapshot snapshot, GatewayRequest request, ListKind kind, @Nullable RawJson cursor) {
    McpFailure refusal = snapshot.refusal(request.view(), kind);
    if (refusal != null) {
      throw refusal;
    }
    String after = cursor == null ? "" : cursor.asString();
    return snapshot.page(
        request.view(),
        kind,
        after.isEmpty() && (cursor == null || !request.isAsIs()) ? null : after,
        pageSize,
        request.era(),
        InstanceId.of(vertx),
        directory.reach().now(InvalidServers.of(vertx).reasons()));
  }

  /** The answer of the server of the view, to all that the client has written. */
  Future<RawJson> byServer(GatewayCall call, ListKind kind) {
    GatewayRequest request = call.request();
    return router.send(
        call, request.view().name(), kind.suffix, ProgressToken.removedFrom(request.params()));
  }
}
