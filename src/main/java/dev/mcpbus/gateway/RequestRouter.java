package dev.mcpbus.gateway;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.InstanceId;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.bus.RoutingName;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.directory.DirectorySnapshot;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.directory.ListKind;
import dev.mcpbus.directory.MetaTools;
import dev.mcpbus.directory.PolicyCheck;
import dev.mcpbus.directory.ResourceCandidates;
import dev.mcpbus.directory.ViewList;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ParamHeaders;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ResultType;
import dev.mcpbus.security.Rights;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the server behind a request of a client and has it answered: lists from the directory, all
 * else over the bus. Knows no client. Futures complete on the caller's context and fail with {@link
 * McpFailure} only.
 */
final class RequestRouter {

  private final Vertx vertx;
  private final RequestSender bus;
  private final Directory directory;
  private final int pageSize;
  private final ViewMetaTools meta;

  RequestRouter(Vertx vertx, Directory directory, int pageSize) {
    this.vertx = vertx;
    this.bus = RequestSender.of(vertx);
    this.directory = directory;
    this.pageSize = pageSize;
    this.meta = new ViewMetaTools(vertx, directory);
  }

  /** The result's bytes. */
  Future<RawJson> route(GatewayRequest gatewayRequest) {
    try {
      return routed(gatewayRequest).recover(failure -> Future.failedFuture(McpErrors.of(failure)));
    } catch (RuntimeException e) {
      return Future.failedFuture(McpErrors.of(e));
    }
  }

  private Future<RawJson> routed(GatewayRequest gatewayRequest) {
    return switch (gatewayRequest.method()) {
      case Methods.TOOLS_CALL -> tool(gatewayRequest);
      case Methods.PROMPTS_GET ->
          named(
              gatewayRequest,
              ListKind.PROMPTS,
              Addresses.PROMPTS_GET,
              gatewayRequest.params(),
              gatewayRequest::check);
      case Methods.TOOLS_LIST -> list(gatewayRequest, ListKind.TOOLS);
      case Methods.PROMPTS_LIST -> list(gatewayRequest, ListKind.PROMPTS);
      case Methods.RESOURCES_LIST -> list(gatewayRequest, ListKind.RESOURCES);
      case Methods.RESOURCES_TEMPLATES -> list(gatewayRequest, ListKind.TEMPLATES);
      case Methods.RESOURCES_READ ->
          resources(gatewayRequest.view(), GatewayRequest.text(gatewayRequest.params(), "uri"))
              .compose(found -> read(gatewayRequest, found, 0));
      case Methods.COMPLETE -> complete(gatewayRequest);
      default -> Future.failedFuture(McpErrors.methodNotFound(gatewayRequest.method()));
    };
  }

  // ---- lists

  private Future<RawJson> list(GatewayRequest gatewayRequest, ListKind kind) {
    RawJson cursor = gatewayRequest.params().member("cursor");
    if (cursor != null && !cursor.isString()) {
      throw McpErrors.invalidParams("\"cursor\" must be a string");
    }
    DirectoryView view = gatewayRequest.view();
    if (kind == ListKind.TOOLS && view.searches()) {
      return Future.succeededFuture(ViewMetaTools.list(gatewayRequest.isModern()));
    }
    return directory
        .ready(vertx, view, List.of(kind))
        .compose(
            known -> gatewayRequest.listed(kind).map(gatewayRequest.seen(directory.snapshot())))
        .map(
            snapshot -> {
              requireUp(view, snapshot);
              RawJson page =
                  snapshot.page(
                      view,
                      kind,
                      cursor == null ? null : cursor.asString(),
                      pageSize,
                      gatewayRequest.isModern(),
                      InstanceId.of(vertx));
              if (page == null) {
                throw McpErrors.invalidParams("the cursor is not good any more; list anew");
              }
              return page;
            });
  }

  private static void requireUp(DirectoryView view, DirectorySnapshot snapshot) {
    if (!view.options().closed()) {
      return;
    }
    List<String> wanted = view.options().servers();
    List<String> down =
        wanted.isEmpty()
            ? snapshot.servers().stream()
                .filter(server -> !server.up() && view.includes(server.id().value()))
                .map(server -> server.id().value())
                .toList()
            : wanted.stream()
                .filter(id -> !isUp(snapshot.server(id)) && view.rights().sees(id))
                .toList();
    if (!down.isEmpty()) {
      throw McpFailure.notSent(
          FailureCode.UNAVAILABLE,
          "view '" + view.name() + "' lists nothing while a server of it is down: " + down);
    }
  }

  private static boolean isUp(@Nullable DirectoryEntry server) {
    return server != null && server.up();
  }

  // ---- tools and prompts

  private Future<RawJson> tool(GatewayRequest gatewayRequest) {
    String name = GatewayRequest.text(gatewayRequest.params(), "name");
    if (!gatewayRequest.view().searches() || !MetaTools.isMeta(name)) {
      return named(
          gatewayRequest,
          ListKind.TOOLS,
          Addresses.TOOLS_CALL,
          gatewayRequest.params(),
          gatewayRequest::check);
    }
    gatewayRequest.about(null, name);
    // What the client repeats in headers is of the tool that it was shown.
    return meta.answer(
        gatewayRequest,
        name,
        params ->
            named(gatewayRequest, ListKind.TOOLS, Addresses.TOOLS_CALL, params, target -> {}));
  }

  /**
   * @param params of the call, perhaps others than the client's own
   * @param check throws what there is against the call, once it is known where it goes
   */
  private Future<RawJson> named(
      GatewayRequest gatewayRequest,
      ListKind kind,
      String suffix,
      RawJson params,
      Consumer<ViewList.Target> check) {
    String name = GatewayRequest.text(params, "name");
    gatewayRequest.about(null, name);
    return find(gatewayRequest, kind, name)
        .onFailure(failure -> denied(gatewayRequest, kind, name))
        .compose(
            target -> {
              gatewayRequest.about(target.server(), target.key());
              check.accept(target);
              return call(
                  gatewayRequest,
                  target.server(),
                  suffix,
                  target.key().equals(name)
                      ? params
                      : params.with("name", RawJson.string(target.key())));
            })
        .recover(failure -> Future.failedFuture(plain(gatewayRequest, kind, name, failure)));
  }

  /** Notes where others would have found it. */
  void denied(GatewayRequest gatewayRequest, ListKind kind, String name) {
    DirectoryView view = gatewayRequest.view();
    if (!view.rights().isUnbounded()
        && directory.snapshot().list(view.whole(), kind).find(name) != null) {
      gatewayRequest.deny();
    }
  }

  /** A server that does not know a tool names others, which this client may not know of. */
  private static Throwable plain(
      GatewayRequest gatewayRequest, ListKind kind, String name, Throwable failure) {
    return !gatewayRequest.view().rights().isUnbounded()
            && McpFailure.of(failure).code() == FailureCode.UNKNOWN_TOOL
        ? McpErrors.unknown(kind, name)
        : failure;
  }

  private Future<ViewList.Target> find(GatewayRequest gatewayRequest, ListKind kind, String name) {
    DirectoryView view = gatewayRequest.view();
    ViewList.Target known = gatewayRequest.seen(directory.snapshot()).list(view, kind).find(name);
    if (known != null) {
      return Future.succeededFuture(known);
    }
    return directory
        .ready(vertx, view, List.of(kind))
        .map(gatewayRequest::seen)
        .map(
            snapshot -> {
              ViewList.Target listed = snapshot.list(view, kind).find(name);
              return listed == null ? unlisted(snapshot, view, kind, name) : listed;
            });
  }

  /** A server that could not be asked for its list may still know the name. */
  private static ViewList.Target unlisted(
      DirectorySnapshot snapshot, DirectoryView view, ListKind kind, String name) {
    Optional<ToolName> read =
        view.server() ? Optional.of(new ToolName(view.name(), name)) : RoutingName.parse(name);
    return read.filter(tool -> snapshot.server(tool.server()) != null)
        .filter(tool -> view.admits(kind, tool.server(), tool.tool()))
        .filter(tool -> view.nameOf(tool.server(), tool.tool()).equals(name))
        .filter(tool -> !snapshot.list(view, kind).collides(name))
        .filter(tool -> view.server() || isUnknown(snapshot.server(tool.server()), kind))
        .map(tool -> new ViewList.Target(tool.server(), tool.tool(), name, ParamHeaders.NONE))
        .orElseThrow(() -> McpErrors.unknown(kind, name));
  }

  /** A server that keeps sessions may offer more to one client than it lists to all. */
  private static boolean isUnknown(@Nullable DirectoryEntry server, ListKind kind) {
    return server == null || server.list(kind) == null || !server.modern();
  }

  // ---- resources

  /** Where a URI may be read: by the one server that lists it, else by those that may know it. */
  Future<List<ViewList.Target>> resources(DirectoryView view, String uri) {
    ViewList.Target known = directory.snapshot().list(view, ListKind.RESOURCES).find(uri);
    if (known != null) {
      return Future.succeededFuture(List.of(known));
    }
    return directory
        .ready(vertx, view, List.of(ListKind.RESOURCES, ListKind.TEMPLATES))
        .map(snapshot -> ResourceCandidates.of(snapshot, view, uri));
  }

  /** Whom to tell that the client wants to hear of a resource; fails where he may not. */
  Future<ViewList.Target> subscribable(DirectoryView view, String uri) {
    return resources(view, uri)
        .map(
            found -> {
              if (found.isEmpty()
                  || !view.maySubscribe(found.get(0).server(), found.get(0).key())) {
                throw McpErrors.rpc(
                    JsonRpcError.RESOURCE_NOT_FOUND, "Resource not found: " + McpErrors.shown(uri));
              }
              return found.get(0);
            });
  }

  /** Asks one after the other while they say that they do not know it. */
  private Future<RawJson> read(
      GatewayRequest gatewayRequest, List<ViewList.Target> found, int next) {
    if (found.isEmpty()) {
      String uri = GatewayRequest.text(gatewayRequest.params(), "uri");
      gatewayRequest.about(null, uri);
      denied(gatewayRequest, ListKind.RESOURCES, uri);
      return Future.failedFuture(McpErrors.unknownResource(gatewayRequest, uri));
    }
    ViewList.Target target = found.get(next);
    gatewayRequest.about(target.server(), target.key());
    RawJson params =
        target.key().equals(target.name())
            ? gatewayRequest.params()
            : gatewayRequest.params().with("uri", RawJson.string(target.key()));
    Future<RawJson> read =
        call(gatewayRequest, target.server(), Addresses.RESOURCES_READ, params)
            .map(result -> gatewayRequest.isModern() ? hinted(result) : result);
    return next + 1 == found.size()
        ? read
        : read.recover(
            failure ->
                ResourceCandidates.isNotFound(McpFailure.of(failure))
                    ? read(gatewayRequest, found, next + 1)
                    : Future.failedFuture(failure));
  }

  /** A server of the other era does not say how long its result may be kept. */
  private static RawJson hinted(RawJson result) {
    RawJson type = result.member(ResultType.MEMBER);
    if (type != null && !type.equals(ResultType.COMPLETE_JSON)) {
      return result;
    }
    RawJson timed = result.member("ttlMs") == null ? result.with("ttlMs", RawJson.of("0")) : result;
    return timed.member("cacheScope") == null
        ? timed.with("cacheScope", RawJson.string("private"))
        : timed;
  }

  // ---- completion

  private Future<RawJson> complete(GatewayRequest gatewayRequest) {
    RawJson ref = gatewayRequest.params().member("ref");
    RawJson type = ref == null ? null : ref.member("type");
    if (ref == null || type == null || !type.isString()) {
      throw McpErrors.invalidParams("\"ref\" must be an object with a \"type\"");
    }
    return switch (type.asString()) {
      case "ref/prompt" ->
          find(gatewayRequest, ListKind.PROMPTS, GatewayRequest.text(ref, "name"))
              .onFailure(absent -> denied(gatewayRequest, ListKind.PROMPTS, GatewayRequest.text(ref, "name")))
              .compose(target -> complete(gatewayRequest, ref, "name", target));
      case "ref/resource" ->
          template(gatewayRequest.view(), GatewayRequest.text(ref, "uri"))
              .onFailure(absent -> denied(gatewayRequest, ListKind.RESOURCES, GatewayRequest.text(ref, "uri")))
              .compose(target -> complete(gatewayRequest, ref, "uri", target));
      default -> throw McpErrors.invalidParams("\"ref.type\" must be ref/prompt or ref/resource");
    };
  }

  private Future<ViewList.Target> template(DirectoryView view, String uri) {
    return directory
        .ready(vertx, view, List.of(ListKind.TEMPLATES))
        .compose(
            snapshot -> {
              ViewList.Target template = snapshot.list(view, ListKind.TEMPLATES).find(uri);
              return template != null
                  ? Future.succeededFuture(template)
                  : resources(view, uri)
                      .map(
                          found -> {
                            if (found.isEmpty()) {
                              throw McpErrors.invalidParams(
                                  "Unknown resource: " + McpErrors.shown(uri));
                            }
                            return found.get(0);
                          });
            });
  }

  private Future<RawJson> complete(
      GatewayRequest gatewayRequest, RawJson ref, String member, ViewList.Target target) {
    RawJson params =
        target.key().equals(target.name())
            ? gatewayRequest.params()
            : gatewayRequest.params().with("ref", ref.with(member, RawJson.string(target.key())));
    gatewayRequest.about(target.server(), target.key());
    return call(gatewayRequest, target.server(), Addresses.COMPLETION, params);
  }

  // ---- the bus

  /**
   * Has it answered by the connection that serves this client for {@code server}. Everything that
   * leaves for a server passes the check here, as it leaves: by its server's names.
   */
  Future<RawJson> call(
      GatewayRequest gatewayRequest, String server, String suffix, RawJson params) {
    Rights rights = gatewayRequest.view().rights();
    if (!rights.isUnbounded() && !rights.permits(PolicyCheck.toServer(server, suffix, params))) {
      gatewayRequest.deny();
      return Future.failedFuture(McpErrors.absent(gatewayRequest));
    }
    Future<RawJson> elsewhere = gatewayRequest.delegate(server, suffix, params);
    if (elsewhere != null) {
      return elsewhere.map(result -> typed(gatewayRequest, server, result));
    }
    return gatewayRequest
        .upstream(new ConnectionId(server))
        .compose(
            at -> {
              if (!gatewayRequest.send(at)) {
                return Future.failedFuture(
                    McpFailure.notSent(FailureCode.CANCELLED, "cancelled before it was sent"));
              }
              return bus.<Buffer>request(
                      at,
                      Addresses.of(at, suffix),
                      gatewayRequest.adapt(server, params).toBuffer(),
                      gatewayRequest.options())
                  .map(reply -> RawJson.of(reply.body()));
            })
        .map(result -> gatewayRequest.isModern() ? typed(gatewayRequest, server, result) : result);
  }

  /** What a server of the other era answers is complete, and must say so. */
  private RawJson typed(GatewayRequest gatewayRequest, String server, RawJson result) {
    DirectoryEntry facts = directory.snapshot().server(server);
    if ((facts != null && facts.modern()) || result.member(ResultType.MEMBER) != null) {
      return result;
    }
    if (result.length() < MessageWriter.LONG) {
      return result.withNew(ResultType.MEMBER, ResultType.COMPLETE_JSON);
    }
    gatewayRequest.stateComplete(); // by whoever writes it: here it would be copied
    return result;
  }
}
