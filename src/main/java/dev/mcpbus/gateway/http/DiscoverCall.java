package dev.mcpbus.gateway.http;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.directory.ViewList;
import dev.mcpbus.gateway.dialect.Discover;
import dev.mcpbus.gateway.dialect.TaskForms;
import dev.mcpbus.gateway.http.DiscoverEndpoint.ClientMessage;
import dev.mcpbus.gateway.request.GatewayCall;
import dev.mcpbus.gateway.request.GatewayRequest;
import dev.mcpbus.gateway.request.HostMessage;
import dev.mcpbus.gateway.request.HostMessage.CallMessage;
import dev.mcpbus.gateway.request.HostMessage.From;
import dev.mcpbus.gateway.request.HostMessage.GoneMessage;
import dev.mcpbus.gateway.request.HostMessage.ListMessage;
import dev.mcpbus.gateway.request.HostMessage.Parking;
import dev.mcpbus.gateway.request.HostMessage.StatedClient;
import dev.mcpbus.gateway.request.LoginElicitation;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.gateway.request.RandomNames;
import dev.mcpbus.gateway.request.SessionHostNames;
import dev.mcpbus.gateway.request.UnknownMethods;
import dev.mcpbus.protocol.EraMembers;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.RequestIds;
import dev.mcpbus.protocol.TraceContext;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import org.jspecify.annotations.Nullable;

/**
 * A request of a {@code discover} client in flight, and its open response, to which it writes the
 * answer (MCP 2026-07-28). It goes to the shared connection of its server. But if the server has
 * sessions ({@link DirectoryEntry#hasSessions}), the client has one of its own there: the request
 * goes to the session host that has the client, which parks it ({@code ParkedCall}). Confined to
 * the context of the HTTP verticle.
 */
final class DiscoverCall extends GatewayCall {

  private final Directory directory;
  private final SessionHostNames hostNames;
  private final ClientHosts clients;
  private final NamedRequests named;
  private final RawJson id;
  final HttpReply reply;
  private final ClientMessage arrived;
  private final @Nullable RawJson token;
  private final @Nullable RawJson capabilities;
  private final @Nullable RawJson level;

  /** The {@code requestState} of a retry; empty for one that no host has made, null for none. */
  private final @Nullable String state;

  /** Where messages that MCP does not define may name it; null where none may. */
  private @Nullable String namedAt;

  /** The host that parks the call; null if none does. */
  private @Nullable String host;

  /** The key of the client, once a host has the request; null for a retry. */
  private @Nullable String client;

  /** Whether it is the retry of a call whose client was asked to log in. */
  private boolean waitsForLogin;

  /** Whether it was sent to a server; a page of a list needs not be. */
  private boolean asked;

  /** Whether the result comes from a server that states its type itself. */
  private boolean statedByServer;

  /**
   * @param id of the JSON-RPC request; {@link RawJson#NULL} for a notification
   * @param arrived what the client sent
   */
  DiscoverCall(
      Vertx vertx,
      RequestSender sender,
      Directory directory,
      SessionHostNames hostNames,
      ClientHosts clients,
      NamedRequests named,
      GatewayRequest request,
      RawJson id,
      ClientMessage arrived) {
    super(vertx, sender, request);
    this.directory = directory;
    this.hostNames = hostNames;
    this.clients = clients;
    this.named = named;
    this.id = id;
    this.reply = arrived.reply();
    this.arrived = arrived;
    RawJson meta = arrived.meta();
    this.token = meta == null ? null : meta.member(MetaKeys.PROGRESS_TOKEN);
    this.capabilities = meta == null ? null : meta.member(MetaKeys.CLIENT_CAPABILITIES);
    this.level = meta == null ? null : meta.member(MetaKeys.LOG_LEVEL);
    RawJson given = request.params().member("requestState");
    this.state =
        given == null
            ? null
            : given.isString() && RandomNames.isHeld(given.asString()) ? given.asString() : "";
  }

  @Override
  protected void check(ViewList.Target target) {
    RequestHeaders.check(arrived.headers(), target.headers(), request().params());
  }

  /** Whether the client states in this request that it knows tasks. */
  boolean offersTasks() {
    return TaskForms.isOffered(capabilities);
  }

  // ---- to the server

  @Override
  protected Future<RawJson> send(String server, String suffix, RawJson params) {
    DirectoryEntry facts = directory.snapshot(request().view()).server(server);
    asked = true;
    statedByServer = facts != null && facts.isDiscover(); // the last server answers it
    boolean shared = facts == null || !facts.hasSessions();
    if (shared && LoginElicitation.isRetry(params)) {
      if (!LoginElicitation.isAccepted(params)) {
        return Future.failedFuture(
            McpFailure.notSent(FailureCode.CANCELLED, "the login was declined"));
      }
      waitsForLogin = true;
      return send(server, suffix, LoginElicitation.plain(params));
    }
    boolean known = Methods.isKnown(request().method());
    RawJson own = known && token == null ? params : registered(shared, server, suffix, params);
    return facts == null || shared
        ? sendTo(new ConnectionId(server), suffix, own).recover(this::asked)
        : park(parking(facts, suffix, own), server, suffix, own);
  }

  /** The client is asked to log in first, where it opens URLs. */
  private Future<RawJson> asked(Throwable failure) {
    RawJson login =
        Methods.MULTI_ROUND_TRIP.contains(request().method())
                && LoginElicitation.isOffered(capabilities)
            ? LoginElicitation.requests(McpFailure.of(failure))
            : null;
    return login == null
        ? Future.failedFuture(failure)
        : Future.succeededFuture(Discover.inputRequired(login, LoginElicitation.state()));
  }

  @Override
  protected boolean waitsForLogin() {
    return waitsForLogin;
  }

  /** Params that name requests by the ids of their calls; the client may name this one, too. */
  private RawJson registered(boolean shared, String server, String suffix, RawJson params) {
    String principal = request().principal().name();
    String at =
        (shared ? principal : clients.key(request().principal(), arrived.meta())) + "\n" + server;
    RawJson own =
        Methods.isKnown(request().method())
            ? params
            : UnknownMethods.adapted(suffix, params, all -> named.toServer(at, all));
    forget();
    if (!suffix.equals(Addresses.NOTIFY)) {
      named.add(at, id, token, request().callId());
      namedAt = at;
    }
    return own;
  }

  /** No message can name the request any more. */
  void forget() {
    if (namedAt != null) {
      named.remove(namedAt, id, token, request().callId());
      namedAt = null;
    }
  }

  /** How the host parks the request. */
  private Parking parking(DirectoryEntry facts, String suffix, RawJson params) {
    if (Methods.MULTI_ROUND_TRIP.contains(request().method())) {
      if (state != null) {
        return Parking.RETRY;
      }
      if (request().takesTask() && DiscoverTasks.becomesTask(facts, suffix, params)) {
        return Parking.TASK;
      }
    }
    return Parking.CALL;
  }

  private Future<RawJson> park(Parking parking, String server, String suffix, RawJson params) {
    if (isCancelled()) {
      return Future.failedFuture(notSent());
    }
    boolean retry = parking == Parking.RETRY;
    CallMessage message =
        new CallMessage(
            from(null),
            parking,
            retry ? null : clients.client(request().principal(), arrived.meta()),
            server,
            suffix,
            level != null && level.isString() ? level.asString() : null,
            retry ? state : null,
            request().isAsIs(),
            request().view().hearsUnknown() ? request().reports() : null);
    TraceContext trace = carried();
    RawJson own = params.member("_meta");
    RawJson traced =
        trace == null
            ? params
            : params.with("_meta", trace.into(own == null ? RawJson.EMPTY_OBJECT : own));
    if (retry && state != null) {
      if (state.isEmpty()) {
        return Future.failedFuture(stale());
      }
      host = RandomNames.host(state);
      return hostNames
          .sendParams(host, traced, options(message))
          .map(this::replied)
          .recover(failure -> Future.failedFuture(stale(failure)));
    }
    return toHost(message.client(), traced, message);
  }

  private Future<RawJson> toHost(
      @Nullable StatedClient stated, RawJson params, HostMessage message) {
    String key = stated == null ? "" : stated.key();
    client = key;
    host = clients.host(key);
    return clients.send(key, params, options(message), this::isCancelled).map(this::replied);
  }

  /** A page of a list from the session host, which adds what the client's own sessions list. */
  Future<RawJson> page(ListKind kind) {
    return McpErrors.guarded(
        () -> {
          StatedClient stated = clients.client(request().principal(), arrived.meta());
          return toHost(
              stated,
              request().params(),
              new ListMessage(from(request().view().name()), stated, kind));
        });
  }

  private From from(@Nullable String view) {
    return new From(
        request().principal().text(),
        view,
        request().reports(),
        request().callId(),
        request().view().caller());
  }

  private DeliveryOptions options(HostMessage message) {
    return HostMessage.lasting(request().origin().addTo(message.options()), request().method());
  }

  private static Throwable stale(Throwable failure) {
    return McpFailure.of(failure).code() == FailureCode.UNKNOWN_CONNECTION ? stale() : failure;
  }

  private static McpFailure stale() {
    return McpErrors.invalidParams("\"requestState\" is not good any more; make the call anew");
  }

  @Override
  public void cancel() {
    boolean first = !isCancelled();
    super.cancel();
    if (first && host != null) {
      String present = client == null ? host : clients.host(client); // it may have moved
      hostNames.tell(present, new GoneMessage(null, null, request().callId()).options());
    }
  }

  // ---- to the client

  /** Writes progress or a log message of the call; the response becomes a stream. */
  void reported(String method, RawJson given) {
    RawJson params = statedByServer ? given : EraMembers.forDiscover(given);
    if (method.equals(Methods.PROGRESS)) {
      if (token == null) {
        return;
      }
      params = params.with(MetaKeys.PROGRESS_TOKEN, token);
    }
    params = named(method, params);
    reply.event(null, MessageWriter.notification(method, params.isAbsent() ? null : params));
  }

  /** Params or a result by the client's ids, where MCP does not define the method. */
  private RawJson named(String method, RawJson said) {
    return Methods.isKnown(method)
        ? said
        : RequestIds.renamed(said, RawJson.string(request().callId()), id, token);
  }

  /** The message with the result as the era wants it. */
  Buffer written(RawJson answer) {
    String method = request().method();
    return Discover.written(id, method, named(method, answer), asked, statedByServer);
  }

  /** Ends the response with the failure of the call. */
  void fail(Throwable failure) {
    McpFailure why = McpErrors.of(failure);
    McpFailure known = statedByServer ? why : Discover.failure(why, capabilities);
    reply.refuse(McpErrors.status(known), id, known);
  }
}
