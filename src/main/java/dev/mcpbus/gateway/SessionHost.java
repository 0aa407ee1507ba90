package dev.mcpbus.gateway;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.bus.FairLimits;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.directory.ListKind;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Holds sessions of clients of the {@code initialize} era: small actors that share one verticle and
 * its addresses. A session's id begins with the name of its host. All state is touched on the
 * verticle's own context only.
 */
final class SessionHost extends VerticleBase {

  private static final String BOUND = "gateway.sessions";

  private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(7);
  private static final long LOOK_MILLIS = 20;

  private final String name;
  private final Directory directory;
  private final GatewayOptions options;
  private final Implementation serverInfo;
  private final FairLimit<GatewaySession> bound;
  private final Map<String, GatewaySession> sessions = new HashMap<>();

  // Set once in start().
  @SuppressWarnings("NullAway.Init")
  private RequestRouter router;

  @SuppressWarnings("NullAway.Init")
  private CallRegistry calls;

  @SuppressWarnings("NullAway.Init")
  private ParkedCalls parked;

  @SuppressWarnings("NullAway.Init")
  private HeldTasks tasks;

  @SuppressWarnings("NullAway.Init")
  private SessionStore book;

  /**
   * @param hosts how many share the bound on sessions
   */
  SessionHost(
      String name,
      Directory directory,
      GatewayOptions options,
      Implementation serverInfo,
      int hosts) {
    this.name = name;
    this.directory = directory;
    this.options = options;
    this.serverInfo = serverInfo;
    this.bound = new FairLimit<>(Math.max(1, options.maxSessions() / hosts));
  }

  @Override
  public Future<?> start() {
    router = new RequestRouter(vertx, directory, options.pageSize());
    calls = new CallRegistry(name);
    parked = new ParkedCalls(vertx, calls, bound.max());
    tasks = new HeldTasks(vertx, calls, parked, directory, bound.max());
    book = new SessionStore(vertx, name, options.sessionIdle());
    long idle = options.sessionIdle().toMillis();
    vertx.setPeriodic(Math.max(10, Math.min(idle / 4, 60_000)), now -> sweep());
    List<Future<Void>> ready = new ArrayList<>();
    ready.add(consume(Addresses.GATEWAY_SESSIONS + name, this::handle));
    ready.add(consume(Addresses.GATEWAY_CALLS + name, calls::told));
    ready.add(consume(Addresses.GATEWAY_INPUT + name, calls::asked));
    ready.add(consume(Addresses.GATEWAY_LEASED + name, this::heard));
    FairLimits.of(vertx).add(BOUND, bound);
    vertx
        .eventBus()
        .localConsumer(
            Addresses.GATEWAY_CHANGED,
            changed -> sessions.values().forEach(GatewaySession::changed));
    vertx
        .eventBus()
        .<JsonObject>localConsumer(
            Addresses.GATEWAY_UPDATED,
            updated -> sessions.values().forEach(session -> session.updated(updated.body())));
    vertx.eventBus().localConsumer(Addresses.GATEWAY_JOINED, joined -> renew(true));
    vertx.eventBus().<JsonObject>localConsumer(Addresses.GATEWAY_LEFT, left -> left(left.body()));
    return Future.join(ready);
  }

  private <T> Future<Void> consume(String address, Handler<Message<T>> handler) {
    return vertx.isClustered()
        ? vertx.eventBus().<T>consumer(address, handler).completion()
        : vertx.eventBus().<T>localConsumer(address, handler).completion();
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
          boolean busy = sessions.values().stream().anyMatch(GatewaySession::isBusy);
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
    tasks.close();
    ending.add(parked.close());
    sessions.clear();
    return Future.join(ending).otherwiseEmpty();
  }

  /** A fact about a leased connection, or the question whether it can be done without. */
  private void heard(Message<JsonObject> message) {
    JsonObject body = message.body();
    if (!Events.ROOM_WANTED.equals(body.getString("type"))) {
      calls.heard(message);
      return;
    }
    String lease = body.getString("id", "");
    boolean ended = calls.giveUp(lease);
    parked.giveUp(lease); // where a call has just given it back, too
    message.reply(new JsonObject().put("inUse", !ended));
  }

  private void sweep() {
    long now = System.nanoTime();
    List.copyOf(sessions.values()).stream()
        .filter(session -> session.isIdle(now, options.sessionIdle().toNanos()))
        .forEach(this::end);
    renew(false);
  }

  /** Nobody reads what was read there. */
  private void left(JsonObject node) {
    sessions.values().forEach(session -> session.left(node.getString("node", "")));
  }

  /** Others have gone on with sessions of a node that was taken for lost. */
  private void renew(boolean all) {
    book.renew(all)
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
    sessions.remove(session.id());
    book.end(session.id());
    session.close();
  }

  private void handle(Message<Object> message) {
    try {
      String op = SessionMessage.header(message, SessionMessage.OP);
      if (op.equals(SessionMessage.OPEN)) {
        open(message);
        return;
      }
      if (op.equals(SessionMessage.FIND)) {
        find(message);
        return;
      }
      if (op.equals(SessionMessage.CALL) || op.equals(SessionMessage.RETRY)) {
        parked.handle(op, message);
        return;
      }
      if (op.equals(SessionMessage.TASK)) {
        tasks.begin(message);
        return;
      }
      if (op.equals(SessionMessage.ABOUT_TASK)) {
        tasks.handle(message);
        return;
      }
      if (op.equals(SessionMessage.GONE)) {
        parked.gone(SessionMessage.header(message, SessionMessage.EXCHANGE));
        tasks.gone(SessionMessage.header(message, SessionMessage.EXCHANGE));
      }
      GatewaySession session = sessions.get(message.headers().get(SessionMessage.SESSION));
      if (op.equals(SessionMessage.KEEP) || op.equals(SessionMessage.GONE)) {
        if (session != null) {
          session.note(op, SessionMessage.header(message, SessionMessage.EXCHANGE));
        }
        return;
      }
      if (session == null
          || !session.isOf(message.headers())
          || !session.enter(message.headers())) {
        message.reply(McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "no such session"));
        return;
      }
      session.touch();
      switch (op) {
        case SessionMessage.POST -> session.post(message, SessionMessage.envelope(message));
        case SessionMessage.STREAM -> {
          if (session.isLost(message.headers().get(SessionMessage.EVENT))) {
            end(session); // the answer that the client waits for will not come
            throw McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "that stream is lost");
          }
          session.stream(message);
        }
        case SessionMessage.DELETE -> {
          end(session);
          message.reply(Buffer.buffer());
        }
        default -> message.reply(McpFailure.notSent(FailureCode.BAD_REQUEST, "unknown " + op));
      }
      bound.use(session, session.isInUse()); // a notification counts as use, too
    } catch (McpFailure refused) {
      message.reply(refused);
    } catch (RuntimeException defect) {
      message.reply(McpErrors.of(defect));
    }
  }

  /**
   * Where there are as many sessions as may be, the longest-idle one ends for the new one: its
   * client hears 404 and begins anew.
   */
  private void admit(GatewaySession session, String owner) {
    FairLimit.Verdict<GatewaySession> verdict = bound.admit(session, owner);
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
    sessions.put(session.id(), session);
    bound.use(session, session.isInUse());
  }

  private void open(Message<?> message) {
    Envelope request = SessionMessage.envelope(message);
    RawJson id = request.id();
    String principal = SessionMessage.header(message, SessionMessage.PRINCIPAL);
    String view = SessionMessage.header(message, SessionMessage.VIEW);
    if (id == null) {
      throw McpFailure.notSent(FailureCode.BAD_REQUEST, "initialize is a request");
    }
    String session = RandomNames.heldBy(name);
    JsonObject initialize = request.params().toJsonObject();
    GatewaySession opened = session(session, view, principal, initialize);
    JsonObject facts =
        new JsonObject()
            .put(SessionStore.VIEW, view)
            .put(SessionStore.PRINCIPAL, principal)
            .put(SessionStore.INITIALIZE, initialize);
    Future.join(
            directory.ready(vertx, opened.view(), List.of(ListKind.TOOLS)),
            message.headers().contains(SessionMessage.LASTING)
                ? book.begin(session, facts)
                : Future.succeededFuture())
        .onComplete(
            known ->
                message.reply(
                    Buffer.buffer(MessageWriter.result(id, opened.initialized(serverInfo))),
                    new DeliveryOptions().addHeader(SessionMessage.SESSION, session)));
  }

  private GatewaySession session(String id, String view, String principal, JsonObject initialize) {
    Principal who = Principal.parse(principal);
    DirectoryView seen = directory.view(view, who);
    if (seen == null) {
      throw McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "no such view");
    }
    GatewaySession session =
        new GatewaySession(
            vertx,
            id,
            seen,
            who,
            initialize,
            directory,
            router,
            calls,
            options,
            book,
            bound,
            this::end);
    admit(session, who.name());
    return session;
  }

  /** A session of another host: where it is now, or it goes on here. */
  private void find(Message<?> message) {
    String id = SessionMessage.header(message, SessionMessage.SESSION);
    String tried = SessionMessage.header(message, SessionMessage.HOST);
    book.find(id, tried, message.headers().contains(SessionMessage.LOST))
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
            facts.getJsonObject(SessionStore.INITIALIZE, new JsonObject()))
        .resume(facts);
    book.keep(id, facts);
  }
}
