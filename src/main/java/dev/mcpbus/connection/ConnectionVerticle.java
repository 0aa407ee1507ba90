package dev.mcpbus.connection;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.LifecycleMessage;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ReplicaId;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The actor of one MCP server connection. It is stable: it holds the addresses, the state and the
 * stash, while sessions come and go. It never decides to restart; it tells its supervisor what has
 * happened and does what it is told ({@link LifecycleMessage}).
 *
 * <p>Single writer: everything here happens on the verticle's event-loop context.
 */
public final class ConnectionVerticle extends VerticleBase
    implements Mailbox.Owner, ServerMessages.Owner, HealthCheck.Listener, ReplicaRole.Self {

  private static final Logger LOG = LoggerFactory.getLogger(ConnectionVerticle.class);
  private static final DeliveryOptions LOCAL = new DeliveryOptions().setLocalOnly(true);

  private final ConnectionSpec spec;
  private final ConnectionId id;
  private final ConnectionOptions options;
  private final Clock clock;
  private final StatusView view = new StatusView();

  // Set once in start().
  @SuppressWarnings("NullAway.Init")
  private EventPublisher events;

  @SuppressWarnings("NullAway.Init")
  private Mailbox mailbox;

  @SuppressWarnings("NullAway.Init")
  private HealthCheck health;

  @SuppressWarnings("NullAway.Init")
  private ToolListRefresh tools;

  @SuppressWarnings("NullAway.Init")
  private IdleTimer idle;

  @SuppressWarnings("NullAway.Init")
  private ServerMessages upstream;

  @SuppressWarnings("NullAway.Init")
  private Starter starter;

  private @Nullable ReplicaRole role;

  private final PreferenceRenewal renewal;
  private final SessionPreferences preferences;
  private final DriftWatch drift;

  private ConnectionState state = ConnectionState.IDLE;
  private @Nullable Session session;
  private @Nullable ReadySession readySession;
  private long epoch;
  private boolean everReady;

  /** Why the session will have ended if somebody stops it now. */
  private String whyStopped = "";

  public ConnectionVerticle(ConnectionSpec spec) {
    this(spec, Clock.SYSTEM);
  }

  ConnectionVerticle(ConnectionSpec spec, Clock clock) {
    this.spec = spec;
    this.id = spec.id();
    this.options = spec.options();
    this.clock = clock;
    this.preferences = new SessionPreferences(spec.capabilities());
    this.renewal = new PreferenceRenewal(id, preferences);
    PrivateConnection privateConnection = spec.privateConnection();
    // A tool that is quarantined is so for whoever leases the server, too.
    ConnectionId pinned = privateConnection == null ? id : privateConnection.of();
    this.drift =
        new DriftWatch(id, new DefinitionPins(pinned, options.pin(), spec.pins()), this::publish);
  }

  /** All that a connection may serve in a cluster. */
  public static List<String> addresses(ReplicaId replica) {
    return Stream.concat(
            Mailbox.suffixes().stream().map(suffix -> Addresses.of(replica.server(), suffix)),
            Stream.of(replica.address()))
        .toList();
  }

  /** Completes when every address is registered; no session is opened yet. */
  @Override
  public Future<?> start() {
    Ownership ownership = spec.ownership();
    ReplicaRole.Factory several = ownership == null ? null : ownership.several();
    role = several == null ? null : several.create(vertx, this);
    events = new EventPublisher(vertx.eventBus(), id, spec.privateConnection(), role);
    mailbox = new Mailbox(vertx, spec, clock, view, role, this);
    health = new HealthCheck(Timers.of(vertx), options, this);
    tools =
        new ToolListRefresh(
            id,
            view,
            drift,
            Timers.of(vertx),
            clock,
            this::publish,
            () -> readySession,
            this::toolsRead);
    idle =
        new IdleTimer(
            vertx, clock, options, () -> tell(new LifecycleMessage.StopWanted(id.value())));
    ServerTasks tasks =
        new ServerTasks(
            new InputRequests(vertx.eventBus(), id, preferences), preferences, mailbox::park);
    InputRequests inputs = new InputRequests(vertx.eventBus(), id, preferences);
    PrivateConnection privateConnection = spec.privateConnection();
    upstream =
        new ServerMessages(
            vertx.eventBus(),
            inputs,
            tasks,
            privateConnection == null ? null : privateConnection.input(),
            this);
    starter =
        new Starter(
            spec, context, clock, preferences, tasks, upstream, mailbox::holdUntilToolsAreListed);
    context.exceptionHandler(this::crashed);
    vertx.eventBus().localConsumer(Addresses.of(id, Addresses.CONTROL), this::control);
    // A lease can answer what its lessee can, and nobody else.
    Future<Void> offers =
        privateConnection == null
            ? OfferedCapabilities.watch(vertx, id, this::offered)
            : Future.succeededFuture();
    return offers.compose(known -> drift.pins().load()).compose(remembered -> mailbox.open());
  }

  /** What callers can answer has changed. */
  private void offered(JsonObject capabilities) {
    preferences.offer(capabilities);
    renegotiate();
  }

  /** The {@code initialize} era tells the server once per session what we can answer. */
  private void renegotiate() {
    if (readySession != null && !readySession.isModern() && preferences.hasNews()) {
      tell(
          new LifecycleMessage.RestartWanted(
              id.value(), "callers can now answer more than the server was told"));
    }
  }

  @Override
  public Future<?> stop() {
    Future<Void> closed = session == null ? Future.succeededFuture() : session.close();
    leave();
    moveTo(ConnectionState.CLOSED);
    mailbox.refuseWaiting();
    if (role != null) {
      role.close();
    }
    return closed;
  }

  private void crashed(Throwable cause) {
    LOG.error("connection {}: uncaught exception, asking to be redeployed", id, cause);
    tell(new LifecycleMessage.Crashed(id.value(), cause));
  }

  // ---- what the mailbox asks

  @Override
  public ConnectionState state() {
    return state;
  }

  @Override
  public @Nullable ReadySession serving() {
    return state.serves() ? readySession : null;
  }

  @Override
  public void called() {
    idle.touch();
  }

  @Override
  public boolean cancel(String callId) {
    return (session != null && session.cancel(callId))
        || (readySession != null && readySession.tools().waiting().cancel(callId));
  }

  @Override
  public JsonObject status() {
    JsonObject status =
        view.toJson(spec, state, epoch, readySession, session, drift, clock.millis());
    Instant since = starter.eraSince();
    return since == null ? status : status.put("eraSince", since.toString());
  }

  @Override
  public DriftWatch drift() {
    return drift;
  }

  @Override
  public void tell(LifecycleMessage.Fact fact) {
    vertx.eventBus().send(Addresses.SUPERVISOR, fact, LOCAL);
  }

  @Override
  public void speaks() {
    if (readySession != null && state.serves()) {
      events.tell(Events.CONNECTED, epoch, view.connected(readySession));
    }
  }

  // ---- commands of the supervisor

  private void control(Message<Object> message) {
    Object command = message.body();
    if (command instanceof LifecycleMessage.Start start) {
      open(start);
    } else if (command instanceof LifecycleMessage.Stop stop) {
      close(stop).onComplete(closed -> message.reply(null));
    } else if (command instanceof LifecycleMessage.RestartScheduled scheduled) {
      view.nextAttempt(clock.millis() + scheduled.delayMillis(), scheduled.attempt());
      moveTo(ConnectionState.RECONNECTING);
      publish(
          Events.RESTARTING,
          new JsonObject()
              .put("attempt", scheduled.attempt())
              .put("delay", scheduled.delayMillis()));
    } else if (command instanceof LifecycleMessage.GaveUp gaveUp) {
      giveUp(gaveUp);
    }
  }

  private void open(LifecycleMessage.Start start) {
    leave();
    epoch = start.epoch();
    view.starting(start.restarts());
    if (state != ConnectionState.RECONNECTING && state != ConnectionState.FAILED) {
      moveTo(start.restarts() > 0 ? ConnectionState.RECONNECTING : ConnectionState.CONNECTING);
    }
    long from = clock.millis();
    starter
        .start(made -> session = made)
        .onComplete(
            result -> {
              Session opened = session;
              if (epoch != start.epoch() || opened == null) {
                return;
              }
              if (result.failed()) {
                over(opened, ConnectionFailures.inHandshake(result.cause()));
              } else {
                ready(starter.live(result.result(), clock.millis() - from, drift));
              }
            });
  }

  private void ready(ReadySession now) {
    McpFailure outOfScope = options.toolsOnly() ? ToolsOnlyScope.check(id, now) : null;
    if (outOfScope != null) {
      over(now.session(), outOfScope);
      return;
    }
    readySession = now;
    everReady = true;
    whyStopped = "the session was stopped";
    view.ready();
    moveTo(ConnectionState.READY);
    health.start(now.session(), now.offers("tools") ? now.tools()::load : null);
    idle.start(now.session());
    tell(new LifecycleMessage.Started(id.value(), epoch));
    publish(Events.CONNECTED, view.connected(now));
    tools.ready(now);
    renewal.renew(now);
    mailbox.release(now);
    renegotiate();
  }

  /** Calls that wait for the first reading can be checked now, or go unchecked. */
  private void toolsRead(ReadySession of) {
    if (state.serves()) {
      mailbox.release(of);
    }
  }

  private Future<Void> close(LifecycleMessage.Stop stop) {
    Session closing = session;
    if (closing == null) {
      moveTo(stop.restarting() ? ConnectionState.RECONNECTING : ConnectionState.IDLE);
      return Future.succeededFuture();
    }
    boolean draining = readySession != null;
    if (readySession != null && stop.restarting()) {
      readySession.tasks().moveOn();
    }
    if (draining) {
      moveTo(ConnectionState.DRAINING);
    } else {
      leave(); // that its handshake fails now is no news
    }
    return (draining ? closing.drained(stop.drainMillis()) : Future.<Void>succeededFuture())
        .compose(drained -> closing.close())
        .onComplete(
            closed -> {
              if (session == closing) {
                leave();
                publishDisconnected(stopped());
              }
              // It may also have ended while it was being drained.
              if (session == null) {
                moveTo(stop.restarting() ? ConnectionState.RECONNECTING : ConnectionState.IDLE);
                mailbox.stopped();
              }
            });
  }

  private void giveUp(LifecycleMessage.GaveUp gaveUp) {
    view.nextAttempt(gaveUp.reprobeMillis() < 0 ? -1 : clock.millis() + gaveUp.reprobeMillis(), 0);
    view.gaveUp(gaveUp.message());
    moveTo(ConnectionState.FAILED);
    mailbox.refuseWaiting();
    JsonObject event =
        new JsonObject().put("reprobe", gaveUp.reprobeMillis()).put("message", gaveUp.message());
    JsonObject cause = view.lastErrorAsData();
    publish(Events.GAVE_UP, cause == null ? event : event.mergeIn(cause));
  }

  // ---- what the session reports

  @Override
  public @Nullable ReadySession live(Session of) {
    ReadySession now = readySession;
    return now != null && now.session() == of ? now : null;
  }

  @Override
  public void ended(Session of, McpFailure reason) {
    if (live(of) != null) {
      over(of, reason);
    }
  }

  @Override
  public void refused(String why) {
    starter.forgetEra();
    tell(new LifecycleMessage.RestartWanted(id.value(), why));
  }

  @Override
  public void listChanged(ReadySession of, String method) {
    tools.changed(of, method);
  }

  /** The session is over, ready or not: clean up, and let the supervisor decide. */
  private void over(Session of, McpFailure reason) {
    view.error(reason);
    leave();
    moveTo(ConnectionState.RECONNECTING);
    if (!everReady) {
      // Nothing says that a server which never answered will: whoever waits should know why.
      mailbox.failWaiting(reason);
    }
    publishDisconnected(reason);
    long ended = epoch;
    of.close()
        .onComplete(
            closed ->
                tell(
                    new LifecycleMessage.Ended(
                        id.value(), ended, reason, ConnectionFailures.isRetryable(reason))));
  }

  private McpFailure stopped() {
    return McpFailure.notSent(FailureCode.UNAVAILABLE, whyStopped);
  }

  private void publishDisconnected(McpFailure reason) {
    publish(
        Events.DISCONNECTED,
        new JsonObject().put("code", reason.code().name()).put("message", reason.getMessage()));
  }

  private void leave() {
    starter.abandon();
    health.stop();
    idle.stop();
    tools.stop();
    upstream.forget();
    if (readySession != null) {
      readySession.subscriptions().stop();
    }
    session = null;
    readySession = null;
  }

  // ---- health

  @Override
  public void healthy() {
    if (state == ConnectionState.DEGRADED) {
      moveTo(ConnectionState.READY);
    }
  }

  @Override
  public void unlisted(HealthCheck.Failure failure) {
    view.error(failure.reason());
    publish(Events.HEALTH_CHECK_FAILED, failure.toJson());
  }

  @Override
  public void unhealthy(HealthCheck.Failure failure) {
    publish(Events.HEALTH_CHECK_FAILED, failure.toJson());
    if (state == ConnectionState.READY) {
      moveTo(ConnectionState.DEGRADED);
    }
    if (failure.failures() >= options.pingThreshold()) {
      whyStopped =
          "health check: "
              + failure.failures()
              + " failed in a row; "
              + failure.reason().getMessage();
      view.error(stopped());
      tell(new LifecycleMessage.RestartWanted(id.value(), whyStopped));
    }
  }

  // ---- facts

  private void moveTo(ConnectionState next) {
    if (state == next) {
      return;
    }
    ConnectionState from = state;
    state = next;
    publish(Events.STATE_CHANGED, new JsonObject().put("from", from.name()).put("to", next.name()));
  }

  @Override
  public void publish(String type, JsonObject more) {
    events.publish(type, epoch, more);
  }
}
