package dev.mcpbus.connection;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.LifecycleMessage;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ReplicaId;
import dev.mcpbus.bus.RestartReason;
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
import dev.mcpbus.connection.session.Timers;
import dev.mcpbus.connection.tasks.ServerTasks;
import dev.mcpbus.connection.tools.DefinitionPins;
import dev.mcpbus.connection.tools.DriftWatch;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The actor of one MCP server connection. It is stable: it holds the addresses, the state and the
 * stash, while sessions come and go. It never decides to restart; it reports to its supervisor and
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
 * <p>Single writer: everything here happens on the verticle's event-loop context.
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
  private ServerMessages upstream;

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
    this.preferences = new SessionPreferences(spec.capabilities());
    this.renewal = new PreferenceRenewal(id, preferences);
    PrivateConnection privateConnection = spec.privateConnection();
    // A quarantined tool is quarantined in private connections of the server, too.
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
    connection = new ConnectionStateHolder(vertx, spec, clock, drift);
    idle = new IdleTimer(vertx, clock, options, connection::wantStop);
    mailbox = new Mailbox(vertx, spec, clock, connection, drift, idle);
    health = new HealthCheck(Timers.of(vertx), options, connection);
    toolLists =
        new ToolListRefresh(id, connection, drift, Timers.of(vertx), clock, this::toolsRead);
    InputRequests inputs = new InputRequests(vertx.eventBus(), id, preferences);
    tasks =
        new ServerTasks(
            new InputRequests(vertx.eventBus(), id, preferences),
            preferences,
            (call, then) -> mailbox.park(call, ready -> then.accept(ready.open())));
    PrivateConnection privateConnection = spec.privateConnection();
    upstream =
        new ServerMessages(
            vertx.eventBus(),
            inputs,
            tasks,
            privateConnection == null ? null : privateConnection.input(),
            connection,
            toolLists,
            this::ended);
    context.exceptionHandler(this::crashed);
    vertx.eventBus().localConsumer(Addresses.of(id, Addresses.CONTROL), this::control);
    // The client of a private connection alone says what it can answer.
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
    ReadySession now = connection.ready();
    if (now != null && !now.isModern() && preferences.hasNews()) {
      connection.wantRestart(RestartReason.Request.NEW_CAPABILITIES);
    }
  }

  @Override
  public Future<?> stop() {
    Session session = connection.session();
    Future<Void> closed = session == null ? Future.succeededFuture() : session.close();
    leave();
    connection.moveTo(ConnectionState.CLOSED);
    mailbox.refuseWaiting();
    ReplicaRole role = connection.role();
    if (role != null) {
      role.close();
    }
    return closed;
  }

  private void crashed(Throwable cause) {
    LOG.error("connection {}: uncaught exception, asking to be redeployed", id, cause);
    connection.tell(new LifecycleMessage.Crashed(id.value(), cause));
  }

  // ---- commands of the supervisor

  private void control(Message<Object> message) {
    Object command = message.body();
    if (command instanceof LifecycleMessage.Start start) {
      open(start);
    } else if (command instanceof LifecycleMessage.Stop stop) {
      close(stop).onComplete(closed -> message.reply(null));
    } else if (command instanceof LifecycleMessage.RestartScheduled scheduled) {
      connection.view().nextAttempt(clock.millis() + scheduled.delayMillis(), scheduled.attempt());
      connection.moveTo(ConnectionState.RECONNECTING);
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
    connection.starting(start.epoch(), start.restarts());
    ConnectionState state = connection.state();
    if (state != ConnectionState.RECONNECTING && state != ConnectionState.FAILED) {
      connection.moveTo(
          start.restarts() > 0 ? ConnectionState.RECONNECTING : ConnectionState.CONNECTING);
    }
    long from = clock.millis();
    new Handshake(spec, context, clock, connection, preferences, upstream)
        .open()
        .onComplete(
            result -> {
              Session opened = connection.session();
              if (connection.epoch() != start.epoch() || opened == null) {
                return;
              }
              if (result.failed()) {
                over(opened, ConnectionFailures.inHandshake(result.cause()));
              } else {
                ready(readySession(result.result(), clock.millis() - from));
              }
            });
  }

  private ReadySession readySession(OpenSession opened, long connectMillis) {
    return ReadySession.of(
        opened, preferences, tasks, drift, mailbox::holdUntilToolsAreListed, connectMillis);
  }

  private void ready(ReadySession now) {
    McpFailure outOfScope = options.toolsOnly() ? ToolsOnlyScope.check(id, now) : null;
    if (outOfScope != null) {
      over(now.session(), outOfScope);
      return;
    }
    connection.becameReady(now);
    health.start(now.session(), now.offers("tools") ? now.tools()::load : null);
    idle.start(now.session());
    connection.tell(new LifecycleMessage.Started(id.value(), connection.epoch()));
    publish(Events.CONNECTED, connection.view().connected(now));
    toolLists.ready(now);
    renewal.renew(now);
    mailbox.release(now);
    renegotiate();
  }

  /** Calls that wait for the first reading can be checked now, or go unchecked. */
  private void toolsRead(ReadySession of) {
    if (connection.state().serves()) {
      mailbox.release(of);
    }
  }

  private Future<Void> close(LifecycleMessage.Stop stop) {
    Session closing = connection.session();
    ReadySession draining = connection.ready();
    if (closing == null) {
      connection.moveTo(afterStop(stop));
      return Future.succeededFuture();
    }
    if (draining == null) {
      leave(); // that its handshake fails now is no news
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
      leave();
      publishDisconnected(connection.stopped());
    }
    // It may also have ended while it was being drained.
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
    connection.view().nextAttempt(reprobe < 0 ? -1 : clock.millis() + reprobe, 0);
    connection.view().gaveUp(gaveUp.message());
    connection.moveTo(ConnectionState.FAILED);
    mailbox.refuseWaiting();
    JsonObject event = new JsonObject().put("reprobe", reprobe).put("message", gaveUp.message());
    JsonObject cause = connection.view().lastErrorAsData();
    publish(Events.GAVE_UP, cause == null ? event : event.mergeIn(cause));
  }

  // ---- the end of a session

  private void ended(Session of, McpFailure reason) {
    if (connection.ready(of) != null) {
      over(of, reason);
    }
  }

  /** The session is over, ready or not: clean up, and let the supervisor decide. */
  private void over(Session of, McpFailure reason) {
    connection.view().error(reason);
    leave();
    connection.moveTo(ConnectionState.RECONNECTING);
    if (!connection.wasEverReady()) {
      // Nothing says that a server which never answered will: callers that wait should know why.
      mailbox.failWaiting(reason);
    }
    publishDisconnected(reason);
    long ended = connection.epoch();
    of.close()
        .onComplete(
            closed ->
                connection.tell(
                    new LifecycleMessage.Ended(
                        id.value(), ended, reason, ConnectionFailures.isRetryable(reason))));
  }

  private void publishDisconnected(McpFailure reason) {
    publish(
        Events.DISCONNECTED,
        new JsonObject().put("code", reason.code().name()).put("message", reason.getMessage()));
  }

  private void leave() {
    health.stop();
    idle.stop();
    toolLists.stop();
    upstream.forget();
    ReadySession left = connection.ready();
    if (left != null) {
      left.subscriptions().stop();
    }
    connection.leftSession();
  }

  private void publish(String type, JsonObject more) {
    connection.publish(type, more);
  }
}
