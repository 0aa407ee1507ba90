package dev.mcpbus.gateway.http;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.directory.ViewList;
import dev.mcpbus.gateway.request.GatewayCall;
import dev.mcpbus.gateway.request.GatewayRequest;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.gateway.request.RandomNames;
import dev.mcpbus.gateway.request.SessionHostNames;
import dev.mcpbus.gateway.request.SessionMessage;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ResultType;
import dev.mcpbus.protocol.TraceContext;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import org.jspecify.annotations.Nullable;

/**
 * A request of a {@code discover} client in flight, and its open response, to which it writes the
 * answer (MCP 2026-07-28). It goes to the shared connection of its server. But a server of the
 * {@code initialize} era sends questions, logs and tasks by session. A call that may need these
 * goes to a session host, which parks it ({@code ParkedCall}) with a connection of its own.
 * Confined to the context of the HTTP verticle.
 */
final class DiscoverCall extends GatewayCall {

  private final Directory directory;
  private final SessionHostNames hostNames;
  private final MultiMap headers;
  private final RawJson id;
  final HttpReply reply;
  private final @Nullable RawJson token;
  private final @Nullable RawJson capabilities;
  private final @Nullable RawJson level;

  /** The {@code requestState} of a retry; empty for none. */
  private final String state;

  /** The host that parks the call; null if none does. */
  private @Nullable String host;

  /** Whether the result comes from a server that states its type itself. */
  private boolean statedByServer;

  /**
   * @param headers of the HTTP request
   * @param id of the JSON-RPC request
   * @param meta {@code _meta} of the params
   */
  DiscoverCall(
      Vertx vertx,
      RequestSender sender,
      Directory directory,
      SessionHostNames hostNames,
      GatewayRequest request,
      MultiMap headers,
      RawJson id,
      @Nullable RawJson meta,
      HttpReply reply) {
    super(vertx, sender, request);
    this.directory = directory;
    this.hostNames = hostNames;
    this.headers = headers;
    this.id = id;
    this.reply = reply;
    this.token = meta == null ? null : meta.member(MetaKeys.PROGRESS_TOKEN);
    this.capabilities = meta == null ? null : meta.member(MetaKeys.CLIENT_CAPABILITIES);
    this.level = meta == null ? null : meta.member(MetaKeys.LOG_LEVEL);
    RawJson given = request.params().member("requestState");
    this.state = given != null && given.isString() ? given.asString() : "";
  }

  @Override
  protected void check(ViewList.Target target) {
    RequestHeaders.check(headers, target.headers(), request().params());
  }

  // ---- to the server

  @Override
  protected Future<RawJson> send(String server, String suffix, RawJson params) {
    DirectoryEntry facts = directory.snapshot().server(server);
    boolean discover = facts != null && facts.isDiscover();
    String op = facts == null || discover ? null : parking(facts, suffix, params);
    statedByServer = discover; // the last server that the call is sent to answers it
    return op == null
        ? sendTo(new ConnectionId(server), suffix, params)
        : park(op, server, suffix, params);
  }

  /** How the host parks the call; null if the shared connection answers it. */
  private @Nullable String parking(DirectoryEntry facts, String suffix, RawJson params) {
    if (!Methods.MULTI_ROUND_TRIP.contains(request().method())) {
      return null;
    }
    if (RandomNames.isHeld(state)) {
      return SessionMessage.RETRY;
    }
    if (request().takesTask() && DiscoverTasks.becomesTask(facts, suffix, params)) {
      return SessionMessage.TASK;
    }
    return level != null || answersQuestions() ? SessionMessage.CALL : null;
  }

  private boolean answersQuestions() {
    RawJson can = capabilities;
    return can != null
        && can.length() > 2
        && (can.member("elicitation") != null
            || can.member("sampling") != null
            || can.member("roots") != null);
  }

  private Future<RawJson> park(String op, String server, String suffix, RawJson params) {
    if (isCancelled()) {
      return Future.failedFuture(notSent());
    }
    boolean retry = op.equals(SessionMessage.RETRY);
    String parkedAt = retry ? RandomNames.host(state) : hostNames.next();
    host = parkedAt;
    DeliveryOptions options =
        options(op)
            .addHeader(SessionMessage.SERVER, server)
            .addHeader(SessionMessage.SUFFIX, suffix)
            .addHeader(SessionMessage.STATE, state)
            .addHeader(SessionMessage.CAPABILITIES, String.valueOf(capabilities));
    if (level != null && level.isString()) {
      options.addHeader(SessionMessage.LEVEL, level.asString());
    }
    TraceContext trace = carried();
    RawJson meta = params.member("_meta");
    RawJson traced =
        trace == null
            ? params
            : params.with("_meta", trace.into(meta == null ? RawJson.EMPTY_OBJECT : meta));
    return hostNames
        .sendParams(parkedAt, traced, options)
        .map(answer -> RawJson.of(answer.body()))
        .recover(failure -> Future.failedFuture(retry ? stale(failure) : failure));
  }

  private DeliveryOptions options(String op) {
    return SessionMessage.options(
        op, request().principal().text(), request().reports(), request().callId());
  }

  private static Throwable stale(Throwable failure) {
    return McpFailure.of(failure).code() == FailureCode.UNKNOWN_CONNECTION
        ? McpErrors.invalidParams("\"requestState\" is not good any more; make the call anew")
        : failure;
  }

  @Override
  public void cancel() {
    boolean first = !isCancelled();
    super.cancel();
    if (first && host != null) {
      hostNames.tell(host, options(SessionMessage.GONE));
    }
  }

  // ---- to the client

  /** Writes progress or a log message of the call; the response becomes a stream. */
  void reported(String method, RawJson given) {
    RawJson params = given;
    if (method.equals(Methods.PROGRESS)) {
      if (token == null) {
        return;
      }
      params = params.with(MetaKeys.PROGRESS_TOKEN, token);
    }
    reply.event(null, MessageWriter.notification(method, params));
  }

  /**
   * The message with the result as the era wants it: with its type, and with hints where it is a
   * resource.
   */
  Buffer written(RawJson result) {
    String method = request().method();
    boolean untyped = !isTyped(method) && result.member(ResultType.MEMBER) == null;
    boolean late = untyped && result.length() >= MessageWriter.LONG; // a new member would copy it
    RawJson typed =
        untyped && !late ? result.withNew(ResultType.MEMBER, ResultType.COMPLETE_JSON) : result;
    RawJson hinted = isHinted(method) ? hinted(typed) : typed;
    return late ? MessageWriter.writtenComplete(id, hinted) : MessageWriter.written(id, hinted);
  }

  /** Results that state how long they may be kept; a page of a list states it already. */
  private static boolean isHinted(String method) {
    return switch (method) {
      case Methods.RESOURCES_READ, Methods.SKILLS_GET -> true;
      default -> false;
    };
  }

  /** A page of a list states its type; so does a server of the era, but for tasks. */
  private boolean isTyped(String method) {
    return !Methods.isOfTasks(method) && (statedByServer || method.endsWith("/list"));
  }

  /** A server of the {@code initialize} era does not say how long its result may be kept. */
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

  /**
   * Ends the response.
   *
   * @param answer the whole message, or the failure of the call
   */
  void end(AsyncResult<Buffer> answer) {
    if (answer.succeeded()) {
      reply.answer(200, answer.result(), null);
    } else {
      McpFailure known = McpErrors.of(answer.cause());
      reply.refuse(McpErrors.status(known), id, known);
    }
  }
}
