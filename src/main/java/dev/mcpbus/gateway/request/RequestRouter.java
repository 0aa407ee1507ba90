package dev.mcpbus.gateway.request;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RoutingName;
import dev.mcpbus.bus.ServerOperation;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.directory.DirectorySnapshot;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.directory.MetaTools;
import dev.mcpbus.directory.ViewList;
import dev.mcpbus.directory.ViewUris;
import dev.mcpbus.policy.PolicyCheck;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ParamHeaders;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Rights;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
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
  private final ListAnswers lists;
  private final ViewMetaTools meta;
  private final UnknownMethods unknown;
  private final SkillRequests skills;

  public RequestRouter(Vertx vertx, Directory directory, int pageSize) {
    this.vertx = vertx;
    this.directory = directory;
    this.lists = new ListAnswers(vertx, directory, pageSize, this);
    this.meta = new ViewMetaTools(vertx, directory);
    this.unknown = new UnknownMethods(vertx, directory, this);
    this.skills = new SkillRequests(vertx, directory, this);
  }

  /** Returns the bytes of the result. */
  public Future<RawJson> route(GatewayCall call) {
    GatewayRequest request = call.request();
    Future<RawJson> answer;
    try {
      answer =
          switch (request.method()) {
            case Methods.TOOLS_CALL ->
                request.view().searches()
                    ? searched(call)
                    : lacks(request, "name") && !isComposed(request.params().member("name"))
                        ? sendAsIs(call, Addresses.TOOLS_CALL)
                        : named(call, ListKind.TOOLS, request.params(), call::check);
            case Methods.PROMPTS_GET ->
                lacks(request, "name")
                    ? sendAsIs(call, Addresses.PROMPTS_GET)
                    : named(call, ListKind.PROMPTS, request.params(), call::check);
            case Methods.TOOLS_LIST -> lists.answer(call, ListKind.TOOLS);
            case Methods.PROMPTS_LIST -> lists.answer(call, ListKind.PROMPTS);
            case Methods.RESOURCES_LIST -> lists.answer(call, ListKind.RESOURCES);
            case Methods.RESOURCES_TEMPLATES -> lists.answer(call, ListKind.TEMPLATES);
            case Methods.RESOURCES_READ ->
                lacks(request, "uri")
                    ? sendAsIs(call, Addresses.RESOURCES_READ)
                    : read(call, request.text("uri"));
            case Methods.SKILLS_LIST -> lists.answer(call, ListKind.SKILLS);
            case Methods.SKILLS_GET, Methods.DIRECTORY_READ -> skills.route(call);
            case Methods.COMPLETE -> complete(call);
            default -> unknown.request(call);
          };
    } catch (RuntimeException failed) {
      return Future.failedFuture(McpErrors.of(failed));
    }
    return answer.recover(failure -> Future.failedFuture(McpErrors.of(failure)));
  }

  /** Passes a notification to a server; completes when its connection has it. */
  public Future<RawJson> notify(GatewayCall call) {
    return McpErrors.guarded(() -> unknown.notification(call));
  }

  // ---- what the server itself refuses

  /** Whether this client hears from the server itself that it lacks a capability. */
  boolean refusedByServer(GatewayRequest request, String capability) {
    DirectoryEntry server = directory.snapshot(request.view()).server(request.view().name());
    return request.isAsIs() && server != null && server.lacks(capability);
  }

  /** Over the shared connection: a refusal needs no session of the client's own. */
  static Future<RawJson> toServer(GatewayCall call, String suffix) {
    return call.sendTo(
        new ConnectionId(call.request().view().name()), suffix, call.request().params());
  }

  /** The server's refusal to set a log level; null if it has levels, or is not the only server. */
  public @Nullable Future<RawJson> refusedLevel(GatewayCall call) {
    return refusedByServer(call.request(), "logging") ? toServer(call, Addresses.LOGLEVEL) : null;
  }

  /** The server of the view answers a list itself: with params that mcpbus has no answer to. */
  public Future<RawJson> listedByServer(GatewayCall call, ListKind kind) {
    return lists.byServer(call, kind);
  }

  /** Whether it is a list or an object, which a lenient server could read as a name. */
  private static boolean isComposed(@Nullable RawJson name) {
    return name != null && (name.isObject() || name.toString().startsWith("["));
  }

  /** The server of the view answers a request as the client wrote it, over the client's session. */
  public Future<RawJson> sendAsIs(GatewayCall call, String suffix) {
    GatewayRequest request = call.request();
    return send(call, request.view().name(), suffix, request.params());
  }

  /** Whether the server itself says what a request without that member is worth. */
  private static boolean lacks(GatewayRequest request, String member) {
    RawJson value = request.params().member(member);
    return request.isAsIs() && (value == null || !value.isString());
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
    if (view.rights().isUnbounded()) {
      return;
    }
    DirectorySnapshot snapshot = directory.snapshot(view);
    boolean there =
        kind == ListKind.RESOURCES
            ? snapshot.uris(view.whole()).isListed(name)
            : snapshot.list(view.whole(), kind).find(name) != null;
    if (there) {
      call.deny();
    }
  }

  private Future<ViewList.Target> find(GatewayCall call, ListKind kind, String name) {
    DirectoryView view = call.request().view();
    ViewList.Target known = call.seen(directory.snapshot(view)).list(view, kind).find(name);
    if (known != null) {
      call.listed(known);
      return Future.succeededFuture(known);
    }
    return directory
        .ready(vertx, view, List.of(kind))
        .map(call::seen)
        .map(
            snapshot -> {
              ViewList list = snapshot.list(view, kind);
              ViewList.Target listed = list.find(name);
              if (listed == null) {
                listed = ofApp(list, name);
              }
              if (listed == null) {
                return unlisted(snapshot, view, kind, name);
              }
              call.listed(listed);
              return listed;
            });
  }

  /** A call of an app: it has its server's own name of the tool. */
  private static ViewList.@Nullable Target ofApp(ViewList list, String name) {
    List<ViewList.Target> tools = list.ofApps(name);
    if (tools.size() > 1) {
      throw McpErrors.ofSeveralServers(name, tools.stream().map(ViewList.Target::name).toList());
    }
    return tools.isEmpty() ? null : tools.get(0);
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

  private Future<RawJson> read(GatewayCall call, String uri) {
    return resource(call, uri, ViewUris::route)
        .compose(
            target -> {
              call.about(target.server(), target.key());
              RawJson params = call.request().params();
              return send(
                      call,
                      target.server(),
                      Addresses.RESOURCES_READ,
                      target.key().equals(uri)
                          ? params
                          : params.with("uri", RawJson.string(target.key())))
                  .recover(
                      failure -> Future.failedFuture(McpErrors.named(failure, target.key(), uri)));
            });
  }

  /** The server to subscribe to a resource at; fails if the client may not subscribe to it. */
  public Future<ViewList.Target> subscribable(DirectoryView view, String uri) {
    return uris(view, uri, shared -> shared)
        .map(
            uris -> {
              ViewUris.UriRoute found = uris.route(uri);
              ViewList.Target target = found.target();
              if (target == null || !view.maySubscribe(target.server(), target.key())) {
                throw McpErrors.unknownResource(Era.INITIALIZE, uri, found.instead());
              }
              return target;
            });
  }

  /**
   * Finds the server of a URI.
   *
   * @param by which kind of URI it is
   * @return fails if there is none, with the URIs to use where it may be one of several servers
   */
  Future<ViewList.Target> resource(
      GatewayCall call, String uri, BiFunction<ViewUris, String, ViewUris.UriRoute> by) {
    GatewayRequest request = call.request();
    return uris(request.view(), uri, call::seen)
        .map(
            uris -> {
              ViewUris.UriRoute found = by.apply(uris, uri);
              ViewList.Target target = found.target();
              if (target == null) {
                call.about(null, uri);
                noteDenied(call, ListKind.RESOURCES, uri);
                throw McpErrors.unknownResource(request, uri, found.instead());
              }
              return target;
            });
  }

  /** Waits for lists that are missing; for fresh ones only where no list has the URI. */
  private Future<ViewUris> uris(
      DirectoryView view, String uri, UnaryOperator<DirectorySnapshot> seen) {
    ViewUris known = seen.apply(directory.snapshot(view)).uris(view);
    if (known.isComplete() && known.isListed(uri)) {
      return Future.succeededFuture(known);
    }
    return (view.isOfOneServer()
            ? directory.ready(vertx)
            : directory.ready(vertx, view, List.of(ListKind.RESOURCES, ListKind.TEMPLATES)))
        .map(snapshot -> seen.apply(snapshot).uris(view));
  }

  /** The URIs of the client's view, by the lists that it sees now. */
  ViewUris uris(GatewayCall call) {
    return call.seen(directory.snapshot(call.request().view())).uris(call.request().view());
  }

  /** The result of a server, by the client's URIs. */
  private Future<RawJson> named(GatewayCall call, String server, RawJson params, RawJson result) {
    DirectoryView view = call.request().view();
    if (view.isOfOneServer() || !ResultUris.mayBeIn(result)) {
      return Future.succeededFuture(result);
    }
    UnaryOperator<String> name = naming(call, server, params);
    return ResultUris.changed(vertx, result, all -> ResultUris.renamed(all, name));
  }

  /** The client's URI of a resource of the server; of the one that it has asked for, its own. */
  private UnaryOperator<String> naming(GatewayCall call, String server, RawJson params) {
    ViewUris uris = uris(call);
    RawJson sent = params.member("uri");
    RawJson asked = call.request().params().member("uri");
    if (sent == null || asked == null || !sent.isString() || !asked.isString()) {
      return uri -> uris.name(server, uri);
    }
    String own = sent.asString();
    String shown = asked.asString();
    return uri -> uri.equals(own) ? shown : uris.name(server, uri);
  }

  // ---- completion

  private Future<RawJson> complete(GatewayCall call) {
    RawJson ref = call.request().params().member("ref");
    RawJson type = ref == null ? null : ref.member("type");
    if (call.request().isAsIs() && !isKnown(ref, type)) {
      return sendAsIs(call, Addresses.COMPLETION);
    }
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
        yield resource(call, uri, ViewUris::template)
            .compose(target -> complete(call, ref, "uri", target));
      }
      default -> throw McpErrors.invalidParams("\"ref.type\" must be ref/prompt or ref/resource");
    };
  }

  /** Whether MCP says what it names; else the server itself says what it is worth. */
  private static boolean isKnown(@Nullable RawJson ref, @Nullable RawJson type) {
    String text = type == null || !type.isString() ? "" : type.asString();
    String member = text.equals("ref/prompt") ? "name" : text.equals("ref/resource") ? "uri" : null;
    RawJson named = ref == null || member == null ? null : ref.member(member);
    return named != null && named.isString();
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
   * Sends a request to a server, if the policy permits it. Every request of a method of MCP passes
   * this check ({@link UnknownMethods} has that of the others), and the check sees what leaves: the
   * server's own names. An address without an MCP method is checked for callers without policies,
   * too.
   */
  public Future<RawJson> send(GatewayCall call, String server, String suffix, RawJson params) {
    Rights rights = call.request().view().rights();
    ServerOperation row = ServerOperation.of(suffix);
    boolean free = rights.isUnbounded() && row != null && row.method != null;
    if (!free && !rights.permits(PolicyCheck.toServer(server, suffix, params))) {
      call.deny();
      return Future.failedFuture(McpErrors.absent(call.request()));
    }
    call.leavesFor(server);
    return call.send(server, suffix, params).compose(result -> named(call, server, params, result));
  }
}
