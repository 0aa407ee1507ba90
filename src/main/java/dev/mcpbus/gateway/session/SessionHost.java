package dev.mcpbus.gateway.session;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.bus.FairLimits;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.bus.ServerNotice;
import dev.mcpbus.bus.Telemetry;
import dev.mcpbus.bus.TelemetryOperation;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.gateway.request.HandshakeAnswers;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.gateway.request.RandomNames;
import dev.mcpbus.gateway.request.RequestRouter;
import dev.mcpbus.gateway.request.SessionHostNames;
import dev.mcpbus.gateway.request.SessionMessage;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Principal;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Holds the sessions of clients of the {@code initialize} era, and the parked calls of clients of
 * the {@code discover} era. All of them share this verticle, its addresses and its context. The id
 * of a session or parked call begins with the name of its host ({@link RandomNames#heldBy}).
 */
public final class SessionHost extends VerticleBase {

  private static final String BOUND = "gateway.sessions";

  private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(7);
  private static final long LOOK_MILLIS = 20;

  private final String name;
  private final SessionHostNames hostNames;
  private final ParkedCallBounds parkedBounds;
  private final Directory directory;
  private final GatewayOptions options;
  private final Implementation serverInfo;
  private final FairLimit<GatewaySession> bound;
  private final Map<String, GatewaySession> sessions = new HashMap<>();

  // Set once in start().
  @SuppressWarnings("NullAway.Init")
  private HostParts parts;

  @SuppressWarnings("NullAway.Init")
  private ParkedCalls parked;

  @SuppressWarnings("NullAway.Init")
  private HandshakeAnswers handshakes;

  @SuppressWarnings("NullAway.Init")
  private DiscoverClients clients;

  /**
   * @param hostNames all hosts of this node; they share the bound on sessions
   * @param parkedBounds of all hosts of this node
   */
  public SessionHost(
      String name,
      Directory directory,
      GatewayOptions options,
      Implementation serverInfo,
      SessionHostNames hostNames,
      ParkedCallBounds parkedBounds) {
    this.name = name;
    this.parkedBounds = parkedBounds;
    this.hostNames = hostNames;
    this.directory = directory;
    this.options = options;
    this.serverInfo = serverInfo;
    this.bound = new FairLimit<>(Math.max(1, options.maxSessions() / hostNames.own().size()));
  }

  @Override
  public Future<?> start() {
    CallRegistry registry = new CallRegistry(name);
    parts =
        new HostParts(
            vertx,
            RequestSender.of(vertx),
            directory,
            new RequestRouter(vertx, directory, options.pageSize()),
            registry,
            new SessionStore(vertx, name, options.sessionIdle()),
            Telemetry.of(vertx),
            options.maxCalls(),
            bound,
            this::end);
    handshakes = new HandshakeAnswers(vertx, directory, serverInfo);
    clients =
        new DiscoverClients(
            parts, name, new ClientClaims(vertx, name, hostNames, options.sessionIdle()));
    parked = new ParkedCalls(parts, clients, parkedBounds, InstantSource.system());
    long idle = options.sessionIdle().toMillis();
    vertx.setPeriodic(Math.max(10, Math.min(idle / 4, 60_000)), now -> sweep());
    List<Future<Void>> ready = new ArrayList<>();
    ready.add(consume(Addresses.GATEWAY_SESSIONS + name, this::handle));
    ready.add(consume(Addresses.GATEWAY_CALLS + name, registry::reported));
    ready.add(consume(Addresses.GATEWAY_INPUT + name, registry::asked));
    ready.add(consume(Addresses.GATEWAY_PRIVATE_EVENTS + name, this::heard));
    FairLimits.of(vertx).add(BOUND, bound);
    local(
        Addresses.GATEWAY_CHANGED,
        changed -> {
          sessions.values().forEach(GatewaySession::changed);
          clients.changed();
        });
    local(
        Addresses.GATEWAY_UPDATED,
        (Message<ServerNotice> updated) ->
            sessions.values().forEach(session -> session.updated(updated.body())));
    local(
        Addresses.GATEWAY_JOINED,
        joined -> {
          renew(true);
          clients.renew(true);
        });
    local(
        Addresses.GATEWAY_LEFT,
        (Message<JsonObject> left) -> left(left.body().getString("node", "")));
    return Future.join(ready);
  }

  private <T> Future<Void> consume(String address, Handler<Message<T>> handler) {
    return vertx.eventBus().<T>consumer(address, handler).completion();
  }

  private <T> void local(String address, Handler<Message<T>> handler) {
    vertx.eventBus().<T>localConsumer(address, handler);
  }

  /** Calls in flight end with their connections, which drain at the same time. */
  @Override
  public Future<?> stop() {
    Promise<Void> quiet = Promise.promise();
    long until = System.nanoTime() + DRAIN_NANOS;
    vertx.setPeriodic(
        0,
        LOOK_MILLIS,
        look -> {
          boolean busy =
              parked.isAwaited() || sessions.values().stream().anyMatch(GatewaySession::isBusy);
          if ((!busy || System.nanoTime() - until > 0) && quiet.tryComplete()) {
            vertx.cancelTimer(look);
          }
        });
    sessions.values().forEach(GatewaySession::hangUp);
    return quiet.future().compose(ended -> end());
  }

  private Future<?> end() {
    FairLimits.of(vertx).remove(BOUND, bound);
    List<Future<Void>> ending = new ArrayList<>();
    sessions.values().forEach(session -> ending.add(session.close()));
    parked.close();
    ending.add(clients.close());
    sessions.clear();
    return Future.join(ending).otherwiseEmpty();
  }

  // ---- what comes from servers and nodes

  /** An event of a private connection, or the question whether it may end for another client. */
  private void heard(Message<Object> message) {
    ServerNotice event = ServerNotice.of(message);
    if (!Events.ROOM_WANTED.equals(event.type())) {
      parts.registry().heard(event);
      return;
    }
    String connection = event.connection();
    boolean ended = parts.registry().giveUp(connection);
    message.reply(new JsonObject().put("inUse", !ended));
  }

  private void sweep() {
    long now = System.nanoTime();
    List.copyOf(sessions.values()).stream()
        .filter(session -> session.isIdle(now, options.sessionIdle().toNanos()))
        .forEach(this::end);
    clients.sweep(options.sessionIdle().toNanos());
    renew(false);
  }

  private void left(String node) {
    sessions.values().forEach(session -> session.left(node));
    clients.left(node);
  }

  /** Closes the sessions that other hosts have taken over while this node seemed lost. */
  private void renew(boolean all) {
    parts
        .store()
        .renew(all)
        .onSuccess(
            lost ->
                lost.forEach(
                    id -> {
                      GatewaySession session = sessions.remove(id);
                      if (session != null) {
                        session.close();
                      }
                    }));
  }

  private void end(GatewaySession session) {
    sessions.remove(session.id);
    parts.store().end(session.id);
    session.close();
  }

  // ---- messages of endpoints

  private void handle(Message<Object> message) {
    try {
      String op = SessionMessage.header(message, SessionMessage.OP);
      switch (op) {
        case SessionMessage.OPEN -> open(message);
        case SessionMessage.FIND -> find(message);
        case SessionMessage.GONE -> gone(message);
        case SessionMessage.KEEP -> keep(message);
        case SessionMessage.POST ->
            session(message).post(message, SessionMessage.envelope(message));
        case SessionMessage.STREAM -> stream(message);
        case SessionMessage.LIST -> clients.list(message);
        case SessionMessage.LISTEN -> clients.listen(message);
        case SessionMessage.DELETE -> {
          end(session(message));
          message.reply(Buffer.buffer());
        }
        default -> parked.handle(op, message);
      }
    } catch (McpFailure refused) {
      message.reply(refused);
    } catch (RuntimeException defect) {
      message.reply(McpErrors.of(defect));
    }
  }

  private void gone(Message<?> message) {
    String exchange = SessionMessage.header(message, SessionMessage.EXCHANGE);
    parked.gone(exchange);
    String client = message.headers().get(SessionMessage.CLIENT);
    if (client != null) {
      clients.gone(client, exchange);
    }
    GatewaySession session = sessions.get(message.headers().get(SessionMessage.SESSION));
    if (session != null) {
      session.gone(exchange);
    }
  }

  private void keep(Message<?> message) {
    GatewaySession session = sessions.get(message.headers().get(SessionMessage.SESSION));
    if (session != null) {
      session.keep(SessionMessage.header(message, SessionMessage.EXCHANGE));
    }
  }

  private void stream(Message<?> message) {
    GatewaySession session = session(message);
    if (session.isLost(message.headers().get(SessionMessage.EVENT))) {
      end(session); // the answer that the client waits for will not come
      throw McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "that stream is lost");
    }
    session.stream(message);
  }

  /** The session of a message, with the rights of the message. */
  private GatewaySession session(Message<?> message) {
    GatewaySession session = sessions.get(message.headers().get(SessionMessage.SESSION));
    if (session == null || !session.isOf(message.headers()) || !session.enter(message.headers())) {
      throw McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "no such session");
    }
    session.touch();
    return session;
  }

  private void open(Message<?> message) {
    Envelope request = SessionMessage.envelope(message);
    RawJson id = request.id();
    if (id == null) {
      throw McpFailure.notSent(FailureCode.BAD_REQUEST, "initialize is a request");
    }
    String principal = SessionMessage.header(message, SessionMessage.PRINCIPAL);
    String view = SessionMessage.header(message, SessionMessage.VIEW);
    String session = RandomNames.heldBy(name);
    RawJson initialize = request.params();
    GatewaySession opened = session(session, view, principal, initialize);
    TelemetryOperation measured = opened.begins(id, request.params());
    JsonObject facts = SessionStore.facts(view, principal, initialize);
    Future.join(
            directory.described(vertx, opened.view()),
            message.headers().contains(SessionMessage.LASTING)
                ? parts.store().begin(session, facts)
                : Future.succeededFuture())
        .onComplete(
            known -> {
              message.reply(
                  Buffer.buffer(MessageWriter.result(id, opened.initialized(handshakes))),
                  new DeliveryOptions().addHeader(SessionMessage.SESSION, session));
              if (measured != null) {
                measured.succeeded(false);
              }
            });
  }

  private GatewaySession session(String id, String view, String principal, RawJson initialize) {
    Principal caller = Principal.parse(principal);
    DirectoryView seen = directory.view(view, caller);
    if (seen == null) {
      throw McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "no such view");
    }
    GatewaySession session = new GatewaySession(parts, id, seen, caller, initialize);
    admit(session);
    return session;
  }

  /**
   * At the bound the session that has been idle longest ends for the new one: its client receives
   * 404 and begins a new session.
   */
  private void admit(GatewaySession session) {
    FairLimit.Verdict<GatewaySession> verdict = bound.admit(session, session.owner());
    if (verdict.isRefused()) {
      session.close();
      throw new McpFailure(
          FailureCode.OVERLOADED,
          McpFailure.Sent.NO,
          "all "
              + bound.max()
              + " sessions are in use, or you use three quarters of those that are left; end one,"
              + " or raise gateway.maxSessions",
          5_000,
          null);
    }
    GatewaySession idle = verdict.victim();
    if (idle != null) {
      end(idle);
    }
    sessions.put(session.id, session);
    bound.use(session, session.isInUse());
  }

  /** Answers with the host that has a session now; takes the session of a lost host over. */
  private void find(Message<?> message) {
    String id = SessionMessage.header(message, SessionMessage.SESSION);
    String tried = SessionMessage.header(message, SessionMessage.HOST);
    parts
        .store()
        .find(id, tried, message.headers().contains(SessionMessage.LOST))
        .compose(facts -> directory.ready(vertx).map(facts))
        .map(
            facts -> {
              if (name.equals(facts.getString(SessionStore.HOST)) && !sessions.containsKey(id)) {
                resume(id, facts);
              }
              return new DeliveryOptions()
                  .addHeader(SessionMessage.HOST, facts.getString(SessionStore.HOST, ""));
            })
        .onComplete(
            found -> message.reply(Buffer.buffer(), found),
            failure -> message.reply(McpErrors.of(failure)));
  }

  private void resume(String id, JsonObject facts) {
    session(
            id,
            facts.getString(SessionStore.VIEW, ""),
            facts.getString(SessionStore.PRINCIPAL, ""),
            SessionStore.initialize(facts))
        .resume(facts);
    parts.store().keep(id, facts);
  }
}
