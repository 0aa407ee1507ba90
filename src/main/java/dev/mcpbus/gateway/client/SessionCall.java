package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.directory.DirectorySnapshot;
import dev.mcpbus.gateway.dialect.Initialize;
import dev.mcpbus.gateway.request.GatewayCall;
import dev.mcpbus.gateway.request.GatewayRequest;
import dev.mcpbus.gateway.request.HostMessage.From;
import dev.mcpbus.gateway.request.PublishedSession.StraightCall;
import dev.mcpbus.gateway.request.UnknownMethods;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.RequestIds;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import org.jspecify.annotations.Nullable;

/**
 * A request of a session in flight, with its stream (progress, log messages, questions) and the bus
 * message whose reply is the answer. It goes to the shared connection of a {@code discover} server,
 * else to a connection of the session's own ({@link SessionServers}). Confined to the session's
 * host.
 */
final class SessionCall extends GatewayCall {

  private final SessionServers servers;
  private final SessionRequests requests;
  final RawJson id;
  final @Nullable RawJson token;
  final ResumableStream stream;
  final Message<?> message;
  final String exchange;

  /** The call at its HTTP verticle, which sent it; null for one that is sent here. */
  private final @Nullable StraightCall straight;

  /** Whether the answer comes from a server of the {@code discover} era. */
  private boolean modern;

  /**
   * @param id as the client gave it
   * @param token by which the client names its progress
   * @param message whose reply is the answer
   */
  SessionCall(
      HostParts host,
      GatewaySession session,
      GatewayRequest request,
      RawJson id,
      @Nullable RawJson token,
      Message<?> message,
      From from) {
    this(host, session, request, id, token, message, from, null);
  }

  /**
   * A call that its HTTP verticle has sent, and answers.
   *
   * @param message whose reply is the answer
   */
  SessionCall(
      HostParts host,
      GatewaySession session,
      StraightCall straight,
      Message<?> message,
      From from) {
    this(host, session, straight.request(), straight.id(), null, message, from, straight);
  }

  private SessionCall(
      HostParts host,
      GatewaySession session,
      GatewayRequest request,
      RawJson id,
      @Nullable RawJson token,
      Message<?> message,
      From from,
      @Nullable StraightCall straight) {
    super(host.vertx(), host.sender(), request);
    this.straight = straight;
    this.servers = session.servers;
    this.requests = session.requests;
    this.id = id;
    this.token = token;
    this.message = message;
    this.exchange = from.exchange();
    this.stream = session.streams.begin(exchange, from.verticle());
  }

  @Override
  protected Future<RawJson> send(String server, String suffix, RawJson params) {
    modern = servers.isDiscover(server); // the last server that the call is sent to answers it
    return servers
        .connection(server)
        .compose(
            at ->
                sendTo(
                    at,
                    suffix,
                    UnknownMethods.adapted(
                        suffix, params, own -> servers.adapted(server, toServer(at, own)))));
  }

  private RawJson toServer(ConnectionId at, RawJson params) {
    return Methods.isKnown(request().method()) ? params : requests.toServer(at, params);
  }

  @Override
  public @Nullable ConnectionId at() {
    return straight == null ? super.at() : straight.at();
  }

  @Override
  public void cancel(RawJson params) {
    if (straight == null) {
      super.cancel(params);
    } else {
      straight.cancelled(params);
    }
  }

  @Override
  public void cancel() {
    if (straight == null) {
      super.cancel();
    } else {
      straight.cancelled(null);
    }
  }

  /** Params or a result by the client's ids, where MCP does not define the method. */
  RawJson named(String method, RawJson said) {
    return Methods.isKnown(method)
        ? said
        : RequestIds.renamed(said, RawJson.string(request().callId()), id, token);
  }

  /** The answer as its client gets it. */
  Buffer written(AsyncResult<RawJson> outcome) {
    String method = request().method();
    return Initialize.written(id, method, outcome, result -> named(method, result), modern);
  }

  @Override
  protected DirectorySnapshot seen(DirectorySnapshot shared) {
    return servers.connections.lists.over(shared);
  }

  @Override
  protected Future<Void> listed(ListKind kind) {
    return servers.listed(kind);
  }
}
