package dev.mcpbus.connection;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.ConnectionTelemetry;
import dev.mcpbus.bus.DisconnectedServers;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.LifecycleMessage;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RestartReason;
import dev.mcpbus.bus.Timers;
import dev.mcpbus.connection.options.ConnectionSpec;
import dev.mcpbus.connection.options.Ownership;
import dev.mcpbus.connection.options.PrivateConnection;
import dev.mcpbus.connection.options.ReplicaRole;
import dev.mcpbus.connection.session.CallBreaker;
import dev.mcpbus.connection.session.CallReference;
import dev.mcpbus.connection.session.Clock;
import dev.mcpbus.connection.session.MessageOwner;
import dev.mcpbus.connection.session.Session;
import dev.mcpbus.connection.tools.DriftWatch;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.MessageTap;
import dev.mcpbus.protocol.Quirk;
import dev.mcpbus.protocol.Quirks;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.transport.StdioOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.shareddata.LocalMap;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state of a connection: {@link ConnectionState}, the present session, and what is kept from
 * one session to the next, such as the era. {@link ConnectionVerticle} changes it; {@link Mailbox},
 * {@link ServerMessages}, {@link Handshake} and the status read it. This class publishes each
 * change of state, and sends each fact to the supervisor. Owner: the connection's context.
 */
final class ConnectionStateHolder implements ReplicaRole.Self, HealthCheck.HealthListener {

  private static final Logger LOG = LoggerFactory.getLogger(ConnectionStateHolder.class);
  private static final DeliveryOptions LOCAL = new DeliveryOptions().setLocalOnly(true);

  private static final String TARGET = "target";
  private static final String UNTIL = "until";
  private static final long KEPT_MILLIS = Duration.ofDays(7).toMillis();

  /** Member of a status request, and of its answer: the result of the handshake, as text. */
  private static final String HANDSHAKE = "handshake";

  private final EventBus bus;
  private final ConnectionSpec spec;
  private final Clock clock;
  private final DriftWatch drift;
  private final StatusView view = new StatusView();
  private final OutputLog output = new OutputLog(System::currentTimeMillis);
  private final SessionHistory history;
  private final @Nullable ReplicaRole role;
  private final EventPublisher events;
  private final RpcLogSwitch rpcLog;
  private final @Nullable SharedUse use;
  private final @Nullable CallBreaker breaker;
  private final LocalMap<String, Quirks> shared;
  private final Quirks quirks;
  private final DisconnectedServers disconnected;

  private ConnectionState state = ConnectionState.IDLE;
  private long epoch;
  private long startedAt;
  private @Nullable Session session;
  private @Nullable ReadySession ready;
  private @Nullable ConnectionTelemetry telemetry;
  private boolean everReady;
  private boolean unhealthy;
  private boolean onDemand;
  private @Nullable Era era;
  private @Nullable Instant eraSince;
  private boolean keptEra;

  /** The reason that callers get if the supervisor stops the session now. */
  private String whyStopped = "";

  ConnectionStateHolder(Vertx vertx, ConnectionSpec spec, Clock clock, DriftWatch drift) {
    this.bus = vertx.eventBus();
    this.spec = spec;
    this.clock = clock;
    this.drift = drift;
    this.history = new SessionHistory(output, spec.transport().redactor());
    Ownership ownership = spec.ownership();
    ReplicaRole.RoleFactory several = spec.several();
    this.role = several == null ? null : several.create(vertx, this);
    PrivateConnection own = spec.privateConnection();
    this.events = new EventPublisher(bus, spec.id(), own, role);
    this.era = own == null ? null : own.era();
    boolean isProgram = ownership == null && spec.transport().type().equals(StdioOptions.TYPE);
    this.use =
        own != null || spec.options().shared()
            ? null
            : new SharedUse(spec.server(), spec.options(), isProgram);
    this.breaker = CallBreaker.of(spec.options().breaker(), clock, new BreakerChanges());
    this.rpcLog =
        new RpcLogSwitch(spec.rpcLog(), Timers.of(vertx), InstantSource.system(), this::show);
    this.disconnected = DisconnectedServers.of(vertx);
    this.shared = vertx.sharedData().getLocalMap("mcpbus.quirks");
    Quirks ofServer = own == null ? null : shared.get(spec.server().value());
    this.quirks =
        ofServer == null ? new Quirks(spec.options().strict(), this::tolerated) : ofServer;
    if (own == null) {
      shared.put(spec.server().value(), quirks);
    }
  }

  private void tolerated(Quirk quirk) {
    LOG.info(
        "connection {}: {}; mcpbus goes on (\"strict\": true refuses it). For its authors: {}",
        spec.server(),
        quirk.says(),
        quirk.remedy());
  }

  /** What is tolerated of the server; its private connections on this node share it. */
  Quirks quirks() {
    return quirks;
  }

  /** The verticle ends. */
  void close() {
    if (spec.privateConnection() == null) {
      shared.removeIfPresent(spec.server().value(), quirks);
    } else {
      disconnected(false);
    }
  }

  private void show(@Nullable MessageTap tap) {
    if (session != null) {
      session.show(tap);
    }
  }

  /** Where the JSON-RPC messages are shown, in this session and the next ones. */
  RpcLogSwitch rpcLog() {
    return rpcLog;
  }

  /** Who has called over a connection for all; null where its definition or a client decides. */
  @Nullable SharedUse use() {
    return use;
  }

  /** The circuit breaker of its calls; null where they have none. */
  @Nullable CallBreaker breaker() {
    return breaker;
  }

  private final class BreakerChanges implements CallBreaker.BreakerListener {

    @Override
    public void changed(JsonObject change) {
      if (role != null && breaker != null) {
        role.probeIn(breaker.probeIn());
      }
      if (spec.local() != null) {
        change.put("replica", spec.local().id().number());
      }
      publish(Events.BREAKER_CHANGED, change);
      settle();
    }

    @Override
    public void wantsProbe() {
      if (role != null) {
        role.probeIn(0);
      }
    }
  }

  /**
   * Whether a call may start the connection: it is idle, or its strategy refused the last start.
   */
  boolean startsByCall() {
    return !isDisconnected()
        && (state == ConnectionState.IDLE || (state == ConnectionState.FAILED && onDemand));
  }

  void gaveUp(boolean mayStartByCall) {
    onDemand = mayStartByCall;
  }

  /** Whether a caller has disconnected the server, and none has connected it again. */
  boolean isDisconnected() {
    return disconnected.contains(spec.child().key());
  }

  void disconnected(boolean by) {
    disconnected.set(spec.child().key(), by);
  }

  @Override
  public int pending() {
    Session now = session;
    return now == null ? 0 : now.pendingCalls();
  }

  @Override
  public void wanted() {
    if (state == ConnectionState.IDLE && !isDisconnected()) {
      wantStart();
    }
  }

  /** Moves a session that serves to the state that its checks and its breaker say. */
  private void settle() {
    if (state.serves()) {
      boolean whole = !unhealthy && (breaker == null || breaker.isClosed());
      moveTo(whole ? ConnectionState.READY : ConnectionState.DEGRADED);
    }
  }

  /** The role of this connection among the replicas of its server; null for the only connection. */
  @Nullable ReplicaRole role() {
    return role;
  }

  /** Measures the connection from now on. */
  void measureBy(@Nullable ConnectionTelemetry instruments) {
    telemetry = instruments;
  }

  /** The instruments of the connection; null where nothing is measured. */
  @Nullable ConnectionTelemetry telemetry() {
    return telemetry;
  }

  StatusView statusView() {
    return view;
  }

  /** What the server's processes wrote beside their messages. */
  OutputLog output() {
    return output;
  }

  SessionHistory history() {
    return history;
  }

  /** The session has ended, or its start has failed. */
  void ended(boolean wasReady, McpFailure reason) {
    history.ended(epoch, wasReady, reason, clock.millis());
  }

  @Override
  public ConnectionState state() {
    return state;
  }

  /** The number of the session; it rises with each start. */
  long epoch() {
    return epoch;
  }

  /** When the last start was commanded, on the connection's clock. */
  long startedAt() {
    return startedAt;
  }

  /** The present session, ready or not; null between two sessions. */
  @Nullable Session session() {
    return session;
  }

  /** The present session after its handshake; null before that, and between two sessions. */
  @Nullable ReadySession ready() {
    return ready;
  }

  /** The session that takes calls, null where none does. */
  @Nullable ReadySession serving() {
    return state.serves() ? ready : null;
  }

  /** The ready session whose session is {@code one}; null if that one is not ready. */
  @Nullable ReadySession ready(Session one) {
    ReadySession now = ready;
    return now != null && now.session() == one ? now : null;
  }

  /** False until the first handshake with the server succeeds. */
  boolean wasEverReady() {
    return everReady;
  }

  /** Cancels a call, in flight or waiting; false where there is none. */
  boolean cancel(CallReference which) {
    return session != null && (session.cancel(which) || session.waiting().cancel(which));
  }

  @Override
  public JsonObject status(@Nullable Object request) {
    JsonObject status = view.toJson(spec, this, drift, clock.millis());
    JsonArray tolerated = quirks.toJson();
    if (!tolerated.isEmpty()) {
      status.put("quirks", tolerated);
    }
    if (eraSince != null) {
      status.put("eraSince", eraSince.toString());
    }
    if (breaker != null) {
      status.put("breaker", breaker.toJson());
    }
    if (ready != null && wants(request, HANDSHAKE)) {
      status
          .put(HANDSHAKE, ready.server().raw().toString())
          .put("capabilities", ready.server().capabilities().copy())
          .put("instructions", ready.server().instructions());
    }
    return status;
  }

  private static boolean wants(@Nullable Object request, String member) {
    return request instanceof JsonObject json && Boolean.TRUE.equals(json.getValue(member));
  }

  // ---- how it changes

  /** The supervisor has commanded a start; the new session has the epoch {@code number}. */
  void starting(long number, int restarts) {
    epoch = number;
    startedAt = clock.millis();
    view.starting(restarts);
    history.starting(clock.millis());
    if (restarts > 0 && telemetry != null) {
      telemetry.restarted();
    }
  }

  /** The handshake continues with the session {@code made}. */
  void tries(Session made) {
    session = made;
  }

  void becameReady(ReadySession now) {
    ready = now;
    everReady = true;
    whyStopped = "the session was stopped";
    view.ready();
    if (telemetry != null) {
      long pid = now.session().diagnostics().getLong("pid", -1L);
      telemetry.ready(StatusView.wire(now.session().version()), pid);
    }
    unhealthy = false;
    moveTo(ConnectionState.READY);
    settle();
  }

  /**
   * The session has ended, or is being given up; there is none until the next start.
   *
   * @param reason null where it was stopped
   */
  void leftSession(@Nullable McpFailure reason) {
    if (ready != null && telemetry != null) {
      telemetry.ended(reason);
    }
    session = null;
    ready = null;
  }

  void moveTo(ConnectionState next) {
    if (state == next) {
      return;
    }
    ConnectionState from = state;
    state = next;
    publish(Events.STATE_CHANGED, new JsonObject().put("from", from.name()).put("to", next.name()));
  }

  /** The failure that callers get if the supervisor stops the session. */
  McpFailure stopFailure() {
    return McpFailure.notSent(FailureCode.UNAVAILABLE, whyStopped);
  }

  // ---- the server's era

  /** The era that the next handshake begins with; null where it has to find the era. */
  @Nullable Era era() {
    return era;
  }

  /** Takes up what {@link #keepEra} has kept; completes in any case. */
  Future<Void> loadEra() {
    return spec.eras()
        .load(spec.server())
        .map(
            kept -> {
              boolean holds =
                  spec.transport().target().equals(kept.getString(TARGET))
                      && kept.getLong(UNTIL, 0L) > System.currentTimeMillis();
              keptEra = kept.containsKey(TARGET);
              era = holds && era == null ? Era.INITIALIZE : era;
              return (Void) null;
            })
        .otherwiseEmpty();
  }

  /**
   * Remembers beyond the end of the process that this server speaks {@code initialize} and is
   * silent on the probe. It holds for a week, because servers get better, and until the server is
   * found to speak the other era.
   */
  void keepEra() {
    keptEra = true;
    spec.eras()
        .save(
            spec.server(),
            new JsonObject()
                .put(TARGET, spec.transport().target())
                .put(UNTIL, System.currentTimeMillis() + KEPT_MILLIS));
  }

  void foundEra(Era found) {
    if (found == Era.DISCOVER && keptEra) {
      keptEra = false;
      spec.eras().save(spec.server(), new JsonObject());
    }
    if (era != found || eraSince == null) {
      era = found;
      eraSince = Instant.now();
    }
  }

  /** No era is known any more; the next handshake begins with {@code next}, null for a probe. */
  void forgetEra(@Nullable Era next) {
    era = next;
    eraSince = null;
  }

  // ---- facts and events

  /** Sends a fact to the supervisor of this node. */
  void report(LifecycleMessage.Fact fact) {
    bus.send(Addresses.SUPERVISOR, fact, LOCAL);
  }

  void wantStart() {
    report(new LifecycleMessage.StartWanted(spec.child().key()));
  }

  void wantStop() {
    report(new LifecycleMessage.StopWanted(spec.child().key()));
  }

  void wantRestart(RestartReason reason) {
    report(new LifecycleMessage.RestartWanted(spec.child().key(), reason));
  }

  /** Publishes an event of this connection. */
  void publish(String type, JsonObject more) {
    events.publish(type, epoch, more);
  }

  /**
   * Publishes a notification of the server as an event; not for {@code list_changed}, whose event
   * {@code ToolListRefresh} publishes when the list has been read.
   *
   * @param owner whose it is
   */
  void publish(String method, RawJson params, MessageOwner owner) {
    events.publish(EventTypes.of(method), epoch, method, params, owner);
  }

  /** Passes a {@code list_changed} to the gateway as the server sent it. */
  void announce(String method, RawJson params) {
    events.announce(method, params);
  }

  @Override
  public void tookOver() {
    ReadySession now = serving();
    if (now != null) {
      events.publishAlways(Events.CONNECTED, epoch, view.connected(now));
    }
  }

  // ---- results of the health check

  @Override
  public void healthy() {
    unhealthy = false;
    settle();
  }

  /** A server that has lost what it knew may answer pings and refuse all else. */
  @Override
  public void unlisted(HealthCheck.FailedCheck failure) {
    view.error(failure.reason());
    publish(Events.HEALTH_CHECK_FAILED, failure.toJson());
    ReadySession now = ready();
    if (now != null
        && now.tools().table() != null
        && failure.reason().code() == FailureCode.UPSTREAM_ERROR) {
      restartAfter(failure);
    }
  }

  @Override
  public void unhealthy(HealthCheck.FailedCheck failure) {
    publish(Events.HEALTH_CHECK_FAILED, failure.toJson());
    unhealthy = true;
    settle();
    restartAfter(failure);
  }

  private void restartAfter(HealthCheck.FailedCheck failure) {
    if (failure.failures() >= spec.options().pingThreshold()) {
      RestartReason reason =
          new RestartReason.FailedHealthCheck(
              failure.failures(), String.valueOf(failure.reason().getMessage()));
      whyStopped = reason.text();
      view.error(stopFailure());
      wantRestart(reason);
    }
  }
}
