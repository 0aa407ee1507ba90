package dev.mcpbus.replicas;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.CallDeadline.Layer;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.Gathered;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ReplicaId;
import dev.mcpbus.bus.ServerOperation;
import dev.mcpbus.bus.ServerOperation.Replicas;
import dev.mcpbus.connection.options.ReplicaRole;
import dev.mcpbus.internals.InternalContext;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The role of one replica of a server with several. It answers alone what any replica can answer;
 * it passes all other requests to the <em>speaker</em>, the first replica that serves, which asks
 * the other replicas where the answer concerns all. It also decides which replica publishes the
 * events of the server, so that each is published once. Owner thread: the connection's context.
 */
public final class ReplicaCoordinator implements ReplicaRole {

  private static final String YES = "true";
  private static final String SPEAKER = "speaker";
  private static final long STATUS_MILLIS = 1_000;
  private static final long OTHERS_MILLIS = 10_000;

  /** Between two probes of a replica whose breaker is open, while another one serves. */
  private static final long PROBE_PAUSE_MILLIS = 1_000;

  /** Two clocks count whole milliseconds, and a breaker refuses a probe in the last one. */
  private static final long ROUNDING_MILLIS = 2;

  /**
   * Events about whether the server can be reached: published only while no other replica serves.
   */
  private static final Set<String> REACH =
      Set.of(
          Events.STATE_CHANGED,
          Events.CONNECTED,
          Events.DISCONNECTED,
          Events.RESTARTING,
          Events.GAVE_UP,
          Events.HEALTH_CHECK_FAILED);

  /**
   * Events that every replica's session receives in the same form: only the speaker publishes them.
   */
  private static final Set<String> COMMON =
      Set.of(
          Events.TOOLS_CHANGED,
          Events.RESOURCES_CHANGED,
          Events.PROMPTS_CHANGED,
          Events.SCHEMA_DRIFT,
          Events.SCHEMA_APPROVED);

  private final Context context;

  /**
   * Passes requests on, and owns the rolling restart: Vert.x drops the replies to a verticle that
   * has ended, and a replica may end while a caller waits for what it has passed on.
   */
  private final InternalContext passing;

  private final ReplicaId replica;
  private final String version;
  private final Self self;
  private final ReplicaPeers replicas;
  private final RollingRestart rollingRestart;
  private final AtomicLong probeAt = new AtomicLong(Long.MAX_VALUE);
  private Set<ReplicaOwner> others = Set.of();

  /** The speaker at the last change of replicas; null where it did not serve. */
  private @Nullable ReplicaId speaker;

  /** Binds the object to the connection's context. */
  public ReplicaCoordinator(
      Vertx vertx, ReplicaPeers replicas, ReplicaId replica, String version, Self self) {
    this.context = vertx.getOrCreateContext();
    this.passing = InternalContext.create(vertx);
    this.replica = replica;
    this.version = version;
    this.self = self;
    this.replicas = replicas;
    this.rollingRestart = new RollingRestart(vertx, replicas, replica.server());
  }

  @Override
  public Future<Void> open(
      Vertx vertx,
      Handler<Message<Object>> handler,
      Map<String, Handler<Message<Object>>> operations) {
    replicas.listen(replica, new OwnReplica(this, operations));
    return vertx
        .eventBus()
        .<Object>consumer(replica.address(), handler)
        .completion()
        .onSuccess(open -> replicas.publish(replica, self.state(), version));
  }

  @Override
  public void close() {
    replicas.forget(replica);
  }

  @Override
  public void probeIn(long millis) {
    probeAt.set(millis < 0 ? Long.MAX_VALUE : millis() + millis + ROUNDING_MILLIS);
  }

  private static long millis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  /** This replica, as the others on its node see it; any thread may call. */
  private record OwnReplica(ReplicaCoordinator of, Map<String, Handler<Message<Object>>> operations)
      implements ReplicaPeers.NodeReplica {

    @Override
    public void changed() {
      of.context.runOnContext(now -> of.changed());
    }

    @Override
    public int pending() {
      return of.self.pending();
    }

    @Override
    public void wanted() {
      of.context.runOnContext(now -> of.self.wanted());
    }

    @Override
    public boolean takesProbe() {
      long due = of.probeAt.get();
      long now = millis();
      return due <= now && of.probeAt.compareAndSet(due, now + PROBE_PAUSE_MILLIS);
    }

    @Override
    public void run(Runnable task) {
      of.context.runOnContext(now -> task.run());
    }

    @Override
    public void take(String suffix, Message<Object> message) {
      Handler<Message<Object>> operation = operations.get(suffix);
      if (operation != null) {
        operation.handle(message);
      }
    }
  }

  // ---- events

  @Override
  public boolean publishes(String type) {
    if (type.equals(Events.STATE_CHANGED)) {
      replicas.publish(replica, self.state(), version);
    }
    if (REACH.contains(type)) {
      return others().stream().noneMatch(ReplicaOwner::serves);
    }
    ReplicaOwner first = replicas.speaker(replica.server());
    return !COMMON.contains(type) || first == null || first.replica().equals(replica);
  }

  private List<ReplicaOwner> others() {
    return replicas.of(replica.server()).stream()
        .filter(one -> !one.replica().equals(replica))
        .toList();
  }

  private void changed() {
    Set<ReplicaOwner> current = new HashSet<>(others());
    boolean joined =
        current.stream()
            .anyMatch(
                one ->
                    others.stream()
                        .noneMatch(
                            old ->
                                old.node().equals(one.node())
                                    && old.replica().equals(one.replica())));
    others = current;
    if (joined) {
      replicas.publish(replica, self.state(), version);
    }
    ReplicaOwner first = replicas.speaker(replica.server());
    ReplicaId before = speaker;
    speaker = first == null || !first.serves() ? null : first.replica();
    boolean left =
        before != null
            && current.stream().noneMatch(one -> one.replica().equals(before) && one.serves());
    if (left && !replica.equals(before) && replica.equals(speaker)) {
      self.tookOver();
    }
  }

  // ---- requests

  @Override
  public void received(String suffix, Message<Object> message, Handler<Message<Object>> own) {
    if (suffix.equals(Addresses.DISCONNECT)) {
      passing.run(rollingRestart::disconnected);
    }
    String alone = message.headers().get(Headers.ALONE);
    boolean task = message.headers().contains(Headers.TASK);
    boolean here = YES.equals(alone);
    if (here || (OwnerTable.isSpread(suffix) && !task)) {
      if (here || !replicas.passesOn(replica, suffix, message)) {
        own.handle(message);
      }
      return;
    }
    ServerOperation row = ServerOperation.of(suffix);
    Replicas doers = row == null ? Replicas.SPEAKER : row.replicas;
    ReplicaOwner first =
        doers == Replicas.ONE_BY_ONE
            ? replicas.first(replica.server())
            : replicas.speaker(replica.server());
    if (alone == null && first != null && !first.replica().equals(replica)) {
      answer(message, forward(first, suffix, message, SPEAKER, timeout(message.headers())));
      return;
    }
    switch (doers) {
      case STATUS_OF_ALL -> status(message);
      case ONE_BY_ONE -> {
        Future<Void> restarted = passing.call(rollingRestart::begin);
        if (ReplicaDiagnostics.waits(message.body())) {
          answer(message, restarted.compose(all -> connected(message)));
        } else {
          message.reply(new JsonObject().put("state", self.state().name()));
        }
      }
      case ASK_ALL -> cancel(message);
      case COLLECT_ENDINGS -> collect(suffix, message, List.of("endings"));
      case COLLECT_CALLS -> collect(suffix, message, List.of("inFlight", "recent"));
      case ADD_UP ->
          ReplicaDiagnostics.add(
              message,
              replicas.of(replica.server()),
              one -> forward(one, suffix, message, YES, STATUS_MILLIS));
      case NAMED -> atNamed(suffix, message, own);
      case ALL -> {
        boolean waits = ReplicaDiagnostics.waits(message.body());
        if (waits && suffix.equals(Addresses.DISCONNECT)) {
          untilAllHave(suffix, message);
        } else if (waits && suffix.equals(Addresses.CONNECT)) {
          answer(message, connected(message));
        } else {
          others().forEach(one -> forward(one, suffix, message, YES, OTHERS_MILLIS));
          own.handle(message);
        }
      }
      case ANY, SPEAKER -> own.handle(message);
    }
  }

  private void collect(String suffix, Message<Object> message, List<String> lists) {
    ReplicaDiagnostics.collect(
        message,
        replicas.of(replica.server()),
        one -> forward(one, suffix, message, YES, STATUS_MILLIS),
        lists);
  }

  /**
   * Connects all replicas.
   *
   * @param message wants the answer when the server serves
   * @return the answer of the first that serves; fails where none does
   */
  private Future<Message<Object>> connected(Message<Object> message) {
    long millis = timeout(message.headers());
    List<Future<Message<Object>>> told =
        replicas.of(replica.server()).stream()
            .map(one -> forward(one, Addresses.CONNECT, message, YES, millis))
            .toList();
    return Future.any(told)
        .map(any -> told.stream().filter(Future::succeeded).findFirst())
        .map(first -> first.orElseThrow(ReplicaCoordinator::stops).result());
  }

  /** Answers with what this replica says, when all have answered. */
  private void untilAllHave(String suffix, Message<Object> message) {
    Map<ReplicaId, Future<Message<Object>>> told = new HashMap<>();
    for (ReplicaOwner one : replicas.of(replica.server())) {
      told.put(one.replica(), forward(one, suffix, message, YES, timeout(message.headers())));
    }
    Future<Message<Object>> own = told.get(replica);
    if (own == null) {
      stops().replyTo(message);
      return;
    }
    Future.join(List.copyOf(told.values())).onComplete(over -> answer(message, own));
  }

  private static McpFailure stops() {
    return McpFailure.ownerLeft("this replica is being stopped");
  }

  /** Passes the request to the replica that its body names; without a name this one answers. */
  private void atNamed(String suffix, Message<Object> message, Handler<Message<Object>> own) {
    try {
      ReplicaOwner one = ReplicaDiagnostics.named(message.body(), replicas.of(replica.server()));
      if (one == null || one.replica().equals(replica)) {
        own.handle(message);
      } else {
        answer(message, forward(one, suffix, message, YES, OTHERS_MILLIS));
      }
    } catch (McpFailure refused) {
      refused.replyTo(message);
    }
  }

  /**
   * How long this replica waits for the speaker's answer, milliseconds. The speaker ends the call;
   * one without a deadline may take as long as the time-outs of the speaker's connection allow.
   */
  static long timeout(MultiMap headers) {
    return Layer.ROUTING.timeout(CallDeadline.left(headers));
  }

  /** The headers of a message that is passed on, but for those of its way. */
  static DeliveryOptions copied(MultiMap headers) {
    DeliveryOptions options = new DeliveryOptions();
    headers.forEach(
        (name, value) -> {
          if (!name.equals(Headers.TO) && !name.equals(Headers.ALONE)) {
            options.addHeader(name, value);
          }
        });
    return options;
  }

  private Future<Message<Object>> forward(
      ReplicaOwner owner, String suffix, Message<Object> message, String how, long millis) {
    DeliveryOptions options =
        copied(message.headers()).setSendTimeout(millis).addHeader(Headers.ALONE, how);
    return passing.call(() -> replicas.request(owner, suffix, message.body(), options));
  }

  private static void answer(Message<Object> message, Future<Message<Object>> answer) {
    answer.onComplete(
        reply -> message.reply(reply.body(), new DeliveryOptions().setHeaders(reply.headers())),
        failure -> McpFailure.of(failure).replyTo(message));
  }

  private void status(Message<Object> message) {
    JsonObject own = self.status(message.body());
    Gathered.ask(
            others(),
            one ->
                forward(one, Addresses.STATUS, message, YES, STATUS_MILLIS)
                    .map(reply -> brief((JsonObject) reply.body(), one.replica())))
        .onSuccess(
            told -> {
              List<JsonObject> all = new ArrayList<>(told.answers().values());
              all.add(brief(own, replica));
              told.silent().forEach(one -> all.add(withoutReply(one)));
              all.sort((a, b) -> Integer.compare(a.getInteger("replica"), b.getInteger("replica")));
              message.reply(own.put("replicas", new JsonArray(all)));
            });
  }

  private static JsonObject brief(JsonObject status, ReplicaId of) {
    JsonObject brief = new JsonObject().put("replica", of.number());
    for (String key :
        List.of("node", "state", "status", "epoch", "restarts", "sessionId", "breaker")) {
      if (status.getValue(key) != null) {
        brief.put(key, status.getValue(key));
      }
    }
    JsonObject transport = status.getJsonObject("transport", new JsonObject());
    for (String key : List.of("target", "pid", "pending")) {
      if (transport.getValue(key) != null) {
        brief.put(key, transport.getValue(key));
      }
    }
    return status.getValue("lastError") == null
        ? brief
        : brief.put("lastError", status.getValue("lastError"));
  }

  /** The replica may have announced a moment ago that it is ready, but it does not reply. */
  private static JsonObject withoutReply(ReplicaOwner owner) {
    return new JsonObject()
        .put("replica", owner.replica().number())
        .put("state", ConnectionState.CLOSED.name())
        .put("status", ConnectionState.CLOSED.status());
  }

  /** Sends the cancellation to each replica: the call runs at one of them. */
  private void cancel(Message<Object> message) {
    List<Future<Boolean>> replies =
        replicas.of(replica.server()).stream()
            .map(
                one ->
                    forward(one, Addresses.CANCEL, message, YES, STATUS_MILLIS)
                        .map(reply -> ((JsonObject) reply.body()).getBoolean("cancelled")))
            .toList();
    Future.join(replies)
        .onComplete(
            done -> {
              boolean any = replies.stream().anyMatch(one -> one.succeeded() && one.result());
              Future<Boolean> bad =
                  replies.stream()
                      .filter(Future::failed)
                      .findFirst()
                      .orElse(Future.succeededFuture());
              if (!any && replies.stream().allMatch(Future::failed)) {
                McpFailure.of(bad.cause()).replyTo(message);
              } else {
                message.reply(new JsonObject().put("cancelled", any));
              }
            });
  }
}
