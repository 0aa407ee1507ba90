package dev.mcpbus.gateway.http;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.bus.ServerNotice;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.directory.DirectorySnapshot;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.directory.ViewList;
import dev.mcpbus.directory.ViewUris;
import dev.mcpbus.gateway.dialect.Initialize;
import dev.mcpbus.gateway.http.InitializeEndpoint.SessionRequest;
import dev.mcpbus.gateway.request.GatewayCall;
import dev.mcpbus.gateway.request.GatewayRequest;
import dev.mcpbus.gateway.request.LoginElicitation;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.gateway.request.PublishedSession;
import dev.mcpbus.gateway.request.PublishedSession.Facts;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request of an {@code initialize} client that needs nothing of its session: it goes straight to
 * the connection that all clients share ({@link PublishedSession} says when). Once it needs the
 * session it is handed over to the session's host, which has the response from then on: when the
 * response becomes a stream that the client may come back for, when the server reports something,
 * and when it asks. The answer still comes here, and goes on to the host. Confined to the context
 * of the HTTP verticle, but for {@link PublishedSession.StraightCall}.
 */
final class DirectCall extends GatewayCall implements PublishedSession.StraightCall {

  /** Of a request's id, bytes; a longer one is not in the name of the response. */
  private static final int MAX_ID = 100;

  /** Who writes the response. */
  private enum AnsweredBy {
    DOOR,
    HOST,
    /** It has its answer, or its client gets none. */
    NOBODY
  }

  private final InitializeEndpoint door;
  private final Vertx vertx;
  private final Context context;
  private final PublishedSession session;
  private final Facts facts;
  private final DirectorySnapshot lists;
  private final RawJson id;
  final SessionRequest asked;
  private volatile @Nullable ConnectionId sentTo;
  private volatile boolean left;
  private AnsweredBy by = AnsweredBy.DOOR;
  private boolean modern;
  private boolean silent;

  private DirectCall(
      InitializeEndpoint door,
      Vertx vertx,
      RequestSender sender,
      PublishedSession session,
      Facts facts,
      DirectorySnapshot lists,
      GatewayRequest request,
      RawJson id,
      SessionRequest asked) {
    super(vertx, sender, request);
    this.door = door;
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.session = session;
    this.facts = facts;
    this.lists = lists;
    this.id = id;
    this.asked = asked;
  }

  /**
   * The call for a request, where it may go straight.
   *
   * @param session null where no host of this node has it
   * @return null where the request goes by the host
   */
  static @Nullable DirectCall of(
      InitializeEndpoint door,
      Vertx vertx,
      Directory directory,
      @Nullable PublishedSession session,
      SessionRequest asked) {
    Facts facts = session == null ? null : session.facts();
    DirectoryView view = asked.view(); // made for this request: its rights decide
    RawJson id = asked.message().id();
    if (session == null
        || facts == null
        || id == null
        || id.length() > MAX_ID
        || !facts.view().equals(view.name())
        || facts.rights() != view.rights()
        || !Objects.equals(facts.caller(), view.caller())
        || !facts.principalText().equals(asked.principal().text())
        || view.searches()
        || directory.hasTasks(view)) {
      return null;
    }
    DirectorySnapshot lists = directory.snapshot(view);
    RawJson params = asked.message().params();
    RawJson meta = params.member("_meta");
    ViewList.Target target = target(asked.message().method(), params, view, lists);
    DirectoryEntry server = target == null ? null : lists.server(target.server());
    if (server == null
        || !server.up()
        || server.hasSessions()
        || (meta != null && meta.member(MetaKeys.PROGRESS_TOKEN) != null)) {
      return null;
    }
    GatewayRequest request =
        new GatewayRequest(
            Era.INITIALIZE,
            asked.principal(),
            view,
            asked.message().method(),
            params,
            facts.callIds() + "/" + asked.exchange(),
            door.callsAt(),
            Addresses.GATEWAY_INPUT + facts.host(),
            false,
            false,
            false,
            GatewayRequest.trace(asked.headers(), meta),
            System.nanoTime(),
            asked.reply().origin());
    return new DirectCall(
        door, vertx, RequestSender.of(vertx), session, facts, lists, request, id, asked);
  }

  /** What a request names, if a list has it; null for all that the session may have to answer. */
  private static ViewList.@Nullable Target target(
      String method, RawJson params, DirectoryView view, DirectorySnapshot lists) {
    boolean read = method.equals(Methods.RESOURCES_READ);
    boolean tool = method.equals(Methods.TOOLS_CALL) && params.member("task") == null;
    RawJson named = params.member(read ? "uri" : "name");
    if (named == null || !named.isString()) {
      return null;
    }
    if (read) {
      ViewUris uris = lists.uris(view);
      String uri = named.asString();
      return uris.isComplete() && uris.isListed(uri) ? uris.route(uri).target() : null;
    }
    return tool || method.equals(Methods.PROMPTS_GET)
        ? lists.list(view, tool ? ListKind.TOOLS : ListKind.PROMPTS).find(named.asString())
        : null;
  }

  String version() {
    return facts.version();
  }

  String host() {
    return facts.host();
  }

  // ---- to the server

  /**
   * Notes the call where the host of its session sees it.
   *
   * @return false if it has to go by the host after all; nothing was sent then
   */
  boolean begins() {
    if (session.begin(this)) {
      return true;
    }
    by = AnsweredBy.NOBODY;
    return false;
  }

  @Override
  protected Future<RawJson> send(String server, String suffix, RawJson params) {
    DirectoryEntry entry = lists.server(server);
    modern = entry != null && entry.isDiscover();
    ConnectionId shared = new ConnectionId(server);
    sentTo = shared;
    return sendTo(
        shared,
        suffix,
        entry != null && modern ? facts.stated().into(params, entry.tasks(), null) : params);
  }

  @Override
  protected boolean opensUrls() {
    return LoginElicitation.isOffered(facts.stated().capabilities());
  }

  /** The lists by which it was decided that it goes straight; for its result those of now. */
  @Override
  protected DirectorySnapshot seen(DirectorySnapshot shared) {
    return sentTo == null ? lists : shared;
  }

  // ---- the response

  /** The response becomes a stream that the client may come back for. */
  void becomesResumable() {
    if (by == AnsweredBy.HOST) {
      door.keep(this);
    }
    handOver(true);
  }

  /** The client has closed the response; the call goes on, as the client may cancel it. */
  void gone() {
    left = true;
    door.forget(this);
    if (by == AnsweredBy.HOST) {
      door.tellGone(this);
    } else {
      session.changed(this, false);
    }
  }

  /** A server reports something that belongs to the call: the session's host writes it. */
  void reported(String method, RawJson params) {
    if (!left && handOver(false)) {
      ServerNotice.ofCall(
          vertx.eventBus(),
          Addresses.GATEWAY_CALLS + facts.host(),
          request().callId(),
          method,
          params);
    }
  }

  /** The server has answered, or the call has failed. */
  void answered(AsyncResult<RawJson> outcome) {
    if (by == AnsweredBy.HOST) {
      door.passAnswer(this, silent ? Buffer.buffer() : written(outcome));
    } else if (by == AnsweredBy.DOOR) {
      over();
      asked.reply().repeated(repeats());
      asked.reply().answer(200, written(outcome), null);
    }
  }

  private Buffer written(AsyncResult<RawJson> outcome) {
    return Initialize.written(id, request().method(), outcome, result -> result, modern);
  }

  /** The host cannot take the call: its session has ended. */
  void lost() {
    cancel();
    McpFailure ended = McpErrors.sessionEnded();
    asked
        .reply()
        .answer(200, McpErrors.message(id, ended), LostStreamAnswers.eventId(asked.exchange()));
    over();
  }

  private void over() {
    by = AnsweredBy.NOBODY;
    door.forget(this);
    session.changed(this, true);
  }

  private boolean handOver(boolean keep) {
    if (by == AnsweredBy.DOOR) {
      by = AnsweredBy.HOST;
      door.handOver(this, keep);
      if (left) {
        door.tellGone(this);
      }
    }
    return by == AnsweredBy.HOST;
  }

  // ---- for the session's host, on any thread

  @Override
  public RawJson id() {
    return id;
  }

  @Override
  public @Nullable ConnectionId at() {
    return sentTo;
  }

  @Override
  public boolean isRead() {
    return !left;
  }

  @Override
  public void cancelled(@Nullable RawJson params) {
    context.runOnContext(
        now -> {
          silent = true;
          if (params == null) {
            cancel();
          } else {
            cancel(params);
          }
          if (by == AnsweredBy.DOOR) {
            over();
            asked.reply().end(); // MCP, Cancellation: no response to a cancelled request
          }
        });
  }

  @Override
  public Future<Boolean> handOver() {
    Promise<Boolean> done = Promise.promise();
    context.runOnContext(now -> done.complete(handOver(false)));
    return done.future();
  }

  @Override
  public void sessionEnded() {
    context.runOnContext(
        now -> {
          if (by == AnsweredBy.DOOR) {
            cancel();
            over();
            asked.reply().answer(200, McpErrors.message(id, McpErrors.sessionEnded()), null);
          }
        });
  }
}
