package dev.mcpbus.gateway;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.InstanceId;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.directory.ListKind;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.Via;
import dev.mcpbus.security.Principal;
import dev.mcpbus.security.RequestSource;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One session of a client of the {@code initialize} era. Confined to its host's context. Nothing of
 * it is seen by another session: what comes from a server is found by the call or the lease that it
 * belongs to.
 */
final class GatewaySession {

  private final Vertx vertx;
  private final String id;
  private final FairLimit<GatewaySession> bound;
  private final Consumer<GatewaySession> end;
  private DirectoryView view;
  private Principal principal;
  private String principalText;
  private final ProtocolVersion version;
  private final RawJson capabilities;
  private final RawJson withTasks;
  private final RawJson clientInfo;
  private final Directory directory;
  private final RequestRouter router;
  private final CallRegistry host;
  private final GatewayOptions options;
  private final SessionStore book;
  private final Map<String, SessionCall> calls = new LinkedHashMap<>();
  private final SessionStreams streams;
  private final ClientQuestions questions;
  private final SessionSubscriptions subscribed;
  private final ListChangeTracker changes;
  private final SessionConnections connections;
  private final SessionTasks tasks;
  private final SessionLists lists;
  private final SessionInbox incoming;
  private long used = System.nanoTime();

  /**
   * @param bound that it counts for, and is told whether it is in use
   * @param end ends it from outside, and forgets it
   */
  GatewaySession(
      Vertx vertx,
      String id,
      DirectoryView view,
      Principal principal,
      JsonObject initialize,
      Directory directory,
      RequestRouter router,
      CallRegistry host,
      GatewayOptions options,
      SessionStore book,
      FairLimit<GatewaySession> bound,
      Consumer<GatewaySession> end) {
    this.vertx = vertx;
    this.id = id;
    this.view = view;
    this.principal = principal;
    this.principalText = principal.text();
    this.bound = bound;
    this.end = end;
    this.version =
        ProtocolVersion.ofWire(String.valueOf(initialize.getValue("protocolVersion")))
            .filter(wanted -> wanted.era() == Era.INITIALIZE)
            .orElse(ProtocolVersion.LATEST_INITIALIZE);
    JsonObject can =
        initialize.getValue("capabilities") instanceof JsonObject object
            ? object
            : new JsonObject();
    this.capabilities = RawJson.of(can);
    this.withTasks = TaskForms.offering(capabilities);
    this.clientInfo =
        RawJson.of(
            initialize.getValue("clientInfo") instanceof JsonObject object
                ? object
                : new Implementation("unknown", "").toJson());
    this.directory = directory;
    this.router = router;
    this.host = host;
    this.options = options;
    this.book = book;
    this.streams = new SessionStreams(vertx.eventBus());
    this.questions = new ClientQuestions(vertx, can);
    this.subscribed =
        new SessionSubscriptions(vertx.eventBus(), id, principal.name(), router, book);
    this.changes = new ListChangeTracker(view);
    this.lists = new SessionLists(vertx, changes::seen, this::changed);
    this.incoming =
        new SessionInbox(calls, streams, questions, this::leased, this::sees, this::giveUp);
    this.connections =
        new SessionConnections(
            vertx, host, incoming, principal.name(), can, lists, () -> book.end(id));
    this.tasks = new SessionTasks(directory, router, principal, this::view, connections);
    incoming.tasks(tasks);
  }

  String id() {
    return id;
  }

  DirectoryView view() {
    return view;
  }

  /** It was another node's, which is lost: its client is told to look at all lists again. */
  void resume(JsonObject facts) {
    streams.resume();
    changes.forget();
    if (facts.getValue(SessionStore.LEVEL) instanceof String level) {
      incoming.level(level);
    }
    subscribed.continueFrom(view, facts);
  }

  /** Whoever reads there does not any more. */
  void left(String node) {
    streams.left(node);
    touch();
    noteUse();
  }

  /** True where a stream of before is asked for, whose events were the lost node's. */
  boolean isLost(@Nullable String lastEventId) {
    return streams.isLost(lastEventId);
  }

  /** The result of {@code initialize}. */
  RawJson initialized(Implementation serverInfo) {
    JsonObject result =
        new JsonObject()
            .put("protocolVersion", version.wire())
            .put("capabilities", GatewayCapabilities.capabilities(false, hasTasks()))
            .put("serverInfo", serverInfo.toJson());
    String instructions = directory.snapshot().instructions(view);
    return Via.put(
        RawJson.of(instructions.isEmpty() ? result : result.put("instructions", instructions)),
        directory.snapshot().via(view, InstanceId.of(vertx)));
  }

  private boolean hasTasks() {
    return version == ProtocolVersion.LATEST_INITIALIZE && directory.hasTasks(view);
  }

  /** A fact about a connection of this session alone. */
  private void leased(String lease, String type) {
    ConnectionId server = connections.serverOf(lease);
    if (server == null) {
      return;
    }
    switch (type) {
      case Events.GAVE_UP -> connections.lost(lease);
      case Events.CONNECTED -> lists.connected(server);
      default -> {
        for (ListKind kind : ListKind.values()) {
          if (kind.event.equals(type)) {
            lists.changed(server, kind);
          }
        }
      }
    }
  }

  /** What a server says of a connection of this session is for who may see the server. */
  private boolean sees(String lease) {
    ConnectionId server = connections.serverOf(lease);
    return server == null || view.includes(server.value());
  }

  /** True where the message comes by the same path from the same principal. */
  boolean isOf(MultiMap headers) {
    String text = headers.get(SessionMessage.PRINCIPAL);
    return view.name().equals(headers.get(SessionMessage.VIEW))
        && text != null
        && (principalText.equals(text) || principal.name().equals(Principal.nameIn(text)));
  }

  /**
   * The rights are those of the message at hand: of the token that came with it, by the policies of
   * now. They hold for what is pushed, too, until another message comes.
   *
   * @return false where the principal has no such view any more
   */
  boolean enter(MultiMap headers) {
    String text = String.valueOf(headers.get(SessionMessage.PRINCIPAL));
    boolean same = principalText.equals(text);
    if (same && directory.rights(principal) == view.rights()) {
      return true;
    }
    Principal now = same ? principal : Principal.parse(text);
    DirectoryView seen = directory.view(view.name(), now);
    if (seen == null) {
      return false;
    }
    if (!same) {
      principal = now;
      principalText = text;
      book.note(id, SessionStore.PRINCIPAL, text);
    }
    view = seen;
    changes.look(seen);
    changed();
    return true;
  }

  void touch() {
    used = System.nanoTime();
  }

  private void noteUse() {
    boolean inUse = isInUse();
    bound.use(this, inUse);
    connections.use(inUse);
  }

  /**
   * Another client wants a connection of its own, and this session is idle: its client begins anew.
   */
  private boolean giveUp() {
    if (isInUse()) {
      return false;
    }
    end.accept(this);
    return true;
  }

  /**
   * True while its client reads: its standing stream, or the response of a call. A call whose
   * client has left goes on, for a client that comes back, but keeps nobody else out.
   */
  boolean isInUse() {
    if (streams.standing().isRead()) {
      return true;
    }
    for (SessionCall call : calls.values()) { // twice per message: the first is read nearly always
      if (call.stream().isRead()) {
        return true;
      }
    }
    return false;
  }

  boolean isIdle(long now, long idleNanos) {
    return !isBusy() && !isInUse() && now - used > idleNanos;
  }

  boolean isBusy() {
    return !calls.isEmpty();
  }

  /** Ends the standing stream. */
  void hangUp() {
    streams.standing().end();
  }

  Future<Void> close() {
    bound.remove(this);
    calls.values().forEach(call -> call.ask().cancel(vertx));
    calls.keySet().forEach(host::remove);
    calls.values().forEach(call -> call.message().reply(Buffer.buffer()));
    calls.clear();
    questions.close();
    subscribed.close();
    streams.close();
    return connections.close();
  }

  // ---- messages of the client

  void note(String op, String exchange) {
    if (op.equals(SessionMessage.KEEP)) {
      streams.keep(exchange);
    } else {
      streams.gone(exchange);
      touch();
      noteUse();
    }
  }

  void stream(Message<?> message) {
    MultiMap headers = message.headers();
    ResumableStream stream =
        streams.open(
            headers.get(SessionMessage.EVENT),
            String.valueOf(headers.get(SessionMessage.DOOR)),
            String.valueOf(headers.get(SessionMessage.EXCHANGE)),
            () -> message.reply(Buffer.buffer()));
    noteUse();
    if (stream == streams.standing()) {
      changed();
    }
  }

  void post(Message<?> message, Envelope envelope) {
    RawJson requestId = envelope.id();
    switch (envelope.kind()) {
      case RESULT, ERROR -> {
        questions.answered(envelope);
        message.reply(Buffer.buffer());
      }
      case NOTIFICATION -> {
        notified(envelope.method(), envelope.params());
        message.reply(Buffer.buffer());
      }
      case REQUEST -> {
        if (requestId != null) {
          request(message, requestId, envelope.method(), envelope.params());
        }
      }
    }
  }

  private void notified(String method, RawJson params) {
    if (method.equals(Methods.ROOTS_CHANGED)) {
      connections.rootsChanged();
    }
    RawJson cancelled = params.member("requestId");
    if (method.equals(Methods.CANCELLED) && cancelled != null) {
      for (SessionCall call : List.copyOf(calls.values())) {
        if (call.id().equals(cancelled)) {
          call.ask().cancel(vertx);
          end(call, null); // the era answers a cancelled request with nothing
        }
      }
    }
  }

  private void request(Message<?> message, RawJson requestId, String method, RawJson params) {
    if (calls.size() >= options.maxCalls()) {
      message.reply(
          Buffer.buffer(
              McpErrors.message(
                  requestId,
                  McpFailure.notSent(
                      FailureCode.OVERLOADED,
                      options.maxCalls() + " requests of this session are in flight already"))));
      return;
    }
    String exchange = SessionMessage.header(message, SessionMessage.EXCHANGE);
    ResumableStream stream =
        streams.begin(exchange, SessionMessage.header(message, SessionMessage.DOOR));
    RawJson meta = params.member("_meta");
    RawJson token = meta == null ? null : meta.member(MetaKeys.PROGRESS_TOKEN);
    String callId = host.add(incoming);
    GatewayRequest gatewayRequest =
        new GatewayRequest(view, method, params, false, callId)
            .from(principal)
            .header(Headers.INPUT, host.inputs())
            .through(server -> connections.of(server, directory.snapshot().server(server.value())))
            .adapted(this::adapted)
            .seeing(lists);
    if (token != null) {
      gatewayRequest.header(Headers.PROGRESS, host.calling());
    }
    if (incoming.level() != null) {
      gatewayRequest.header(Headers.LOG, host.calling());
    }
    SessionCall call = new SessionCall(requestId, gatewayRequest, stream, exchange, message, token);
    calls.put(callId, call);
    noteUse();
    Principal caller = principal;
    Future<RawJson> answer;
    try {
      answer = answer(gatewayRequest, method, params);
    } catch (McpFailure refused) {
      answer = Future.failedFuture(refused);
    }
    RequestSource source =
        RequestSource.parse(SessionMessage.header(message, SessionMessage.SOURCE));
    answer.onComplete(
        outcome -> RequestAudit.ended(directory.audit(), source, caller, gatewayRequest, outcome));
    answer.onComplete(
        result -> end(call, MessageWriter.written(requestId, result)),
        failure -> end(call, Buffer.buffer(McpErrors.message(requestId, McpErrors.of(failure)))));
  }

  /** A server of the other era hears with each request who asks and what he wants to hear. */
  private RawJson adapted(String server, RawJson params) {
    DirectoryEntry facts = directory.snapshot().server(server);
    if (facts == null || !facts.modern()) {
      return params;
    }
    RawJson meta = params.member("_meta");
    RawJson all =
        (meta == null || !meta.isObject() ? RawJson.EMPTY_OBJECT : meta)
            .with(MetaKeys.CLIENT_CAPABILITIES, facts.tasks() ? withTasks : capabilities)
            .with(MetaKeys.CLIENT_INFO, clientInfo);
    String level = incoming.level();
    if (level != null) {
      all = all.with(MetaKeys.LOG_LEVEL, RawJson.string(level));
    }
    return params.with("_meta", all);
  }

  private Future<RawJson> answer(GatewayRequest gatewayRequest, String method, RawJson params) {
    return switch (method) {
      case Methods.PING -> Future.succeededFuture(RawJson.EMPTY_OBJECT);
      case Methods.SET_LEVEL -> level(GatewayRequest.text(params, "level"));
      case Methods.RESOURCES_SUBSCRIBE ->
          subscribed.add(gatewayRequest, GatewayRequest.text(params, "uri"));
      case Methods.RESOURCES_UNSUBSCRIBE -> subscribed.remove(GatewayRequest.text(params, "uri"));
      case Methods.TASKS_GET, Methods.TASKS_RESULT, Methods.TASKS_CANCEL, Methods.TASKS_LIST ->
          tasks.route(gatewayRequest);
      case Methods.TOOLS_CALL ->
          router.route(gatewayRequest).map(result -> tasks.begun(gatewayRequest, result));
      default ->
          router
              .route(gatewayRequest)
              .onSuccess(
                  result -> {
                    for (ListKind kind : ListKind.values()) {
                      if (kind.method.equals(method)) {
                        changes.saw(lists.over(directory.snapshot()), kind);
                      }
                    }
                  });
    };
  }

  private Future<RawJson> level(String wanted) {
    incoming.level(wanted);
    connections.level(wanted);
    book.note(id, SessionStore.LEVEL, wanted);
    return Future.succeededFuture(RawJson.EMPTY_OBJECT);
  }

  /** Once; {@code answer} null where none is due. */
  private void end(SessionCall call, @Nullable Buffer answer) {
    if (calls.remove(call.ask().callId()) == null) {
      return;
    }
    touch();
    host.remove(call.ask().callId());
    questions.callEnded(call.ask().callId());
    streams.finish(call.stream(), call.exchange(), call.message(), answer);
    noteUse();
  }

  // ---- what comes from servers

  /** Lists may be others now. */
  void changed() {
    for (String due : changes.due(lists.over(directory.snapshot()))) {
      streams.standing().send(MessageWriter.notification(due, null));
    }
  }

  /** A server says that a resource was updated, or a task. */
  void updated(JsonObject event) {
    JsonObject params = event.getJsonObject("params", new JsonObject());
    if (Events.TASK.equals(event.getString("type"))) {
      incoming.task(event.getString("id", ""), params);
      return;
    }
    for (String uri : subscribed.names(view, event.getString("id"), params.getString("uri"))) {
      streams
          .standing()
          .send(
              MessageWriter.notification(
                  Methods.RESOURCE_UPDATED, RawJson.of(params).with("uri", RawJson.string(uri))));
    }
  }
}
