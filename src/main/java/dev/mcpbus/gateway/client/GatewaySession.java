package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.InboundSpan;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ServerNotice;
import dev.mcpbus.bus.Telemetry;
import dev.mcpbus.bus.TelemetryOperation;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.gateway.dialect.HandshakeAnswers;
import dev.mcpbus.gateway.dialect.Initialize;
import dev.mcpbus.gateway.request.HostMessage.From;
import dev.mcpbus.gateway.request.HostMessage.PostMessage;
import dev.mcpbus.gateway.request.HostMessage.StreamMessage;
import dev.mcpbus.gateway.request.ListChangeTracker;
import dev.mcpbus.gateway.request.PublishedSession;
import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.internals.ByteBudget.ByteUse;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.TraceContext;
import dev.mcpbus.security.Principal;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * One session of a client of the {@code initialize} era: whose it is, with which rights, whether it
 * is in use, and its parts. No other session sees anything of it: the {@link CallRegistry} finds
 * the session of a message from a server by the call or the private connection. Confined to the
 * context of its host.
 */
final class GatewaySession {

  /** Of the params of {@code initialize}, and of its notification, bytes. */
  private static final int MAX_STATED = 256 * 1024;

  /** Objects cost so many times their text; those of ordinary capabilities are not counted. */
  private static final int OBJECT_COST = 48;

  private static final int FREE_OBJECTS = 4 * 1024;

  private final HostParts host;
  private DirectoryView view;
  private Principal principal;
  private String principalText;
  private ProtocolVersion version;
  private final ByteBudget.ByteAccount stated;

  // For the parts of this session.
  final String id;
  final SessionStreams streams;
  final OpenQuestions questions;
  final SessionSubscriptions subscriptions;
  final ListChangeTracker changes;
  final SessionInbox inbox;
  final SessionServers servers;
  final SessionTasks tasks;
  final SessionRequests requests;
  final Context context;

  /** What the HTTP verticles of this node know of it. */
  final PublishedSession published;

  /** Begins the ids of its calls that go straight to a connection. */
  final String callIds;

  private boolean begun;
  private final long since = System.nanoTime();
  private long used = since;

  /**
   * @param params of {@code initialize}
   * @throws McpFailure if they are too long, or their owner cannot pay for them
   */
  GatewaySession(
      HostParts host, String id, DirectoryView view, Principal principal, RawJson params) {
    this.host = host;
    this.id = id;
    this.view = view;
    this.principal = principal;
    this.principalText = principal.text();
    this.stated = ByteBudget.of(host.vertx()).account(ByteUse.KEPT, principal.name());
    RawJson capabilities = params.member("capabilities");
    RawJson initialize = kept(params, capabilities == null ? 0 : capabilities.length());
    RawJson wanted = initialize.member("protocolVersion");
    this.version =
        ProtocolVersion.ofWire(wanted == null || !wanted.isString() ? "" : wanted.asString())
            .filter(known -> known.era() == Era.INITIALIZE)
            .orElse(ProtocolVersion.LATEST_INITIALIZE);
    this.context = host.vertx().getOrCreateContext();
    this.published =
        new PublishedSession(
            host.maxCalls(),
            inUse -> host.bound().use(id, inUse),
            () -> context.runOnContext(now -> noteUse()));
    this.streams = new SessionStreams(host.vertx().eventBus(), stated);
    this.questions = new OpenQuestions(host.vertx(), this::publish);
    this.subscriptions = new SessionSubscriptions(host, this);
    this.changes = new ListChangeTracker(view);
    this.inbox = new SessionInbox(this);
    this.servers = new SessionServers(host, this, initialize);
    this.tasks = new SessionTasks(host, this);
    this.requests = new SessionRequests(host, this);
    this.callIds = host.registry().add(inbox);
  }

  // ---- what HTTP verticles know

  /** Calls may go straight to shared connections while the session has nothing to add to them. */
  void publish() {
    boolean free =
        begun && inbox.level() == null && servers.connections.isEmpty() && questions.isEmpty();
    published.publish(
        free
            ? new PublishedSession.Facts(
                host.registry().host(),
                view.name(),
                principalText,
                view.rights(),
                version.wire(),
                servers.stated(),
                callIds)
            : null);
  }

  /**
   * What the client states and the session keeps, paid for; a copy, because the body of its request
   * may be longer.
   *
   * @param objects so many bytes of it are kept as objects as well
   */
  private RawJson kept(RawJson params, int objects) {
    int length = params.length();
    if (length > MAX_STATED) {
      throw McpFailure.notSent(
          FailureCode.LIMIT_EXCEEDED, "the params must have " + MAX_STATED + " bytes at most");
    }
    int cost = length + OBJECT_COST * Math.max(0, objects - FREE_OBJECTS);
    if (!stated.take(cost)) {
      throw McpFailure.unpaid(McpFailure.Sent.NO, stated.refusal(cost));
    }
    return RawJson.of(params.toString());
  }

  // ---- whose it is

  DirectoryView view() {
    return view;
  }

  Principal principal() {
    return principal;
  }

  /** The name of the principal; it never changes. */
  String owner() {
    return principal.name();
  }

  // ---- its beginning

  /** Measures the request that begins the session; null where nothing is measured. */
  @Nullable TelemetryOperation begins(RawJson id, RawJson params) {
    Telemetry telemetry = host.telemetry();
    return telemetry == null
        ? null
        : telemetry.received(
            new InboundSpan(
                "mcp",
                Methods.INITIALIZE,
                id,
                version.wire(),
                TraceContext.ofMeta(params.member("_meta")),
                null));
  }

  /** The version of the protocol that it speaks. */
  String version() {
    return version.wire();
  }

  /** The result of {@code initialize}. */
  RawJson initialized(HandshakeAnswers answers) {
    version = answers.version(view, version);
    begun = true;
    publish();
    return answers.initialize(view, version);
  }

  /** Takes over the session of a lost node: all lists count as changed. */
  void resume(JsonObject facts) {
    streams.resume();
    changes.forget();
    if (facts.getValue(SessionStore.LEVEL) instanceof String level) {
      inbox.level(level);
      servers.connections.wantLevel(level);
    }
    subscriptions.continueFrom(view, facts);
    begun = true;
    publish();
  }

  /** Whether a message comes by the session's path and from the session's principal. */
  boolean isOf(From from) {
    return view.name().equals(from.view())
        && (principalText.equals(from.principal())
            || principal.name().equals(Principal.nameIn(from.principal())));
  }

  /**
   * Takes the rights of a message: those of the token that came with it, by the policies of now.
   * They hold until the next message, also for what the session sends by itself.
   *
   * @param text {@code Principal.text()} of the message
   * @return false if the principal may not use the view any more
   */
  boolean enter(String text) {
    boolean same = principalText.equals(text);
    if (same && host.directory().rights(principal) == view.rights()) {
      return true;
    }
    Principal now = same ? principal : Principal.parse(text);
    DirectoryView seen = host.directory().view(view.name(), now);
    if (seen == null) {
      return false;
    }
    if (!same) {
      principal = now;
      principalText = text;
      host.store().note(id, SessionStore.PRINCIPAL, text);
    }
    view = seen;
    changes.look(seen);
    changed();
    publish();
    return true;
  }

  // ---- whether it is in use

  void touch() {
    used = System.nanoTime();
  }

  void noteUse() {
    noteUseByHost();
    servers.connections.use(isInUse());
  }

  private void noteUseByHost() {
    published.noteUse(isInUseByHost(), requests.size());
  }

  private boolean isInUseByHost() {
    return streams.standing().isRead() || requests.isRead();
  }

  /**
   * Whether its client reads: its standalone stream, or the response of a call. A call whose client
   * has left continues, because the client may come back, but does not keep other clients out.
   */
  boolean isInUse() {
    return isInUseByHost() || published.isRead();
  }

  boolean isIdle(long now, long idleNanos) {
    return !isBusy() && !isInUse() && now - Math.max(used, published.used()) > idleNanos;
  }

  /** Whether calls are in flight. */
  boolean isBusy() {
    return requests.size() > 0 || !published.calls().isEmpty();
  }

  /**
   * Another client needs a private connection of this session: an idle session ends, and its client
   * begins a new one.
   *
   * @return false if the session is in use
   */
  boolean giveUp() {
    if (isInUse()) {
      return false;
    }
    host.end().accept(id);
    return true;
  }

  // ---- messages of the client

  void post(Message<?> message, PostMessage post, Envelope envelope) {
    RawJson requestId = envelope.id();
    if (envelope.kind() == Envelope.Kind.REQUEST && requestId != null) {
      requests.request(message, post, requestId, envelope.method(), envelope.params());
    } else {
      if (envelope.kind() == Envelope.Kind.NOTIFICATION) {
        notified(message, post, envelope.method(), envelope.params());
      } else {
        questions.answered(envelope);
      }
      message.reply(Buffer.buffer());
    }
    noteUseByHost(); // restarts the idle time
  }

  private void notified(Message<?> message, PostMessage post, String method, RawJson params) {
    RawJson cancelled = params.member("requestId");
    if (method.equals(Methods.INITIALIZED)) {
      servers.initialized(params.isAbsent() ? params : kept(params, 0));
    } else if (method.equals(Methods.ROOTS_CHANGED)) {
      servers.connections.rootsChanged(params);
    } else if (method.equals(Methods.CANCELLED) && cancelled != null) {
      requests.cancel(cancelled, params);
    } else if (method.equals(Methods.PROGRESS)) {
      String asks = questions.asking(params.member(MetaKeys.PROGRESS_TOKEN));
      if (asks != null) {
        servers.connections.progressed(asks, params);
      }
    } else if (method.equals(Methods.TASKS_STATUS)) {
      if (view.isOfOneServer()) { // the client's id of the task names no server
        servers.connections.taskChanged(params);
      }
    } else if (!Methods.isKnown(method)) {
      requests.notification(message, post, method, params);
    }
  }

  /** The client opens a stream: its standalone one, or the rest of a response. */
  void stream(Message<?> message, StreamMessage wanted) {
    ResumableStream stream = streams.open(wanted, () -> message.reply(Buffer.buffer()));
    noteUse();
    if (stream == streams.standing()) {
      changed();
    }
  }

  /** Whether the client asks for a stream whose events are lost with another node. */
  boolean isLost(@Nullable String lastEventId) {
    return streams.isLost(lastEventId);
  }

  /** The client knows event ids of a response. */
  void keep(String exchange) {
    streams.keep(exchange);
  }

  /** The client has closed a response. */
  void gone(String exchange) {
    streams.gone(exchange);
    touch();
    noteUse();
  }

  /** A node has left the cluster, and with it the responses that its HTTP verticles held. */
  void left(String node) {
    streams.left(node);
    touch();
    noteUse();
  }

  // ---- what comes from servers

  /** Tells the client of lists that have changed since it read them. */
  void changed() {
    for (String due : changes.due(servers.connections.lists.over(host.directory().snapshot()))) {
      streams.standing().send(MessageWriter.notification(due, null));
    }
  }

  /** A server reports that a list, a resource or a task has changed. */
  void updated(ServerNotice event) {
    if (Events.TASK.equals(event.type())) {
      inbox.task(event.connection(), event.params());
      return;
    }
    if (servers.connections.has(new ConnectionId(event.connection()))) {
      return; // its own connection says it
    }
    if (Events.NOTIFICATION.equals(event.type())) {
      announced(event.connection(), event.method(), event.params());
    } else {
      updated(event.connection(), event.params());
    }
  }

  /**
   * A server announces another list. The client of this server alone gets each announcement as the
   * server sent it; at other views the lists are compared.
   */
  void announced(String server, String method, RawJson params) {
    if (view.server() && view.name().equals(server) && view.includes(server)) {
      changes.announced(method);
      streams.standing().send(Initialize.notification(method, params));
    }
  }

  /**
   * A server reports to this client that a resource has changed.
   *
   * @param params by the server's own URI
   */
  void updated(String server, RawJson params) {
    for (RawJson named : subscriptions.updates(view, server, params)) {
      streams.standing().send(Initialize.notification(Methods.RESOURCE_UPDATED, named));
    }
  }

  /**
   * The client's own session with a server reports that a resource has changed. At the endpoint of
   * this server the report passes as it is: servers also report parts of a resource, and what no
   * client has subscribed to.
   */
  void updatedByOwn(String server, RawJson params) {
    if (view.server() && view.rights().isUnbounded()) {
      streams.standing().send(Initialize.notification(Methods.RESOURCE_UPDATED, params));
    } else {
      updated(server, params);
    }
  }

  // ---- its end

  /** Ends the standalone stream. */
  void hangUp() {
    streams.standing().end();
  }

  Future<Void> close() {
    host.bound().remove(id);
    host.published().remove(id, published);
    host.registry().remove(callIds);
    published.close();
    if (host.telemetry() != null) {
      host.telemetry().sessionEnded(version.wire(), System.nanoTime() - since);
    }
    requests.close();
    questions.close("the client's session has ended");
    subscriptions.close();
    streams.close();
    tasks.close();
    stated.close();
    return servers.connections.close();
  }
}
