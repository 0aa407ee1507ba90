package dev.mcpbus.connection;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.ConnectionTelemetry;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.LifecycleMessage;
import dev.mcpbus.bus.LoggedConnection;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ReplicaId;
import dev.mcpbus.bus.RestartReason;
import dev.mcpbus.bus.SharingMessage;
import dev.mcpbus.bus.Telemetry;
import dev.mcpbus.bus.Timers;
import dev.mcpbus.connection.input.InputRequests;
import dev.mcpbus.connection.input.OfferedCapabilities;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.options.ConnectionSpec;
import dev.mcpbus.connection.options.PrivateConnection;
import dev.mcpbus.connection.options.ReplicaRole;
import dev.mcpbus.connection.session.Clock;
import dev.mcpbus.connection.session.ConnectionFailures;
import dev.mcpbus.connection.session.OpenSession;
import dev.mcpbus.connection.session.Session;
import dev.mcpbus.connection.session.SessionPreferences;
import dev.mcpbus.connection.tasks.ServerTasks;
import dev.mcpbus.connection.tools.DefinitionPins;
import dev.mcpbus.connection.tools.DriftWatch;
import dev.mcpbus.internals.ByteBudget;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The actor of one MCP server connection. The verticle keeps its addresses, its state and its stash
 * while its sessions come and go. It never decides to restart: it sends facts to its supervisor and
 * carries out the supervisor's commands ({@link LifecycleMessage}).
 *
 * <pre>
 *   callers --> Mailbox --> ReadySession --> Session --> server
 *                  |            ^               |
 *                Stash      Handshake     ServerMessages --> events, questions, tasks
 *
 *   supervisor --commands--> ConnectionVerticle --moves--> ConnectionStateHolder --facts--> supervisor
 * </pre>
 *
 * <p>A session begins in {@code open} (the command {@code Start}) and is served from {@code ready}
 * on. It ends in {@code close} (the command {@code Stop}) or in {@code over} (any failure). Owner
 * of all of it: the verticle's event-loop context, the single writer of the connection.
 */
public final class ConnectionVerticle extends VerticleBase {

  private static final Logger LOG = LoggerFactory.getLogger(ConnectionVerticle.class);

  private final ConnectionSpec spec;
  private final ConnectionId id;
  private final ConnectionOptions options;
  private final Clock clock;
  private final PreferenceRenewal renewal;
  private final SessionPreferences preferences;
  private final DriftWatch drift;

  // Set once in start().
  @SuppressWarnings("NullAway.Init")
  private ConnectionStateHolder connection;

  @SuppressWarnings("NullAway.Init")
  private Mailbox mailbox;

  @SuppressWarnings("NullAway.Init")
  private HealthCheck health;

  @SuppressWarnings("NullAway.Init")
  private ToolListRefresh toolLists;

  @SuppressWarnings("NullAway.Init")
  private IdleTimer idle;

  @SuppressWarnings("NullAway.Init")
  private ServerMessages serverMessages;

  @SuppressWarnings("NullAway.Init")
  private ServerTasks tasks;

  public ConnectionVerticle(ConnectionSpec spec) {
    this(spec, Clock.SYSTEM);
  }

  ConnectionVerticle(ConnectionSpec spec, Clock clock) {
    this.spec = spec;
    this.id = spec.id();
    this.options = spec.options();
    this.clock = clock;
    this.preferences = new SessionPreferences(spec.offered());
    this.renewal = new PreferenceRenewal(spec.server(), preferences);
    // A private connection has the pins of its server, so the same tools are quarantined.
    ConnectionId server = spec.server();
    PrivateConnection own = spec.privateConnection();
    String principal = own == null ? null : own.principal();
    ConnectionId pinned = principal == null ? server : ConnectionId.ofPrincipal(server, principal);
    this.drift =
        new DriftWatch(
            server, new DefinitionPins(pinned, options.pin(), spec.pins()), this::publish);
  }

  /** Every address that the connection of {@code replica} may register in a cluster. */
  public static List<String> addresses(ReplicaId replica) {
    return Stream.concat(
            Addresses.SERVED.stream().map(suffix -> Addresses.of(replica.server(), suffix)),
            Stream.of(replica.address()))
        .toList();
  }

  /** Completes when every address is registered; no session is opened yet. */
  @Override
  public Future<?> start() {
    connection = new ConnectionStateHolder(vertx, spec, clock, drift);
    idle = new IdleTimer(vertx, clock, options, connection::wantStop);
    SharedUse use = connection.use();
    if (use != null) {
      idle.restsAfter(use::restMillis);
    }
    mailbox = new Mailbox(vertx, spec, clock, connection, drift, idle);
    health = new HealthCheck(Timers.of(vertx), options, connection);
    toolLists =
        new ToolListRefresh(
            spec.server(), connection, drift, Timers.of(vertx), clock, this::toolsRead);
    PrivateConnection privateConnection = spec.privateConnection();
    String principal = privateConnection == null ? null : privateConnection.principal();
    ConnectionId asks = principal == null ? id : spec.server();
    InputRequests inputs = new InputRequests(vertx, asks, principal, preferences);
    tasks =
        new ServerTasks(
            new InputRequests(vertx, asks, principal, preferences),
            preferences,
            (call, then) -> mailbox.holdUntilNextSession(call, ready -> then.accept(ready.open())));
    serverMessages =
        new ServerMessages(
            vertx.eventBus(),
            inputs,
            tasks,
            privateConnection == null ? null : privateConnection.input(),
            connection,
            toolLists,
            mailbox::holdForRepeat,
            this::ended);
    LoggedConnection.set(context, spec.server());
    ByteBudget.server(context, spec.server().value());
    Telemetry telemetry = Telemetry.of(vertx);
    if (telemetry != null) {
      connection.measureBy(telemetry.connection(new MeasuredConnection(spec, connection, mailbox)));
    }
    context.exceptionHandler(this::crashed);
    vertx.eventBus().localConsumer(spec.child().control(), this::control);
    // A private connection offers what its client can answer, and no other caller's offers.
    Future<Void> offers =
        privateConnection == null || principal != null
            ? OfferedCapabilities.watch(vertx, asks, this::offered)
            : Future.succeededFuture();
    return offers
        .compose(known -> drift.pins().load())
        .compose(pinned -> connection.loadEra())
        .compose(remembered -> mailbox.open());
  }

  /** Callers now offer to answer {@code capabilities}. */
  private void offered(JsonObject capabilities) {
    preferences.offer(capabilities);
    renegotiate();
  }

  /**
   * In the {@code initialize} era a server learns once per session which questions are answered: a
   * wider offer needs a new session.
   */
  private void renegotiate() {
    ReadySession now = connection.ready();
    if (now != null && !now.isDiscoverEra() && preferences.hasNews()) {
      connection.wantRestart(RestartReason.Request.NEW_CAPABILITIES);
    }
  }

  @Override
  public Future<?> stop() {
    Session session = connection.session();
    Future<Void> closed = session == null ? Future.succeededFuture() : session.close();
    leave(null);
    connection.moveTo(ConnectionState.CLOSED);
    mailbox.refuseWaiting();
    connection.rpcLog().close();
    connection.close();
    ReplicaRole role = connection.role();
    if (role != null) {
      role.close();
    }
    ConnectionTelemetry telemetry = connection.telemetry();
    if (telemetry != null) {
      telemetry.close();
    }
    return closed;
  }

  private void crashed(Throwable cause) {
    LOG.error(
        "connection {}: uncaught exception; the supervisor redeploys the connection",
        spec.server(),
        cause);
    connection.report(new LifecycleMessage.Crashed(spec.child().key(), cause));
  }

  // ---- commands of the supervisor

  private void control(Message<Object> message) {
    Object command = message.body();
    if (command instanceof LifecycleMessage.Start start) {
      open(start);
    } else if (command instanceof LifecycleMessage.Stop stop) {
      close(stop).onComplete(closed -> message.reply(null));
    } else if (command instanceof LifecycleMessage.RestartScheduled scheduled) {
      connection
          .statusView()
          .nextAttempt(clock.millis() + scheduled.delayMillis(), scheduled.attempt());
      connection.moveTo(ConnectionState.RECONNECTING);
      publish(
          Events.RESTARTING,
          new JsonObject()
              .put("attempt", scheduled.attempt())
              .put("delay", scheduled.delayMillis()));
    } else if (command instanceof LifecycleMessage.GaveUp gaveUp) {
      giveUp(gaveUp);
    } else if (command instanceof SharingMessage asked) {
      SharedUse use = connection.use();
      message.reply(
          use == null
              ? SharingMessage.SharingAnswer.NONE
              : use.answer(asked, connection, idle, connection.isDisconnected()));
    }
  }

  private void open(LifecycleMessage.Start start) {
    leave(null);
    connection.starting(start.epoch(), start.restarts());
    ConnectionState state = connection.state();
    if (state != ConnectionState.RECONNECTING && state != ConnectionState.FAILED) {
      connection.moveTo(
          start.restarts() > 0 ? ConnectionState.RECONNECTING : ConnectionState.CONNECTING);
    }
    long from = clock.millis();
    new Handshake(spec, context, clock, connection, preferences, serverMessages)
        .open()
        .onComplete(
            result -> {
              Session opened = connection.session();
              if (connection.epoch() != start.epoch() || opened == null) {
                return;
              }
              if (result.failed()) {
                over(
                    opened,
                    refusal(ConnectionFailures.inHandshake(result.cause())),
                    ConnectionFailures.isRefusal(result.cause()));
              } else {
                ready(readySession(result.result(), clock.millis() - from));
              }
            });
  }

  /** The server may run already, and take one session only: the reason says what helps then. */
  private McpFailure refusal(McpFailure reason) {
    return spec.privateConnection() == null || connection.wasEverReady()
        ? reason
        : ConnectionFailures.ofSecondSession(reason);
  }

  /** Tells the registry of private connections what has become of a start. */
  private void tell(@Nullable McpFailure failure, boolean refused) {
    PrivateConnection own = spec.privateConnection();
    if (own != null) {
      own.outcome().of(failure, refused);
    }
  }

  private ReadySession readySession(OpenSession opened, long connectMillis) {
    return ReadySession.of(
        opened, preferences, tasks, drift, mailbox::holdUntilToolsAreListed, connectMillis);
  }

  private void ready(ReadySession now) {
    McpFailure outOfScope = options.toolsOnly() ? ToolsOnlyScope.check(spec.server(), now) : null;
    if (outOfScope != null) {
      over(now.session(), outOfScope, false);
      return;
    }
    connection.becameReady(now);
    tell(null, false);
    health.start(now.session(), now.offers("tools") ? now.tools()::load : null);
    idle.start(now.session());
    connection.report(new LifecycleMessage.Started(spec.child().key(), connection.epoch()));
    publish(Events.CONNECTED, connection.statusView().connected(now));
    toolLists.ready(now);
    renewal.renew(now);
    mailbox.release(now);
    renegotiate();
  }

  /**
   * The session has its first list of tools, or cannot have one: the calls that wait for it go on,
   * checked or unchecked.
   */
  private void toolsRead(ReadySession of) {
    if (connection.state().serves()) {
      mailbox.release(of);
    }
  }

  private Future<Void> close(LifecycleMessage.Stop stop) {
    Session closing = connection.session();
    ReadySession draining = connection.ready();
    if (!stop.restarting()) {
      connection.statusView().nextAttempt(-1, 0); // one that was planned is not made
    }
    if (closing == null) {
      connection.moveTo(afterStop(stop));
      mailbox.stopped();
      return Future.succeededFuture();
    }
    if (draining == null) {
      leave(null); // the handshake fails now, and its failure must not be reported
    } else {
      if (stop.restarting()) {
        draining.tasks().moveOn();
      }
      connection.moveTo(ConnectionState.DRAINING);
    }
    return (draining == null ? Future.<Void>succeededFuture() : closing.drained(stop.drainMillis()))
        .compose(drained -> closing.close())
        .onComplete(closed -> stopped(closing, stop));
  }

  private void stopped(Session closed, LifecycleMessage.Stop stop) {
    if (connection.session() == closed) {
      leave(null);
      connection.ended(true, connection.stopFailure());
      SharedUse use = connection.use();
      if (use == null || !use.isResting()) { // else its lists count as if it were there
        publishDisconnected(connection.stopFailure());
      }
      forgetUse();
    }
    // The session may have ended by itself while it was drained.
    if (connection.session() == null) {
      connection.moveTo(afterStop(stop));
      mailbox.stopped();
    }
  }

  private static ConnectionState afterStop(LifecycleMessage.Stop stop) {
    return stop.restarting() ? ConnectionState.RECONNECTING : ConnectionState.IDLE;
  }

  private void giveUp(LifecycleMessage.GaveUp gaveUp) {
    long reprobe = gaveUp.reprobeMillis();
    connection.statusView().nextAttempt(reprobe < 0 ? -1 : clock.millis() + reprobe, 0);
    connection.statusView().gaveUp(gaveUp.message());
    boolean again = connection.state() == ConnectionState.FAILED && connection.startsByCall();
    connection.gaveUp(gaveUp.onDemand());
    connection.moveTo(ConnectionState.FAILED);
    mailbox.refuseWaiting();
    tell(connection.stopFailure(), false);
    if (again && gaveUp.onDemand()) {
      return; // told already: its strategy has refused one more caller
    }
    JsonObject event = new JsonObject().put("reprobe", reprobe).put("message", gaveUp.message());
    JsonObject cause = connection.statusView().lastErrorAsData();
    publish(Events.GAVE_UP, cause == null ? event : event.mergeIn(cause));
  }

  // ---- the end of a session

  private void ended(Session of, McpFailure reason) {
    if (connection.ready(of) != null) {
      over(of, reason, false);
    }
  }

  /**
   * The session has failed, ready or not: cleans up and reports it to the supervisor, which
   * decides.
   */
  private void over(Session of, McpFailure reason, boolean refused) {
    boolean wasReady = connection.ready(of) != null;
    connection.statusView().error(reason);
    leave(reason);
    connection.moveTo(ConnectionState.RECONNECTING);
    if (!connection.wasEverReady()) {
      // A server that never answered may never do: the callers that wait get the reason now.
      mailbox.failWaiting(reason);
    }
    publishDisconnected(reason);
    forgetUse();
    tell(reason, refused);
    long ended = connection.epoch();
    Future<Void> closing = of.close(); // passes on the last line, if it has no line break
    connection.ended(wasReady, reason);
    closing.onComplete(
        closed ->
            connection.report(
                new LifecycleMessage.Ended(
                    spec.child().key(), ended, reason, ConnectionFailures.isRetryable(reason))));
  }

  /** Calls that wait run in the next session: then it may have several callers, too. */
  private void forgetUse() {
    SharedUse use = connection.use();
    if (use != null && mailbox.waiting() == 0) {
      use.over();
    }
  }

  private void publishDisconnected(McpFailure reason) {
    publish(
        Events.DISCONNECTED,
        new JsonObject().put("code", reason.code().name()).put("message", reason.getMessage()));
  }

  private void leave(@Nullable McpFailure reason) {
    health.stop();
    idle.stop();
    toolLists.stop();
    serverMessages.forget();
    ReadySession left = connection.ready();
    if (left != null) {
      left.subscriptions().stop();
    }
    connection.leftSession(reason);
  }

  private void publish(String type, JsonObject more) {
    connection.publish(type, more);
  }
}
