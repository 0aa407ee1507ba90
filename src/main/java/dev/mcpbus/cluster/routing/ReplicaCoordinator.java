package dev.mcpbus.cluster.routing;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ReplicaId;
import dev.mcpbus.connection.ReplicaRole;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One replica among those of its server. Calls that may be spread it answers itself; what is for
 * all goes to the one that speaks for all, which asks each. The server's events are told once.
 * Owner: the connection's context.
 */
public final class ReplicaCoordinator implements ReplicaRole {

  private static final String YES = "true";
  private static final String SPEAKER = "speaker";
  private static final long STATUS_MILLIS = 1_000;
  private static final long OTHERS_MILLIS = 10_000;

  /** Facts about whether the server can be reached: it can where any replica serves. */
  private static final Set<String> REACH =
      Set.of(
          Events.STATE_CHANGED,
          Events.CONNECTED,
          Events.DISCONNECTED,
          Events.RESTARTING,
          Events.GAVE_UP,
          Events.HEALTH_CHECK_FAILED);

  /** Each session hears them, and they are the same for all. */
  private static final Set<String> COMMON =
      Set.of(
          Events.TOOLS_CHANGED,
          Events.RESOURCES_CHANGED,
          Events.PROMPTS_CHANGED,
          Events.SCHEMA_DRIFT,
          Events.SCHEMA_APPROVED);

  private final Context context;
  private final ReplicaId replica;
  private final String version;
  private final Self self;
  private final ReplicaRouting replicas;
  private final RollingRestart roll;
  private Set<ReplicaOwner> others = Set.of();

  /** Who spoke for all when last looked at, if it served. */
  private @Nullable ReplicaId speaker;

  /** Must be made on the connection's context. */
  public ReplicaCoordinator(Vertx vertx, ReplicaId replica, String version, Self self) {
    this.context = vertx.getOrCreateContext();
    this.replica = replica;
    this.version = version;
    this.self = self;
    this.replicas = ClusterRequests.of(vertx).replicas();
    this.roll = new RollingRestart(vertx, replicas, replica.server());
  }

  @Override
  public Future<Void> open(Vertx vertx, Handler<Message<Object>> handler) {
    replicas.listen(replica, () -> context.runOnContext(now -> changed()));
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

  // ---- what is told

  @Override
  public boolean tells(String type) {
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
    Set<ReplicaOwner> now = new HashSet<>(others());
    boolean newcomer =
        now.stream()
            .anyMatch(
                one ->
                    others.stream()
                        .noneMatch(
                            old ->
                                old.node().equals(one.node())
                                    && old.replica().equals(one.replica())));
    others = now;
    if (newcomer) {
      replicas.publish(replica, self.state(), version);
    }
    ReplicaOwner first = replicas.speaker(replica.server());
    ReplicaId before = speaker;
    speaker = first == null || !first.serves() ? null : first.replica();
    boolean left =
        before != null
            && now.stream().noneMatch(one -> one.replica().equals(before) && one.serves());
    if (left && !replica.equals(before) && replica.equals(speaker)) {
      self.speaks();
    }
  }

  // ---- what is asked

  @Override
  public void received(String suffix, Message<Object> message, Handler<Message<Object>> own) {
    String alone = message.headers().get(Headers.ALONE);
    boolean task = message.headers().contains(Headers.TASK);
    if (YES.equals(alone) || (ReplicaRouting.isSpread(suffix) && !task)) {
      own.handle(message);
      return;
    }
    ReplicaOwner first = replicas.speaker(replica.server());
    if (alone == null && first != null && !first.replica().equals(replica)) {
      answer(message, ask(first, suffix, message, SPEAKER, budget(message)));
      return;
    }
    switch (suffix) {
      case Addresses.STATUS -> status(message);
      case Addresses.RESTART -> {
        roll.begin();
        message.reply(new JsonObject().put("state", self.state().name()));
      }
      case Addresses.CANCEL -> cancel(message);
      case Addresses.CONNECT,
          Addresses.DISCONNECT,
          Addresses.LOGLEVEL,
          Addresses.TOOLS_APPROVE,
          Addresses.ROOTS_CHANGED,
          Addresses.RESOURCES_UNSUBSCRIBE -> {
        others().forEach(one -> ask(one, suffix, message, YES, OTHERS_MILLIS));
        own.handle(message);
      }
      default -> own.handle(message);
    }
  }

  private static long budget(Message<Object> message) {
    long left = CallDeadline.read(message.headers().get(Headers.DEADLINE));
    return left < 0 ? DeliveryOptions.DEFAULT_TIMEOUT : Math.max(1, left);
  }

  private Future<Message<Object>> ask(
      ReplicaOwner owner, String suffix, Message<Object> message, String how, long millis) {
    DeliveryOptions options = new DeliveryOptions().setSendTimeout(millis);
    message
        .headers()
        .forEach(
            (name, value) -> {
              if (!name.equals(Headers.TO) && !name.equals(Headers.ALONE)) {
                options.addHeader(name, value);
              }
            });
    return replicas.request(owner, suffix, message.body(), options.addHeader(Headers.ALONE, how));
  }

  private static void answer(Message<Object> message, Future<Message<Object>> answer) {
    answer.onComplete(
        reply -> message.reply(reply.body(), new DeliveryOptions().setHeaders(reply.headers())),
        failure -> McpFailure.of(failure).replyTo(message));
  }

  private void status(Message<Object> message) {
    JsonObject own = self.status();
    List<JsonObject> all = new ArrayList<>(List.of(brief(own, replica)));
    List<Future<Void>> asked =
        others().stream()
            .map(
                one ->
                    ask(one, Addresses.STATUS, message, YES, STATUS_MILLIS)
                        .map(reply -> brief((JsonObject) reply.body(), one.replica()))
                        .otherwise(failure -> silent(one))
                        .<Void>map(
                            brief -> {
                              all.add(brief);
                              return null;
                            }))
            .toList();
    Future.join(asked)
        .onComplete(
            done -> {
              all.sort((a, b) -> Integer.compare(a.getInteger("replica"), b.getInteger("replica")));
              message.reply(own.put("replicas", new JsonArray(all)));
            });
  }

  private static JsonObject brief(JsonObject status, ReplicaId of) {
    JsonObject brief = new JsonObject().put("replica", of.number());
    for (String key : List.of("node", "state", "status", "epoch", "restarts", "sessionId")) {
      if (status.getValue(key) != null) {
        brief.put(key, status.getValue(key));
      }
    }
    return status.getValue("lastError") == null
        ? brief
        : brief.put("lastError", status.getValue("lastError"));
  }

  /** It may have said a moment ago that it is ready, but it does not answer. */
  private static JsonObject silent(ReplicaOwner owner) {
    return new JsonObject()
        .put("replica", owner.replica().number())
        .put("state", ConnectionState.CLOSED.name())
        .put("status", ConnectionState.CLOSED.status());
  }

  /** The call runs at one of them. */
  private void cancel(Message<Object> message) {
    List<Future<Boolean>> asked =
        replicas.of(replica.server()).stream()
            .map(
                one ->
                    ask(one, Addresses.CANCEL, message, YES, STATUS_MILLIS)
                        .map(reply -> ((JsonObject) reply.body()).getBoolean("cancelled")))
            .toList();
    Future.join(asked)
        .onComplete(
            done -> {
              boolean any = asked.stream().anyMatch(one -> one.succeeded() && one.result());
              Future<Boolean> bad =
                  asked.stream()
                      .filter(Future::failed)
                      .findFirst()
                      .orElse(Future.succeededFuture());
              if (!any && asked.stream().allMatch(Future::failed)) {
                McpFailure.of(bad.cause()).replyTo(message);
              } else {
                message.reply(new JsonObject().put("cancelled", any));
              }
            });
  }
}
