package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.CallerFacts;
import dev.mcpbus.bus.CallerLogins;
import dev.mcpbus.bus.ClientAnswer;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ServerNotice;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.directory.DirectorySnapshot;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.gateway.client.ClientConnections.Opened;
import dev.mcpbus.gateway.client.OpenQuestions.Question;
import dev.mcpbus.gateway.dialect.Dialect;
import dev.mcpbus.gateway.dialect.HandshakeAnswers;
import dev.mcpbus.gateway.dialect.Initialize;
import dev.mcpbus.gateway.dialect.TaskForms;
import dev.mcpbus.gateway.request.HostMessage.From;
import dev.mcpbus.gateway.request.HostMessage.StatedClient;
import dev.mcpbus.gateway.request.HostMessage.StreamMessage;
import dev.mcpbus.gateway.request.LoginElicitation;
import dev.mcpbus.gateway.request.PublishedSession;
import dev.mcpbus.gateway.request.WatchedResources;
import dev.mcpbus.gateway.request.WatchedResources.SubscriptionSender;
import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.internals.ByteBudget.ByteUse;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ProgressToken;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.TaskId;
import dev.mcpbus.security.Principal;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One client of either era at its session host: its connections, questions, streams and calls, and
 * whether it is in use. No other client sees anything of it: the {@link CallRegistry} finds the
 * client of a message from a server by the call or the private connection. {@link Dialect} has the
 * rules in which the eras differ. A client of the {@code initialize} era has a session. The
 * protocol gives one of the {@code discover} era none, but servers of the other era that it calls
 * keep one for it: here is what all its requests share. Confined to the host's context.
 */
final class GatewayClient implements ClientConnections.Holder {

  private static final String STANDING = "";

  private final HostParts host;
  private final Dialect dialect;
  private final @Nullable StatedSession stated;
  private final Future<Void> claimed;
  private final Consumer<GatewayClient> ends;
  private final Context context;
  private final ByteBudget.ByteAccount kept;
  private final SubscriptionSender shared;

  /** The keys of questions that wait for the host to have their call. */
  private final Set<String> waiting = new HashSet<>();

  /** By the HTTP verticle's name of the response; the standalone stream of a session as "". */
  private final Map<String, ClientStream> listening = new LinkedHashMap<>();

  private final Set<ListKind> listed = EnumSet.noneOf(ListKind.class);
  private String statementText = "";
  private @Nullable ClientStatement statement;
  private boolean begun;
  private final long since = System.nanoTime();
  private long used = since;

  final String key;
  final String owner;
  final ClientConnections connections;
  final CallsInFlight calls;
  final OpenQuestions questions;
  final SessionStreams streams;
  final SessionTasks tasks;

  /** What the HTTP verticles of this node know of it. */
  final PublishedSession published;

  /** Begins the ids of its calls that go straight to a connection. */
  final String callIds;

  /** What counts of the last request, of a client without a session. */
  private CallerFacts lastCaller;

  /** Notifications that wait for a connection. */
  int notifications;

  /**
   * @param key names it among all clients; of a session its id
   * @param owner the name of its principal; it never changes
   * @param stated null for a client of the {@code discover} era
   * @param claimed fails with {@link ClaimedElsewhereException} if another host has the client
   * @param ends receives the client when it ends by itself
   */
  GatewayClient(
      HostParts host,
      String key,
      String owner,
      @Nullable StatedSession stated,
      Future<Void> claimed,
      Consumer<GatewayClient> ends) {
    this.host = host;
    this.key = key;
    this.owner = owner;
    this.stated = stated;
    this.lastCaller = new CallerFacts(owner);
    this.claimed = claimed;
    this.ends = ends;
    this.dialect = stated == null ? Dialect.DISCOVER : Dialect.INITIALIZE;
    this.context = host.vertx().getOrCreateContext();
    this.kept =
        stated == null ? ByteBudget.of(host.vertx()).account(ByteUse.KEPT, owner) : stated.kept;
    this.shared = WatchedResources.shared(host.vertx().eventBus(), key, this::caller);
    this.published =
        new PublishedSession(
            host.maxCalls(),
            inUse -> host.bound().use(key, inUse),
            () -> context.runOnContext(now -> noteUse()));
    this.calls = new CallsInFlight(context, published);
    this.streams = new SessionStreams(host.vertx().eventBus(), kept);
    this.questions = new OpenQuestions(host.vertx(), this::publish);
    this.connections = new ClientConnections(host, this, this::kinds, this::changed);
    this.tasks = new SessionTasks(host, owner, connections, this::view);
    this.callIds = stated == null ? "" : host.registry().add(this);
    if (stated != null) {
      SubscriptionSender sender = connections.sender(key, this::of, shared);
      listening.put(STANDING, ClientStream.standing(streams, stated.view(), sender));
    }
  }

  @Override
  public String owner() {
    return owner;
  }

  /** Completes when this host has the client; fails if another has it. */
  Future<Void> claimed() {
    return claimed;
  }

  // ---- of its session

  boolean hasSession() {
    return stated != null;
  }

  StatedSession stated() {
    return Objects.requireNonNull(stated);
  }

  DirectoryView view() {
    return stated().view();
  }

  /** Its standalone stream. */
  ClientStream standing() {
    return Objects.requireNonNull(listening.get(STANDING));
  }

  /** The result of {@code initialize}. */
  RawJson initialized(HandshakeAnswers answers) {
    RawJson result = stated().initialized(answers);
    ready();
    return result;
  }

  /**
   * Takes over the session of a lost node: all lists count as changed.
   *
   * @param level of logs; null for none
   */
  void resume(@Nullable String level) {
    streams.resume();
    standing().changes.forget();
    if (level != null) {
      connections.logLevel.want(level);
    }
    ready();
  }

  private void ready() {
    begun = true;
    publish();
  }

  /** Calls may go straight to shared connections while the session has nothing to add to them. */
  void publish() {
    StatedSession own = stated;
    published.publish(
        own == null
                || !begun
                || connections.logLevel.get() != null
                || !connections.isEmpty()
                || !questions.isEmpty()
            ? null
            : new PublishedSession.Facts(
                host.registry().host(),
                own.view().name(),
                own.text(),
                own.view().rights(),
                own.view().caller(),
                own.version(),
                own.once,
                callIds));
  }

  /** Whether a message comes by the session's path and from the session's principal. */
  boolean isOf(From from) {
    return stated != null && stated.isOf(from);
  }

  /**
   * Takes the rights of a message: those of the token that came with it, by the policies of now.
   * They hold until the next message, also for what the session sends by itself.
   *
   * @param from whom the message comes
   * @return false if the principal may not use the view any more
   */
  boolean enter(From from) {
    StatedSession own = stated();
    String text = from.principal();
    boolean same = own.text().equals(text);
    CallerFacts before = own.view().caller();
    boolean sameCaller =
        before == null ? host.directory().hasNoCallers() : before.equals(from.whose());
    if (same && sameCaller && host.directory().rights(own.principal()) == own.view().rights()) {
      return true;
    }
    Principal now = same ? own.principal() : Principal.parse(text);
    DirectoryView seen = host.directory().view(own.view().name(), now, from.whose());
    if (seen == null) {
      return false;
    }
    if (!same) {
      host.store().note(key, HostMap.PRINCIPAL, text);
    }
    own.enter(seen, now, text);
    standing().look(seen);
    changed();
    publish();
    return true;
  }

  /** Whether the client may receive what comes over a connection. */
  private boolean sees(String connection) {
    ConnectionId server = connections.serverOf(connection);
    return stated == null || server == null || view().includes(server.value());
  }

  // ---- whether it is in use

  void touch() {
    used = System.nanoTime();
  }

  /** It has done something, or reads something else now. */
  void noteUse() {
    touch();
    published.noteUse(isInUseByHost(), calls.size());
    connections.use(isInUse());
  }

  private boolean isInUseByHost() {
    for (ClientStream stream : listening.values()) {
      if (stream.isRead()) {
        return true;
      }
    }
    return calls.areInUse();
  }

  /**
   * Whether it listens, or waits for an answer. A call whose client has left continues, because the
   * client may come back, but does not keep other clients out.
   */
  boolean isInUse() {
    return isInUseByHost() || published.isRead();
  }

  boolean isIdle(long now, long idleNanos) {
    return !isBusy() && !isInUse() && now - Math.max(used, published.used()) > idleNanos;
  }

  /** Whether calls are in flight. */
  boolean isBusy() {
    return !calls.isEmpty() || !published.calls().isEmpty();
  }

  /** How many requests are in flight. */
  int size() {
    return calls.size() + published.calls().size();
  }

  /** Forgets it where nothing of it needs to be kept. */
  void endIfUnused() {
    if (dialect.endsUnused() && !isBusy() && listening.isEmpty() && connections.isEmpty()) {
      ends.accept(this);
    }
  }

  /**
   * Another client needs a private connection of this one. A session, of which its connection is a
   * part, ends with it, so that its client notices and begins a new one.
   */
  @Override
  public boolean giveUp(String connection) {
    if (isInUse()) {
      return false;
    }
    if (dialect.endsWhole()) {
      ends.accept(this);
      return true;
    }
    calls.at(connection).forEach(HeldCall::cancel);
    connections.end(connection);
    endIfUnused();
    return true;
  }

  // ---- its calls

  void begins(HeldCall call) {
    calls.begins(call);
    noteUse();
  }

  /** A call is over; false if it was before. */
  boolean ended(HeldCall call) {
    host.registry().remove(call.callId());
    boolean ended = calls.ended(call);
    noteUse();
    return ended;
  }

  /**
   * The call whose client gets what comes over a private connection. What is known to belong to no
   * call in flight goes to the standalone stream, if the client reads it. All else is for the
   * latest call there.
   *
   * @param callId empty where no call in flight is it, null where that is not known
   */
  private @Nullable HeldCall call(
      @Nullable String callId, @Nullable String connection, Predicate<HeldCall> which) {
    HeldCall named = callId == null ? null : calls.get(callId);
    if (named != null || connection == null) {
      return named != null && which.test(named) ? named : null;
    }
    boolean any =
        callId == null || (!streams.standing().isRead() && (stated != null || callId.isEmpty()));
    return any ? calls.latest(connection, which) : null;
  }

  // ---- its connections

  /** What a message states about the client; it states the same nearly always. */
  ClientStatement statement(StatedClient client) {
    String text = client.capabilities();
    ClientStatement known = statement;
    if (known != null && text.equals(statementText)) {
      return known;
    }
    RawJson said = RawJson.EMPTY_OBJECT.with("capabilities", RawJson.of(text));
    String info = client.info();
    ClientStatement fresh =
        ClientStatement.of(info == null ? said : said.with("clientInfo", RawJson.of(info)), null);
    statementText = text;
    statement = fresh;
    return fresh;
  }

  /**
   * The connection that answers it for a server.
   *
   * @param what a new connection tells the server
   */
  Future<Opened> connection(String server, ClientStatement what) {
    return claimed.compose(own -> connections.of(new ConnectionId(server), what));
  }

  /** The connection that answers the requests of its session for {@code server}. */
  Future<ConnectionId> connection(String server) {
    return of(server)
        .map(
            at -> {
              if (!at.renewable()) {
                // The state of its calls ends with this node: no other can take the session over.
                host.store().end(key);
              }
              return at.id();
            });
  }

  private Future<Opened> of(String server) {
    DirectoryEntry facts = snapshot().server(server);
    return facts != null && !facts.hasSessions()
        ? Future.succeededFuture(Opened.shared(facts.id(), 0))
        : connections.of(new ConnectionId(server), stated().statement());
  }

  /** Completes when its connection has that log level, or refuses it; at once at a shared one. */
  Future<Void> level(Opened own, String wanted) {
    return own.shared() ? Future.succeededFuture() : connections.logLevel.tell(own.id(), wanted);
  }

  @Override
  public void connectionsChanged() {
    publish();
  }

  @Override
  public void begun(ConnectionId server) {
    listening.values().forEach(stream -> stream.watched.renew(server.value()));
  }

  @Override
  public boolean watches(ConnectionId server) {
    return isInUse()
        && listening.values().stream().anyMatch(one -> one.watched.watches(server.value()));
  }

  // ---- its lists and streams

  /** The lists that it sees. */
  DirectorySnapshot seen() {
    return connections.lists.over(snapshot());
  }

  /** The lists of all, and its own of servers that act for their callers. */
  DirectorySnapshot snapshot() {
    return host.directory().snapshot().of(caller());
  }

  private CallerFacts caller() {
    CallerFacts now = stated == null ? null : stated.view().caller();
    return now == null ? lastCaller : now;
  }

  /** A request of a client without a session: what counts of it holds until the next one. */
  void comes(From from) {
    lastCaller = from.whose();
  }

  /** The kinds that it has read or listens to. */
  private Set<ListKind> kinds() {
    Set<ListKind> all = EnumSet.copyOf(listed);
    listening.values().forEach(stream -> all.addAll(stream.changes.seen()));
    return all;
  }

  /** Completes when its own lists of that kind are known, where they may differ. */
  Future<Void> listed(DirectoryView view, ListKind kind, ClientStatement what) {
    listed.add(kind);
    return connections.listed(view, kind, what);
  }

  /** It reads a stream of its session: its standalone one, or the rest of a response. */
  void stream(Message<?> message, StreamMessage wanted) {
    ResumableStream stream = streams.open(wanted, () -> message.reply(Buffer.buffer()));
    noteUse();
    if (stream == streams.standing()) {
      changed();
    }
  }

  /** It listens with a response from now on. */
  ClientStream listens(From from, DirectoryView view, Set<ListKind> kinds, ClientStatement what) {
    SubscriptionSender sender =
        connections.sender(
            from.exchange(),
            server -> connection(server, what),
            (resource, wanted, params) ->
                wanted
                    ? Future.failedFuture(
                        McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "no own connection"))
                    : Future.succeededFuture(RawJson.EMPTY_OBJECT)); // its session has ended
    ClientStream stream = ClientStream.listening(host.vertx().eventBus(), from, view, sender);
    listening.put(from.exchange(), stream);
    stream.begins(seen(), kinds);
    noteUse();
    return stream;
  }

  /** The subscriptions of all its streams. */
  int watched() {
    return listening.values().stream().mapToInt(stream -> stream.watched.size()).sum();
  }

  /** It has closed a response. */
  void gone(String exchange) {
    streams.gone(exchange);
    forget(exchange);
    noteUse();
    endIfUnused();
  }

  private void forget(String exchange) {
    ClientStream stream = listening.remove(exchange);
    if (stream != null) {
      stream.watched.close();
    }
  }

  /** A node has left the cluster, and with it the responses that its HTTP verticles held. */
  void left(String node) {
    streams.left(node);
    List.copyOf(listening.keySet()).stream()
        .filter(one -> Objects.requireNonNull(listening.get(one)).isLost(node))
        .forEach(this::forget);
    noteUse();
    endIfUnused();
  }

  // ---- what comes from servers

  /** Its own lists may have changed: tells it of those that have since it read them. */
  void changed() {
    DirectorySnapshot seen = seen();
    listening.values().forEach(stream -> stream.changed(seen));
  }

  /** The shared lists have changed. */
  void noticed() {
    if (!listening.isEmpty()) {
      DirectorySnapshot seen = seen();
      listening.values().forEach(stream -> stream.noticed(seen));
    }
  }

  /** A server reports over a shared connection that a list, a resource or a task has changed. */
  void updated(ServerNotice event) {
    String server = event.connection();
    RawJson params = event.params();
    if (!dialect.hearsShared() || !event.isFor(owner)) {
      return;
    }
    if (Events.TASK.equals(event.type())) {
      task(event);
    } else if (connections.has(new ConnectionId(server))) {
      return; // its own connection says it
    } else if (CallerLogins.COMPLETE.equals(event.method())) {
      loggedIn(params);
    } else if (Events.NOTIFICATION.equals(event.type())) {
      standing().announced(server, event.method(), params);
    } else {
      standing().updated(seen(), server, params);
    }
  }

  /**
   * The principal has logged in at a server: the page that its client was asked to open is done.
   */
  private void loggedIn(RawJson params) {
    if (stated != null && LoginElicitation.isOffered(stated.once.capabilities())) {
      streams.standing().send(Initialize.notification(CallerLogins.COMPLETE, params));
    }
  }

  @Override
  public void reported(String callId, String method, RawJson params) {
    HeldCall call = calls.get(callId);
    if (call != null && (!method.equals(Methods.MESSAGE) || wants(params))) {
      call.reported(method, params);
    }
  }

  /**
   * Whether the client gets a log message. The server of a view of one server has the level from
   * the client, and decides itself.
   */
  private boolean wants(RawJson log) {
    String level = connections.logLevel.get();
    return level == null || view().isOfOneServer() || Initialize.reaches(log, level);
  }

  @Override
  public void heard(ServerNotice event) {
    String connection = event.connection();
    RawJson params = event.params();
    ConnectionId server = connections.serverOf(connection);
    switch (event.type()) {
      case Events.LOG -> {
        if (wants(params)) {
          pass(event, Methods.MESSAGE);
        }
      }
      case Events.NOTIFICATION -> {
        String method = event.method();
        if (!ListKind.announcedBy(method).isEmpty()) {
          if (server != null) {
            connections.lists.announced(server, method);
            listening.values().forEach(one -> one.announced(server.value(), method, params));
          }
        } else if (method.equals(UrlElicitations.COMPLETE) && !dialect.asksOnStreams()) {
          calls.at(connection).forEach(call -> call.opened(params));
        } else if (isForClients(method)) {
          pass(event, method);
        }
      }
      case Events.TASK -> task(event);
      case Events.RESOURCE_UPDATED -> {
        if (server != null) {
          DirectorySnapshot seen = seen();
          listening.values().forEach(one -> one.updatedByOwn(seen, server.value(), params));
        }
      }
      default -> {
        connections.changed(connection, event.type());
        endIfUnused();
      }
    }
  }

  /**
   * Whether a notification of a server is for its clients: one that MCP does not define, unless
   * that is off. What is of MCP, or could be read so, has its own way or comes from clients alone.
   */
  private boolean isForClients(String method) {
    return method.equals(UrlElicitations.COMPLETE)
        || (!Methods.isKnown(method) && (stated == null || view().hearsUnknown()));
  }

  private void pass(ServerNotice event, String method) {
    if (!sees(event.connection())) {
      return;
    }
    HeldCall call = call(event.call(), event.connection(), one -> one.hears(event));
    if (call != null) {
      call.heard(event, method);
    } else if (stated != null) {
      streams.standing().send(Initialize.notification(method, event.params()));
    }
  }

  /**
   * A task that the client knows has changed, on a private connection or a shared one. A client
   * without names for tasks of servers hears it by the call that became the task, and by no other.
   */
  private void task(ServerNotice event) {
    if (dialect.namesTasks()) {
      String id = tasks.id(event.connection(), TaskId.of(event.params()));
      if (id != null) {
        RawJson task = TaskForms.forInitialize(event.params(), id);
        streams.standing().send(Initialize.notification(Methods.TASKS_STATUS, task));
      }
      return;
    }
    HeldCall call = event.call() == null ? null : calls.get(event.call());
    if (call != null && call.hears(event)) {
      call.heard(event, event.method());
    }
  }

  // ---- what servers ask

  @Override
  public Future<ClientAnswer> asked(
      @Nullable String callId,
      @Nullable String connection,
      String question,
      String method,
      RawJson params) {
    HeldCall call = callId == null ? null : calls.get(callId);
    if (call == null && callId != null && stated != null && callId.startsWith(callIds + "/")) {
      waiting.add(question);
      return calls
          .taken(callId)
          .onFailure(over -> waiting.remove(question))
          .compose(
              there ->
                  waiting.remove(question)
                      ? asked(callId, connection, question, method, params)
                      : Future.failedFuture(CallRegistry.gone()));
    }
    String of = call == null ? null : callId;
    if (!dialect.asksOnStreams()) {
      RawJson own = ProgressToken.removedFrom(params);
      Question asked = new Question(question, method, own, of, connection);
      return call == null ? asked(connection, asked) : call.ask(asked);
    }
    RawJson own = ofTask(call, connection, params);
    if (!passes(method) && !offers(method, own)) {
      return Future.failedFuture(OpenQuestions.notOffered(method));
    }
    // Servers ask for roots when they start, and the connection starts with the first call.
    boolean outside = call == null && method.equals(Methods.ROOTS_LIST);
    HeldCall at = call(outside ? "" : callId, connection, any -> true);
    Question asked = new Question(question, method, own, of, connection);
    return at == null ? questions.ask(streams.standing(), asked) : at.ask(asked);
  }

  /**
   * A question that names no call is for one that is under way there. If none is, it waits for the
   * next one.
   */
  private Future<ClientAnswer> asked(@Nullable String connection, Question question) {
    HeldCall call = connection == null ? null : calls.asking(connection, question);
    if (call != null) {
      return call.ask(question);
    }
    if (connection == null
        || !calls.at(connection).isEmpty()
        || !connections.states(connection, question.method(), question.params())) {
      return Future.failedFuture(OpenQuestions.notOffered(question.method()));
    }
    questions.early(connection, question);
    return question.answer();
  }

  /**
   * A question outlives the call that had it: another call under way there has it from now on, or
   * the next one if it is about the session.
   *
   * @return false if there is none: it may have belonged to that call alone
   */
  boolean keep(Opened own, Question question) {
    HeldCall call = calls.asking(own.id().value(), question);
    if (call != null) {
      call.ask(question);
    } else if (question.isOfSession()) {
      questions.early(own.id().value(), question);
    }
    return call != null || question.isOfSession();
  }

  /** Whether the client of a session has stated that it answers a question. */
  private boolean offers(String method, RawJson params) {
    return OpenQuestions.isOffered(stated().statement().capabilities(), method, params);
  }

  /**
   * Whether a request that MCP does not define reaches the client: where one server alone can have
   * sent it.
   */
  private boolean passes(String method) {
    return !Methods.isKnown(method) && view().isOfOneServer() && view().options().passUnknown();
  }

  /** A question about a task names the task by the client's id. */
  private RawJson ofTask(@Nullable HeldCall call, @Nullable String connection, RawJson params) {
    String own = TaskId.related(params);
    String id =
        !own.isEmpty() && connection != null
            ? tasks.id(connection, own)
            : call == null ? null : call.taskId();
    return id == null ? params : TaskId.withRelated(params, id);
  }

  @Override
  public void withdrawn(String question) {
    waiting.remove(question);
    questions.withdrawn(question);
  }

  // ---- its end

  /** The host ends the client: calls and questions of it that wait fail. */
  Future<Void> close() {
    if (stated != null) {
      host.bound().remove(key);
      host.published().remove(key, published);
      host.registry().remove(callIds);
      if (host.telemetry() != null) {
        host.telemetry().sessionEnded(stated.version(), System.nanoTime() - since);
      }
    }
    published.close();
    calls.close();
    questions.close(stated == null ? "the client has gone" : "the client's session has ended");
    listening.values().forEach(ClientStream::end);
    listening.clear();
    streams.close();
    tasks.close();
    kept.close();
    return connections.close();
  }
}
