package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.ClientAnswer;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.ServerNotice;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.directory.DirectorySnapshot;
import dev.mcpbus.gateway.client.OpenQuestions.Question;
import dev.mcpbus.gateway.dialect.Initialize;
import dev.mcpbus.gateway.request.GatewayCall;
import dev.mcpbus.gateway.request.GatewayRequest;
import dev.mcpbus.gateway.request.HostMessage.From;
import dev.mcpbus.gateway.request.LoginElicitation;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.gateway.request.PublishedSession.StraightCall;
import dev.mcpbus.gateway.request.UnknownMethods;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.RequestIds;
import dev.mcpbus.protocol.TaskId;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A request of a session in flight, with its stream (progress, log messages, questions) and the bus
 * message whose reply is the answer. A server of the {@code discover} era gets with it what the
 * client has stated once. Confined to the session's host.
 */
final class SessionCall extends GatewayCall implements HeldCall {

  private final HostParts host;
  final GatewayClient client;
  final RawJson id;
  private final @Nullable RawJson token;
  final ResumableStream stream;
  private final Message<?> message;
  private final String exchange;

  /** The call at its HTTP verticle, which sent it; null for one that is sent here. */
  private final @Nullable StraightCall straight;

  /** Whether the answer comes from a server of the {@code discover} era. */
  private boolean modern;

  /**
   * @param id as the client gave it
   * @param token by which the client names its progress
   * @param message whose reply is the answer
   * @param straight for a call that its HTTP verticle has sent, and answers
   */
  SessionCall(
      HostParts host,
      GatewayClient client,
      GatewayRequest request,
      RawJson id,
      @Nullable RawJson token,
      Message<?> message,
      From from,
      @Nullable StraightCall straight) {
    super(host.vertx(), host.sender(), request);
    this.straight = straight;
    this.host = host;
    this.client = client;
    this.id = id;
    this.token = token;
    this.message = message;
    this.exchange = from.exchange();
    this.stream = client.streams.begin(exchange, from.verticle());
  }

  @Override
  protected Future<RawJson> send(String server, String suffix, RawJson params) {
    modern = host.isDiscover(server); // the last server that the call is sent to answers it
    return client
        .connection(server)
        .compose(
            at ->
                sendTo(
                    at,
                    suffix,
                    UnknownMethods.adapted(
                        suffix, params, own -> stated(server, toServer(at, own)))));
  }

  @Override
  protected boolean opensUrls() {
    return LoginElicitation.isOffered(client.stated().once.capabilities());
  }

  private RawJson toServer(ConnectionId at, RawJson params) {
    return Methods.isKnown(request().method()) ? params : named(client, at, params);
  }

  /** Each request to a server of the {@code discover} era states the client and its wishes. */
  private RawJson stated(String server, RawJson params) {
    DirectoryEntry facts = client.snapshot().server(server);
    return facts == null || !facts.isDiscover()
        ? params
        : client.stated().once.into(params, facts.tasks(), client.connections.logLevel.get());
  }

  /** Params in which a client names its calls at that connection, by their call ids. */
  static RawJson named(GatewayClient client, ConnectionId at, RawJson params) {
    return RequestIds.replaced(
        params,
        id -> straight(client, at, callId(client, at, id, call -> id.equals(call.id))),
        token -> callId(client, at, token, call -> token.equals(call.token)));
  }

  private static RawJson straight(GatewayClient client, ConnectionId at, RawJson named) {
    for (StraightCall call : client.published.calls()) {
      if (at.equals(call.at()) && named.equals(call.id())) {
        return RawJson.string(call.request().callId());
      }
    }
    return named;
  }

  private static RawJson callId(
      GatewayClient client, ConnectionId at, RawJson named, Predicate<SessionCall> is) {
    for (SessionCall call : of(client)) {
      if (at.equals(call.at()) && is.test(call)) {
        return RawJson.string(call.callId());
      }
    }
    return named;
  }

  /** Those of a client, in the order of their arrival. */
  static List<SessionCall> of(GatewayClient client) {
    return client.calls.values().stream()
        .filter(SessionCall.class::isInstance)
        .map(SessionCall.class::cast)
        .toList();
  }

  @Override
  public String callId() {
    return request().callId();
  }

  @Override
  public boolean isAt(String connection) {
    ConnectionId at = at();
    return at != null && at.value().equals(connection);
  }

  @Override
  public boolean isInUse() {
    return stream.isRead();
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

  // ---- to the client

  @Override
  public void reported(String method, RawJson params) {
    if (!method.equals(Methods.PROGRESS)) {
      send(method, named(method, params));
    } else if (token != null) {
      send(method, params.with(MetaKeys.PROGRESS_TOKEN, token));
    }
  }

  @Override
  public void heard(ServerNotice event, String method) {
    boolean named = callId().equals(event.call());
    send(method, named ? named(method, event.params()) : event.params());
  }

  private void send(String method, RawJson params) {
    stream.send(Initialize.notification(method, params));
  }

  @Override
  public Future<ClientAnswer> ask(Question question) {
    return client.questions.ask(stream, question);
  }

  @Override
  public @Nullable String taskId() {
    GatewayRequest asks = request();
    return asks.method().equals(Methods.TASKS_RESULT) ? TaskId.of(asks.params()) : null;
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

  /**
   * Ends it, if it has not ended.
   *
   * @param answer null if the client gets none
   */
  void end(@Nullable Buffer answer, int repeats) {
    if (client.ended(this)) {
      client.questions.callEnded(callId());
      finish(answer, repeats);
    }
  }

  private void finish(@Nullable Buffer answer, int repeats) {
    client.streams.finish(stream, message, exchange, answer, repeats);
  }

  @Override
  public void clientEnds() {
    cancel();
    host.registry().remove(callId());
    finish(Initialize.failed(id, McpErrors.sessionEnded()), 0);
  }

  // ---- what its client sees

  @Override
  protected DirectorySnapshot seen(DirectorySnapshot shared) {
    return client.connections.lists.over(shared);
  }

  @Override
  protected Future<Void> listed(ListKind kind) {
    return client.connections.listed(client.view(), kind, client.stated().statement());
  }
}
