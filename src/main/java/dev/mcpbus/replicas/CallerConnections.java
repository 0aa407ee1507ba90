package dev.mcpbus.replicas;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallCancellation;
import dev.mcpbus.bus.CallerFacts;
import dev.mcpbus.bus.CallerLogins;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FairLimits;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ServerOperation;
import dev.mcpbus.bus.ServerOperation.Replicas;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.options.ReplicaRole;
import dev.mcpbus.internals.InternalContext;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The role of the home of a server of callers. The home opens no session of its own: it passes each
 * message to the connection of the principal for whom it was sent, and asks for that connection
 * where there is none. Those connections are private connections, held here. Owner thread: the
 * context of the home.
 */
public final class CallerConnections implements ReplicaRole {

  private static final long TTL_MILLIS = 60_000;
  private static final long RENEW_MILLIS = 20_000;

  /** Without {@code idleStop}, a connection that is not used for so long ends. */
  private static final long IDLE_MILLIS = TimeUnit.MINUTES.toMillis(10);

  /** Less than a request for room waits for such a word. */
  private static final long PAUSE_MILLIS = FairLimits.PAUSE_MILLIS / 4;

  private static final long STATUS_MILLIS = 2_000;
  private static final DeliveryOptions LOCAL = new DeliveryOptions().setLocalOnly(true);

  /** The connection of one caller, on its way or there. */
  private static final class Held {
    final Future<ConnectionId> lease;
    int inFlight;
    long usedAt;

    Held(Future<ConnectionId> lease) {
      this.lease = lease;
    }
  }

  private final Vertx vertx;
  private final Context context;

  /** Its requests outlive the home: Vert.x drops replies to a verticle that has ended. */
  private final InternalContext passing;

  private final ConnectionId server;
  private final ConnectionOptions options;
  private final Self self;
  private final String events;
  private final CallerLogins logins;
  private final MissingCredential missing;

  private final Map<CallerFacts, Held> held = new HashMap<>();
  private final Set<CallerFacts> paused = new HashSet<>();
  private boolean telling;
  private boolean closed;
  private boolean stopped;
  private long timer = -1;
  private final List<MessageConsumer<?>> consumers = new ArrayList<>();

  /** Binds the object to the connection's context. */
  public CallerConnections(Vertx vertx, ConnectionId server, ConnectionOptions options, Self self) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.passing = InternalContext.create(vertx);
    this.server = server;
    this.options = options;
    this.self = self;
    this.logins = CallerLogins.of(vertx);
    this.missing = new MissingCredential(vertx, server, options);
    this.events = Addresses.CALLER_CONNECTIONS + UUID.randomUUID();
  }

  @Override
  public Future<Void> open(
      Vertx same,
      Handler<Message<Object>> handler,
      Map<String, Handler<Message<Object>>> operations) {
    timer = vertx.setPeriodic(RENEW_MILLIS, now -> renew());
    MessageConsumer<Object> own = vertx.eventBus().localConsumer(events, this::happened);
    MessageConsumer<JsonObject> changes =
        vertx.eventBus().consumer(Addresses.CREDENTIALS_CHANGED, change -> changed(change.body()));
    consumers.addAll(List.of(own, changes));
    return Future.join(own.completion(), changes.completion()).mapEmpty();
  }

  @Override
  public void probeIn(long millis) {}

  @Override
  public void close() {
    closed = true;
    vertx.cancelTimer(timer);
    consumers.forEach(MessageConsumer::unregister);
    endAll();
  }

  @Override
  public boolean publishes(String type) {
    return true;
  }

  // ---- the connections

  /** What becomes of a connection: its registry wants it back, or it has ended. */
  private void happened(Message<Object> message) {
    if (!(message.body() instanceof JsonObject event)) {
      return;
    }
    String type = event.getString("type", "");
    CallerFacts whose = holder(event.getString("id", ""));
    if (type.equals(Events.ROOM_WANTED)) {
      Held one = whose == null ? null : held.get(whose);
      boolean inUse = one != null && one.inFlight > 0;
      if (!inUse && whose != null) {
        held.remove(whose); // it ends now: the next message opens another
      }
      message.reply(new JsonObject().put("inUse", inUse));
    } else if (type.equals(Events.GAVE_UP) && whose != null) {
      Held one = held.remove(whose);
      if (one != null) {
        release(one);
      }
    }
  }

  /** The credential of a principal is another one: its next message opens another connection. */
  private void changed(JsonObject change) {
    String of = change.getString("server");
    if (of == null || of.equals(server.value())) {
      String principal = change.getString("principal", "");
      held.keySet().stream()
          .filter(caller -> caller.principal().equals(principal))
          .toList()
          .forEach(this::end);
    }
  }

  private @Nullable CallerFacts holder(String lease) {
    for (Map.Entry<CallerFacts, Held> one : held.entrySet()) {
      Future<ConnectionId> id = one.getValue().lease;
      if (id.succeeded() && id.result().value().equals(lease)) {
        return one.getKey();
      }
    }
    return null;
  }

  private Held held(CallerFacts caller) {
    Held known = held.get(caller);
    if (known != null) {
      return known;
    }
    JsonObject wish =
        caller.into(
            new JsonObject()
                .put("id", server.value())
                .put("events", events)
                .put("ttl", TTL_MILLIS));
    Future<ConnectionId> lease =
        vertx
            .eventBus()
            .<JsonObject>request(Addresses.SERVERS_LEASE, wish, LOCAL)
            .map(answer -> new ConnectionId(answer.body().getString("lease")));
    Held fresh = new Held(lease);
    held.put(caller, fresh);
    lease.onComplete(
        id -> {
          if (closed) {
            release(fresh);
          }
        },
        failure -> held.remove(caller, fresh));
    return fresh;
  }

  private void renew() {
    long idle = options.idleStop().isZero() ? IDLE_MILLIS : options.idleStop().toMillis();
    long now = millis();
    List<CallerFacts> over = new ArrayList<>();
    held.forEach(
        (caller, one) -> {
          if (!one.lease.succeeded()) {
            return;
          }
          if (one.inFlight == 0 && now - one.usedAt > idle) {
            over.add(caller);
            return;
          }
          renew(caller, one);
        });
    over.forEach(this::end);
  }

  /** Also says whether it is in use: one that is not makes room for others. */
  private void renew(CallerFacts caller, Held one) {
    JsonObject body =
        new JsonObject()
            .put("lease", one.lease.result().value())
            .put("ttl", TTL_MILLIS)
            .put("inUse", one.inFlight > 0);
    vertx
        .eventBus()
        .request(Addresses.SERVERS_LEASE, body, LOCAL)
        .onFailure(gone -> held.remove(caller, one));
  }

  /** Connections that were in use a moment ago, told together. */
  private void tellPauses() {
    telling = false;
    paused.forEach(
        caller -> {
          Held one = held.get(caller);
          if (one != null && one.inFlight == 0 && one.lease.succeeded()) {
            renew(caller, one);
          }
        });
    paused.clear();
  }

  private void end(CallerFacts caller) {
    Held one = held.remove(caller);
    if (one != null) {
      release(one);
    }
  }

  private void endAll() {
    List.copyOf(held.keySet()).forEach(this::end);
  }

  private void release(Held one) {
    one.lease.onSuccess(
        id ->
            passing.run(
                () ->
                    vertx
                        .eventBus()
                        .request(
                            Addresses.SERVERS_RELEASE,
                            new JsonObject().put("lease", id.value()),
                            LOCAL)));
  }

  private static long millis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  // ---- messages

  @Override
  public void received(String suffix, Message<Object> message, Handler<Message<Object>> own) {
    ServerOperation row = ServerOperation.of(suffix);
    CallerFacts caller = CallerFacts.of(message.headers(), options.callerHeaders());
    switch (row == null ? Replicas.SPEAKER : row.replicas) {
      case STATUS_OF_ALL -> status(caller, message);
      case ASK_ALL -> cancel(message);
      case NAMED, COLLECT_CALLS, COLLECT_ENDINGS, ADD_UP -> own.handle(message);
      case ONE_BY_ONE -> {
        stopped = false;
        endAll();
        state(message);
      }
      case ALL -> {
        if (suffix.equals(Addresses.CONNECT) || suffix.equals(Addresses.DISCONNECT)) {
          stopped = suffix.equals(Addresses.DISCONNECT);
          if (stopped) {
            endAll();
          }
          state(message);
        } else if (suffix.equals(Addresses.RPCLOG)) {
          own.handle(message);
        } else {
          pass(caller, suffix, message);
        }
      }
      case ANY, SPEAKER -> pass(caller, suffix, message);
    }
  }

  private void state(Message<Object> message) {
    message.reply(new JsonObject().put("state", self.state().name()));
  }

  private void pass(@Nullable CallerFacts caller, String suffix, Message<Object> message) {
    if (caller == null) {
      McpFailure.notSent(
              FailureCode.AUTH_REQUIRED,
              "server '"
                  + server
                  + "' acts for its callers, and this message names none: a program names the"
                  + " principal with CallOptions.withPrincipal, or the header \"principal\"")
          .replyTo(message);
    } else if (stopped) {
      McpFailure.notSent(
              FailureCode.UNAVAILABLE,
              "server '"
                  + server
                  + "' is disconnected; send to "
                  + Addresses.of(server, Addresses.CONNECT))
          .replyTo(message);
    } else if (!held.containsKey(caller) && logins.of(server, caller.principal()) != null) {
      refuse(caller, suffix, message, McpFailure.notSent(FailureCode.AUTH_REQUIRED, "log in"));
    } else {
      pass(caller, suffix, message, true);
    }
  }

  /**
   * @param again whether the message may be passed once more, to a new connection, where this one
   *     has made room for another
   */
  private void pass(CallerFacts caller, String suffix, Message<Object> message, boolean again) {
    Held one = held(caller);
    one.inFlight++;
    one.usedAt = millis();
    one.lease
        .compose(id -> forward(id, suffix, message, timeout(message)))
        .onComplete(
            reply -> {
              left(caller, one);
              message.reply(reply.body(), new DeliveryOptions().setHeaders(reply.headers()));
            },
            failure -> {
              left(caller, one);
              McpFailure why = McpFailure.of(failure);
              boolean gone =
                  why.code() == FailureCode.UNKNOWN_CONNECTION && why.sent() == McpFailure.Sent.NO;
              if (gone) {
                held.remove(caller, one);
              }
              if (gone && again && !closed && one.lease.succeeded()) {
                pass(caller, suffix, message, false);
              } else if (missing.isMeant(why, caller.principal())) {
                if (why.code() == FailureCode.AUTH_REQUIRED && held.remove(caller, one)) {
                  release(one); // it would try again and again
                }
                refuse(caller, suffix, message, shown(why, one));
              } else {
                shown(why, one).replyTo(message);
              }
            });
  }

  private void refuse(CallerFacts caller, String suffix, Message<Object> message, McpFailure why) {
    missing.refuse(
        caller.principal(),
        suffix,
        message,
        why,
        () -> {
          if (closed) {
            McpFailure.ownerLeft("server '" + server + "' ends on this node").replyTo(message);
          } else {
            pass(caller, suffix, message);
          }
        });
  }

  private void left(CallerFacts caller, Held one) {
    one.inFlight--;
    one.usedAt = millis();
    if (one.inFlight == 0) {
      paused.add(caller);
      if (!telling && !closed) {
        telling = true;
        vertx.setTimer(PAUSE_MILLIS, now -> tellPauses());
      }
    }
  }

  /** Callers know the server, and no connection of their own. */
  private McpFailure shown(McpFailure failure, Held one) {
    return one.lease.succeeded()
        ? failure.renamed(one.lease.result().value(), server.value())
        : failure;
  }

  private static long timeout(Message<Object> message) {
    return ReplicaCoordinator.timeout(message.headers());
  }

  private Future<Message<Object>> forward(
      ConnectionId to, String suffix, Message<Object> message, long millis) {
    DeliveryOptions delivery =
        ReplicaCoordinator.copied(message.headers()).setSendTimeout(millis).setLocalOnly(true);
    return onOwn(
        passing.call(
            () ->
                vertx
                    .eventBus()
                    .<Object>request(Addresses.of(to, suffix), message.body(), delivery)));
  }

  private <T> Future<T> onOwn(Future<T> future) {
    Promise<T> here = Promise.promise();
    future.onComplete(done -> context.runOnContext(now -> here.handle(done)));
    return here.future();
  }

  /** That of the caller's own connection where it has one; else that of the home. */
  private void status(@Nullable CallerFacts caller, Message<Object> message) {
    Held one = caller == null ? null : held.get(caller);
    if (one == null || !one.lease.succeeded()) {
      message.reply(described(self.status(message.body())));
      return;
    }
    forward(one.lease.result(), Addresses.STATUS, message, STATUS_MILLIS)
        .onComplete(
            reply -> message.reply(described((JsonObject) reply.body())),
            failure -> message.reply(described(self.status(message.body()))));
  }

  private JsonObject described(JsonObject status) {
    if (stopped) {
      status.put("disconnected", true);
    }
    return status
        .put("id", server.value())
        .put("identity", "caller")
        .put("callerHeaders", new JsonArray(List.copyOf(options.callerHeaders())))
        .put("shared", true)
        .put("callers", held.size());
  }

  /** A call is known by its id alone, which nobody else can name. */
  private void cancel(Message<Object> message) {
    List<Future<Boolean>> asked = new ArrayList<>();
    asked.add(Future.succeededFuture(missing.cancel(CallCancellation.callId(message.body()))));
    for (Held one : held.values()) {
      if (one.lease.succeeded()) {
        asked.add(
            forward(one.lease.result(), Addresses.CANCEL, message, STATUS_MILLIS)
                .map(reply -> ((JsonObject) reply.body()).getBoolean("cancelled", false))
                .otherwise(false));
      }
    }
    Future.join(asked)
        .onComplete(
            done ->
                message.reply(
                    new JsonObject()
                        .put("cancelled", asked.stream().anyMatch(one -> one.result()))));
  }
}
