package dev.mcpbus.hosting;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallActivity;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.connection.options.EndedCall;
import dev.mcpbus.connection.options.RpcLogTaps.TemporaryMode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What operators ask about the private connections of this node, by server: calls, activity, and
 * their JSON-RPC messages. A private connection comes and goes with its client, so what it did is
 * kept here. Connections write the ends of their calls, each on its own context; everything else is
 * confined to the context of {@link ServersVerticle}.
 */
final class PrivateConnectionDiagnostics {

  static final int MAX_ENDED = 100;

  /** The calls to one server that ended; the lock is the object. */
  private static final class PrivateCalls implements Consumer<EndedCall> {
    private final Deque<EndedCall> last = new ArrayDeque<>();
    private final CallActivity activity;

    PrivateCalls(InstantSource clock) {
      activity = new CallActivity(clock);
    }

    @Override
    public synchronized void accept(EndedCall call) {
      if (last.size() == MAX_ENDED) {
        last.removeLast();
      }
      last.addFirst(call);
      activity.ended(call.method(), call.outcome(), call.millis());
    }

    /** The newest first. */
    synchronized List<EndedCall> last(int limit) {
      return last.stream().limit(limit).toList();
    }

    synchronized JsonObject activity() {
      return activity.toJson();
    }
  }

  private final Vertx vertx;
  private final Function<Set<ConnectionId>, Map<ConnectionId, ConnectionId>> leases;
  private final Predicate<ConnectionId> isPresent;
  private final InstantSource clock;
  private final Map<ConnectionId, PrivateCalls> ended = new ConcurrentHashMap<>();
  private final Map<ConnectionId, TemporaryMode> shown = new ConcurrentHashMap<>();

  /**
   * @param leases the private connections to one of these servers, each with its server
   * @param isPresent whether there is such a server; what is known of others is forgotten
   */
  PrivateConnectionDiagnostics(
      Vertx vertx,
      Function<Set<ConnectionId>, Map<ConnectionId, ConnectionId>> leases,
      Predicate<ConnectionId> isPresent,
      InstantSource clock) {
    this.vertx = vertx;
    this.leases = leases;
    this.isPresent = isPresent;
    this.clock = clock;
  }

  /** Receives the calls of a private connection to a server as they end, on any thread. */
  Consumer<EndedCall> of(ConnectionId server) {
    PrivateCalls known = ended.get(server);
    if (known != null) {
      return known;
    }
    ended.keySet().removeIf(isPresent.negate());
    PrivateCalls first = new PrivateCalls(clock);
    ended.put(server, first);
    return first;
  }

  /**
   * {@code {inFlight, recent}} as {@code mcp.<id>.calls} has them, each entry with its {@code
   * server} and its {@code lease}, the id of its connection. A connection that does not answer in
   * time is left out, because it ends.
   *
   * @param limit at most so many of one connection in flight, and so many ended of one server
   */
  Future<JsonObject> calls(Set<ConnectionId> servers, int limit, long millis) {
    List<Future<JsonArray>> replies = new ArrayList<>();
    leases
        .apply(servers)
        .forEach((lease, server) -> replies.add(inFlight(lease, server, limit, millis)));
    return Future.join(replies)
        .map(
            all -> {
              JsonArray calls = new JsonArray();
              replies.forEach(reply -> calls.addAll(reply.result()));
              return new JsonObject().put("inFlight", calls).put("recent", recent(servers, limit));
            });
  }

  private Future<JsonArray> inFlight(
      ConnectionId lease, ConnectionId server, int limit, long millis) {
    return ask(lease, Addresses.CALLS, new JsonObject().put("limit", limit), millis)
        .map(
            reply -> {
              JsonArray calls = reply.getJsonArray("inFlight", new JsonArray());
              calls.forEach(
                  call ->
                      ((JsonObject) call)
                          .put("server", server.value())
                          .put("lease", lease.value()));
              return calls;
            })
        .otherwise(new JsonArray());
  }

  private JsonArray recent(Set<ConnectionId> servers, int limit) {
    JsonArray calls = new JsonArray();
    ended.forEach(
        (server, of) -> {
          if (servers.contains(server)) {
            of.last(limit).forEach(call -> calls.add(described(server, call)));
          }
        });
    return calls;
  }

  private static JsonObject described(ConnectionId server, EndedCall call) {
    JsonObject json =
        new JsonObject()
            .put("call", call.number())
            .put("method", call.method())
            .put("hasCallId", call.hasCallId())
            .put("time", call.time().toString())
            .put("millis", call.millis())
            .put("outcome", call.outcome())
            .put("server", server.value())
            .put("lease", call.lease().value());
    put(json, "name", call.name());
    put(json, "who", call.owner());
    return json;
  }

  private static void put(JsonObject to, String name, @Nullable String value) {
    if (value != null) {
      to.put(name, value);
    }
  }

  /** {@code {id: activity}} of those of the servers to which a private connection was made. */
  JsonObject activity(Set<ConnectionId> servers) {
    JsonObject activity = new JsonObject();
    ended.forEach(
        (server, of) -> {
          if (servers.contains(server)) {
            activity.put(server.value(), of.activity());
          }
        });
    return activity;
  }

  // ---- JSON-RPC messages

  /** Where the messages of private connections that begin now are shown. Any thread may call. */
  @Nullable TemporaryMode shown(ConnectionId server) {
    return shown.get(server);
  }

  /**
   * Shows the messages of all private connections to a server, of those that begin later, too.
   *
   * @param mode null for that of the configuration
   * @return succeeds once it holds; a connection that does not answer in time ends
   */
  Future<Void> show(ConnectionId server, @Nullable TemporaryMode mode, long millis) {
    JsonObject body = new JsonObject().putNull("mode");
    if (mode == null) {
      configured(server);
    } else {
      shown.put(server, mode);
      long seconds = Duration.between(clock.instant(), mode.until()).toSeconds();
      body.put("mode", mode.mode()).put("seconds", Math.max(1, seconds));
    }
    List<Future<JsonObject>> told = new ArrayList<>();
    for (ConnectionId lease : leases.apply(Set.of(server)).keySet()) {
      told.add(ask(lease, Addresses.RPCLOG, body.copy(), millis).otherwise(body));
    }
    return Future.join(told).mapEmpty();
  }

  /** Private connections that begin from now on have the mode of the configuration. */
  void configured(ConnectionId server) {
    shown.remove(server);
  }

  /** The mode in the reply of {@code mcp.<id>.rpclog}; null for that of the configuration. */
  static @Nullable TemporaryMode mode(JsonObject reply) {
    String until = reply.getString("until");
    return until == null ? null : new TemporaryMode(reply.getString("mode"), Instant.parse(until));
  }

  private Future<JsonObject> ask(ConnectionId lease, String suffix, JsonObject body, long millis) {
    return RequestSender.of(vertx)
        .<JsonObject>request(
            lease, Addresses.of(lease, suffix), body, new DeliveryOptions().setSendTimeout(millis))
        .map(Message::body);
  }
}
