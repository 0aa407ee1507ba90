package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.ClientAnswer;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.ServerNotice;
import dev.mcpbus.gateway.client.OpenQuestions.Question;
import dev.mcpbus.gateway.dialect.Initialize;
import dev.mcpbus.gateway.dialect.TaskForms;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.TaskId;
import io.vertx.core.Future;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Receives what servers send to one session, and puts each message on the stream on which the
 * client expects it. Confined to the session's host.
 */
final class SessionInbox implements ClientConnections.Holder {

  private final GatewaySession session;
  private @Nullable String level;

  /** The keys of questions that wait until this host has their call. */
  private final Set<String> waiting = new HashSet<>();

  SessionInbox(GatewaySession session) {
    this.session = session;
  }

  /** Sets the lowest level of log messages that the client wants. */
  void level(String wanted) {
    level = wanted;
  }

  /** Null until the client has set a level. */
  @Nullable String level() {
    return level;
  }

  /**
   * The stream for what comes over a private connection: that of its call. What is known to belong
   * to no call in flight goes to the standalone stream, if the client reads it. All else goes to
   * the stream of the latest call there.
   *
   * @param callId empty where no call in flight is it, null where that is not known
   */
  private ResumableStream stream(@Nullable String callId, @Nullable String connection) {
    SessionCall call = callId == null ? null : session.requests.get(callId);
    ResumableStream standing = session.streams.standing();
    if (call == null && connection != null && (callId == null || !standing.isRead())) {
      call = session.requests.latestAt(connection);
    }
    return call == null ? standing : call.stream;
  }

  @Override
  public void reported(String callId, String method, RawJson params) {
    SessionCall call = session.requests.get(callId);
    if (call == null) {
      return;
    }
    if (method.equals(Methods.PROGRESS)) {
      if (call.token != null) {
        call.stream.send(
            Initialize.notification(method, params.with(MetaKeys.PROGRESS_TOKEN, call.token)));
      }
    } else if (!method.equals(Methods.MESSAGE) || wants(params)) {
      call.stream.send(Initialize.notification(method, call.named(method, params)));
    }
  }

  /**
   * Whether the client gets a log message. The server of a view of one server has the level from
   * the client, and decides itself.
   */
  private boolean wants(RawJson log) {
    return level == null || session.view().isOfOneServer() || Initialize.reaches(log, level);
  }

  @Override
  public Future<ClientAnswer> asked(
      @Nullable String callId,
      @Nullable String connection,
      String question,
      String method,
      RawJson params) {
    SessionCall call = callId == null ? null : session.requests.get(callId);
    if (call == null && callId != null && callId.startsWith(session.callIds + "/")) {
      waiting.add(question);
      return session
          .requests
          .taken(callId)
          .onFailure(over -> waiting.remove(question))
          .compose(
              there ->
                  waiting.remove(question)
                      ? asked(callId, connection, question, method, params)
                      : Future.failedFuture(CallRegistry.gone()));
    }
    // Servers ask for roots when they start, and the connection starts with the first call.
    boolean outside = call == null && method.equals(Methods.ROOTS_LIST);
    ResumableStream stream = stream(outside ? "" : callId, connection);
    String of = call == null ? null : callId;
    RawJson asked = ofTask(call, connection, params);
    return passes(method) || session.servers.offers(method, asked)
        ? session.questions.ask(stream, new Question(question, method, asked, of, connection))
        : Future.failedFuture(OpenQuestions.notOffered(method));
  }

  /**
   * Whether a request that MCP does not define reaches the client: where one server alone can have
   * sent it.
   */
  private boolean passes(String method) {
    return !Methods.isKnown(method)
        && session.view().isOfOneServer()
        && session.view().options().passUnknown();
  }

  /** A question about a task names the task by the client's id. */
  private RawJson ofTask(@Nullable SessionCall call, @Nullable String connection, RawJson params) {
    String own = TaskId.related(params);
    String id = null;
    if (!own.isEmpty() && connection != null) {
      id = session.tasks.id(connection, own);
    } else if (call != null && call.request().method().equals(Methods.TASKS_RESULT)) {
      id = TaskId.of(call.request().params());
    }
    return id == null ? params : TaskId.withRelated(params, id);
  }

  @Override
  public void withdrawn(String question) {
    waiting.remove(question);
    session.questions.withdrawn(question);
  }

  /** A connection is a part of its session: the session ends with it, so the client notices. */
  @Override
  public boolean giveUp(String connection) {
    return session.giveUp();
  }

  @Override
  public void heard(ServerNotice event) {
    String connection = event.connection();
    RawJson params = event.params();
    switch (event.type()) {
      case Events.LOG -> {
        if (wants(params)) {
          pass(event, Methods.MESSAGE);
        }
      }
      case Events.NOTIFICATION -> {
        if (!ListKind.announcedBy(event.method()).isEmpty()) {
          announced(connection, event.method(), params);
        } else if (isForClients(event.method())) {
          pass(event, event.method());
        }
      }
      case Events.TASK -> task(connection, params);
      case Events.RESOURCE_UPDATED -> {
        ConnectionId server = session.servers.connections.serverOf(connection);
        if (server != null) {
          session.updatedByOwn(server.value(), params);
        }
      }
      default -> session.servers.connections.changed(connection, event.type());
    }
  }

  @Override
  public String owner() {
    return session.owner();
  }

  @Override
  public void connectionsChanged() {
    session.publish();
  }

  @Override
  public void begun(ConnectionId server) {
    session.subscriptions.renew(server.value());
  }

  @Override
  public boolean watches(ConnectionId server) {
    return session.isInUse() && session.subscriptions.watches(server.value());
  }

  /**
   * Whether a notification of a server is for its clients: one that MCP does not define, unless
   * that is off. What is of MCP, or could be read so, has its own way or comes from clients alone.
   */
  private boolean isForClients(String method) {
    return method.equals(UrlElicitations.COMPLETE)
        || (!Methods.isKnown(method) && session.view().hearsUnknown());
  }

  private void pass(ServerNotice event, String method) {
    if (session.servers.sees(event.connection())) {
      String callId = event.call();
      SessionCall call = callId == null ? null : session.requests.get(callId);
      RawJson params = call == null ? event.params() : call.named(method, event.params());
      stream(callId, event.connection()).send(Initialize.notification(method, params));
    }
  }

  /** The client's own session with a server announces another list. */
  private void announced(String connection, String method, RawJson params) {
    ConnectionId server = session.servers.connections.serverOf(connection);
    if (server != null) {
      session.servers.connections.lists.announced(server, method);
      session.announced(server.value(), method, params);
    }
  }

  /** A task that the client knows has changed, on a private connection or a shared one. */
  void task(String connection, RawJson params) {
    String id = session.tasks.id(connection, TaskId.of(params));
    if (id != null) {
      RawJson task = TaskForms.forInitialize(params, id);
      session.streams.standing().send(Initialize.notification(Methods.TASKS_STATUS, task));
    }
  }
}
