package dev.mcpbus.gateway.request;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.InstanceId;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.MethodAddress;
import dev.mcpbus.bus.RoutingName;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.directory.DirectorySnapshot;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.directory.MetaTools;
import dev.mcpbus.directory.ResourceCandidates;
import dev.mcpbus.directory.ViewList;
import dev.mcpbus.policy.PolicyCheck;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ParamHeaders;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Rights;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests of clients: lists from the directory, everything else by the server that the
 * request names. It finds that server by the names of the client's view, checks the policy, and
 * gives the request to its {@link GatewayCall} to send. It knows nothing of HTTP and decides
 * nothing by the client's era: pages and errors are written in it. Futures complete on the caller's
 * context and fail with {@link McpFailure} only.
 */
public final class RequestRouter {

  private final Vertx vertx;
  private final Directory directory;
  private final int pageSize;
  private final ViewMetaTools meta;
  private final SkillRequests skills;

  public RequestRouter(Vertx vertx, Directory directory, int pageSize) {
    this.vertx = vertx;
    this.directory = directory;
    this.pageSize = pageSize;
    this.meta = new ViewMetaTools(vertx, directory);
    this.skills = new SkillRequests(vertx, directory, this);
  }

  /** Returns the bytes of the result. */
  public Future<RawJson> route(GatewayCall call) {
    GatewayRequest request = call.request();
    return McpErrors.guarded(
        () ->
            switch (request.method()) {
              case Methods.TOOLS_CALL ->
                  request.view().searches()
                      ? searched(call)
                      : named(call, ListKind.TOOLS, request.params(), call::check);
              case Methods.PROMPTS_GET ->
                  named(call, ListKind.PROMPTS, request.params(), call::check);
              case Methods.TOOLS_LIST -> list(call, ListKind.TOOLS);
              case Methods.PROMPTS_LIST -> list(call, ListKind.PROMPTS);
              case Methods.RESOURCES_LIST -> list(call, ListKind.RESOURCES);
              case Methods.RESOURCES_TEMPLATES -> list(call, ListKind.TEMPLATES);
              case Methods.RESOURCES_READ ->
                  resources(request.view(), request.text("uri"))
                      .compose(found -> read(call, found, 0));
              case Methods.SKILLS_LIST -> list(call, ListKind.SKILLS);
              case Methods.SKILLS_GET, Methods.DIRECTORY_READ -> skills.route(call);
              case Methods.COMPLETE -> complete(call);
              default -> throw McpErrors.methodNotFound(request.method());
            });
  }

  // ---- lists

  private Future<RawJson> list(GatewayCall call, ListKind kind) {
    GatewayRequest request = call.request();
    RawJson cursor = request.params().member("cursor");
    if (cursor != null && !cursor.isString()) {
      throw McpErrors.invalidParams("\"cursor\" must be a string");
    }
    DirectoryView view = request.view();
    if (kind == ListKind.TOOLS && view.searches()) {
      return Future.succeededFuture(ViewMetaTools.list(request.era()));
    }
    return directory
        .ready(vertx, view, List.of(kind))
        .compose(known -> call.listed(kind).map(call.seen(directory.snapshot())))
        .map(
            snapshot -> {
              requireUp(view, snapshot);
              RawJson page =
                  snapshot.page(
                      view,
                      kind,
                      cursor == null ? null : cursor.asString(),
                      pageSize,
                      request.era(),
                      InstanceId.of(vertx));
              if (page == null) {
                throw McpErrors.staleCursor();
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

  /** A call of a tool in a view that shows three tools in place of all. */
  private Future<RawJson> searched(GatewayCall call) {
    GatewayRequest request = call.request();
    String name = request.text("name");
    if (!MetaTools.isMeta(name)) {
      return named(call, ListKind.TOOLS, request.params(), call::check);
    }
    call.about(null, name);
    // The headers that the client repeats belong to the tool that it was shown: no check.
    return meta.answer(request, name, params -> named(call, ListKind.TOOLS, params, target -> {}));
  }

  /**
   * Calls a tool or gets a prompt.
   *
   * @param params of the call; those that a meta tool calls a tool with are not the client's own
   * @param check throws a failure if the call may not go to that target
   */
  private Future<RawJson> named(
      GatewayCall call, ListKind kind, RawJson params, Consumer<ViewList.Target> check) {
    String name = GatewayRequest.text(params, "name");
    call.about(null, name);
    return find(call, kind, name)
        .onFailure(failure -> noteDenied(call, kind, name))
        .compose(
            target -> {
              call.about(target.server(), target.key());
              check.accept(target);
              return send(
                  call,
                  target.server(),
                  kind == ListKind.TOOLS ? Addresses.TOOLS_CALL : Addresses.PROMPTS_GET,
                  target.key().equals(name)
                      ? params
                      : params.with("name", RawJson.string(target.key())));
            })
        .recover(
            failure -> Future.failedFuture(McpErrors.plain(call.request(), kind, name, failure)));
  }

  /** Notes a denial for the audit log if a client with all rights would find the name. */
  public void noteDenied(GatewayCall call, ListKind kind, String name) {
    DirectoryView view = call.request().view();
    if (!view.rights().isUnbounded()
        && directory.snapshot().list(view.whole(), kind).find(name) != null) {
      call.deny();
    }
  }

  private Future<ViewList.Target> find(GatewayCall call, ListKind kind, String name) {
    DirectoryView view = call.request().view();
    ViewList.Target known = call.seen(directory.snapshot()).list(view, kind).find(name);
    if (known != null) {
      call.listed(known);
      return Future.succeededFuture(known);
    }
    return directory
        .ready(vertx, view, List.of(kind))
        .map(call::seen)
        .map(
            snapshot -> {
              ViewList.Target listed = snapshot.list(view, kind).find(name);
              if (listed == null) {
                return unlisted(snapshot, view, kind, name);
              }
              call.listed(listed);
              return listed;
            });
  }

  /** A server whose list could not be fetched may still know the name. */
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
    return server == null || server.list(kind) == null || !server.isDiscover();
  }

  // ---- resources

  /** The servers that may read a URI: the one that lists it, else all that may know it. */
  Future<List<ViewList.Target>> resources(DirectoryView view, String uri) {
    ViewList.Target known = directory.snapshot().list(view, ListKind.RESOURCES).find(uri);
    if (known != null) {
      return Future.succeededFuture(List.of(known));
    }
    return directory
        .ready(vertx, view, List.of(ListKind.RESOURCES, ListKind.TEMPLATES))
        .map(snapshot -> ResourceCandidates.of(snapshot, view, uri));
  }

  /** The server to subscribe to a resource at; fails if the client may not subscribe to it. */
  public Future<ViewList.Target> subscribable(DirectoryView view, String uri) {
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

  /** Tries one server after the other while they answer that they do not know the resource. */
  private Future<RawJson> read(GatewayCall call, List<ViewList.Target> found, int next) {
    GatewayRequest request = call.request();
    if (found.isEmpty()) {
      String uri = request.text("uri");
      call.about(null, uri);
      noteDenied(call, ListKind.RESOURCES, uri);
      return Future.failedFuture(McpErrors.unknownResource(request, uri));
    }
    ViewList.Target target = found.get(next);
    call.about(target.server(), target.key());
    RawJson params =
        target.key().equals(target.name())
            ? request.params()
            : request.params().with("uri", RawJson.string(target.key()));
    Future<RawJson> read = send(call, target.server(), Addresses.RESOURCES_READ, params);
    return next + 1 == found.size()
        ? read
        : read.recover(
            failure ->
                ResourceCandidates.isNotFound(McpFailure.of(failure))
                    ? read(call, found, next + 1)
                    : Future.failedFuture(failure));
  }

  // ---- completion

  private Future<RawJson> complete(GatewayCall call) {
    RawJson ref = call.request().params().member("ref");
    RawJson type = ref == null ? null : ref.member("type");
    if (ref == null || type == null || !type.isString()) {
      throw McpErrors.invalidParams("\"ref\" must be an object with a \"type\"");
    }
    return switch (type.asString()) {
      case "ref/prompt" -> {
        String name = GatewayRequest.text(ref, "name");
        yield find(call, ListKind.PROMPTS, name)
            .onFailure(absent -> noteDenied(call, ListKind.PROMPTS, name))
            .compose(target -> complete(call, ref, "name", target));
      }
      case "ref/resource" -> {
        String uri = GatewayRequest.text(ref, "uri");
        yield template(call.request().view(), uri)
            .onFailure(absent -> noteDenied(call, ListKind.RESOURCES, uri))
            .compose(target -> complete(call, ref, "uri", target));
      }
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
      GatewayCall call, RawJson ref, String member, ViewList.Target target) {
    RawJson own = call.request().params();
    RawJson params =
        target.key().equals(target.name())
            ? own
            : own.with("ref", ref.with(member, RawJson.string(target.key())));
    call.about(target.server(), target.key());
    return send(call, target.server(), Addresses.COMPLETION, params);
  }

  // ---- to the server

  /**
   * Sends a request to a server, if the policy permits it. Every request of a client passes this
   * check, and the check sees what leaves: the server's own names. An address without an MCP method
   * is checked for callers without policies, too.
   */
  public Future<RawJson> send(GatewayCall call, String server, String suffix, RawJson params) {
    Rights rights = call.request().view().rights();
    boolean free = rights.isUnbounded() && MethodAddress.ofSuffix(suffix) != null;
    if (!free && !rights.permits(PolicyCheck.toServer(server, suffix, params))) {
      call.deny();
      return Future.failedFuture(McpErrors.absent(call.request()));
    }
    call.leavesFor(server);
    return call.send(server, suffix, params);
  }
}
