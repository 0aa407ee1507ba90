package dev.mcpbus.bus;

import dev.mcpbus.bus.ServerOperation.Again;
import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonObject;
import io.vertx.core.shareddata.LocalMap;
import io.vertx.core.shareddata.Shareable;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Which calls of this Vert.x the {@link RequestSender} makes again after their owner or their
 * connection was lost, and what has become of them. {@link RepeatedRequest} has the rules of one
 * call. Nothing is repeated before {@link #open}, so a process that only calls repeats nothing.
 *
 * <p>It knows which calls have reached their clients: the connection that passes progress or a
 * question of a call on sends the call's id to {@link Headers#REACHED} first. It knows which calls
 * their callers have cancelled between two attempts, when no connection has them.
 *
 * <p>One instance for each Vert.x; any thread may call.
 */
public final class CallRepeats implements Shareable {

  /** Which servers and tools may get a call twice. Any thread calls it, after a failure only. */
  @FunctionalInterface
  public interface RepeatRules {
    /**
     * Whether a call may reach the server twice.
     *
     * @param suffix of the address: one of those that {@link CallRepeats} repeats
     * @param tool the tool of {@link Addresses#TOOLS_CALL}; null for all other addresses
     */
    boolean mayRepeat(ConnectionId server, String suffix, @Nullable String tool);
  }

  /** The addresses whose requests change nothing, and tool calls, of which the rules decide. */
  private static final Set<String> SUFFIXES =
      ServerOperation.suffixes(row -> row.again != Again.ONCE);

  /** Calls that are repeated at the same time; one more gets its first failure. */
  static final int MAX_RUNNING = 10_000;

  /** Calls of which is known that they have reached their clients. */
  static final int MAX_REACHED = 10_000;

  private static final long EVENT_MILLIS = 1_000;

  private record Repeated(ConnectionId server, FailureCode code) {}

  private final Vertx vertx;
  private final LongSupplier nanos;
  private final Timers timers;

  /** Unlike an address of one call nothing else knows it, and no proof is needed to send to it. */
  private final String reachedAddress = Addresses.PROGRESS + UUID.randomUUID() + "-reached";

  /** By call id: whether the caller has cancelled. Only calls between two attempts, or repeated. */
  private final Map<String, Boolean> running = new ConcurrentHashMap<>();

  private final Map<String, Long> reached = new LinkedHashMap<>();
  private final Map<Repeated, Integer> counts = new HashMap<>();

  /** When the newest entry arrived that {@link #reached} has lost; null while it has lost none. */
  private @Nullable Long forgotten;

  private volatile @Nullable RepeatRules rules;
  private volatile @Nullable MessageConsumer<String> notes;
  private volatile @Nullable InternalContext context;

  /**
   * @param nanos a monotonic clock
   */
  CallRepeats(Vertx vertx, LongSupplier nanos, Timers timers) {
    this.vertx = vertx;
    this.nanos = nanos;
    this.timers = timers;
  }

  /** The instance of this Vert.x. Keep it: the look-up takes a map. */
  public static CallRepeats of(Vertx vertx) {
    LocalMap<String, CallRepeats> all = vertx.sharedData().getLocalMap("dev.mcpbus.repeats");
    CallRepeats present = all.get("");
    return present != null
        ? present
        : all.computeIfAbsent(
            "", absent -> new CallRepeats(vertx, System::nanoTime, Timers.of(vertx)));
  }

  /** Begins to repeat calls; completes when connections of all nodes can report to this one. */
  public Future<Void> open(RepeatRules which) {
    InternalContext own = InternalContext.current(vertx);
    MessageConsumer<String> consumer =
        vertx.eventBus().consumer(reachedAddress, call -> reached(call.body()));
    context = own;
    notes = consumer;
    rules = which;
    return consumer.completion();
  }

  /** Repeats nothing any more. */
  public Future<Void> close() {
    rules = null;
    MessageConsumer<String> consumer = notes;
    notes = null;
    return consumer == null ? Future.succeededFuture() : consumer.unregister();
  }

  /**
   * What makes a request again after its failure, for {@link RequestSender#request}; to be called
   * before the request leaves, whose connection learns where to report what reaches the client.
   *
   * @return null for a request that is made once in any case
   */
  <T> @Nullable RepeatedRequest<T> watch(
      RequestSender sender,
      @Nullable ConnectionId server,
      String address,
      Object body,
      DeliveryOptions options) {
    RepeatRules known = rules;
    String suffix = known == null || server == null ? null : suffix(server, address);
    String callId =
        suffix == null || options.getHeaders() == null
            ? null
            : options.getHeaders().get(Headers.CALL_ID);
    if (known == null || server == null || suffix == null || callId == null) {
      return null;
    }
    options.addHeader(Headers.REACHED, reachedAddress);
    return new RepeatedRequest<>(
        this, known, sender, server, suffix, callId, address, body, options);
  }

  private static @Nullable String suffix(ConnectionId server, String address) {
    int start = Addresses.OURS.length() + server.value().length() + 1;
    String suffix = address.length() > start ? address.substring(start) : "";
    return SUFFIXES.contains(suffix) ? suffix : null;
  }

  long now() {
    return nanos.getAsLong();
  }

  // ---- what has reached clients

  private void reached(String callId) {
    long now = now();
    synchronized (reached) {
      reached.remove(callId);
      reached.put(callId, now);
      if (reached.size() > MAX_REACHED) {
        Map.Entry<String, Long> oldest = reached.entrySet().iterator().next();
        forgotten = oldest.getValue();
        reached.remove(oldest.getKey());
      }
    }
  }

  /**
   * Waits, and says whether the client of a call may have received something of it: every note that
   * had arrived on this node when the call failed is read before. Completes on the caller's
   * context.
   *
   * @param since when the call began, on the clock of {@link #now}
   */
  Future<Boolean> hasReached(String callId, long since, long afterMillis) {
    Promise<Boolean> answer = InternalContext.promise(vertx);
    InternalContext own = context;
    if (own == null) {
      return Future.succeededFuture(true);
    }
    own.run(
        () ->
            timers.set(
                afterMillis,
                () -> {
                  synchronized (reached) {
                    Long lost = forgotten;
                    answer.complete(
                        reached.containsKey(callId) || (lost != null && since - lost <= 0));
                  }
                }));
    return answer.future();
  }

  // ---- what is repeated

  /**
   * A call has no connection for now, because it is repeated or waits for one: whether its caller
   * cancels it is noted until {@link #leave}.
   *
   * @return false where it is noted already, or too many are
   */
  public boolean enter(String callId) {
    return running.size() < MAX_RUNNING && running.putIfAbsent(callId, false) == null;
  }

  /** A call has its ending. */
  public void leave(String callId) {
    running.remove(callId);
  }

  /** The caller cancels a call; {@link CallCancellation} says so to the connections as well. */
  void cancel(String callId) {
    running.computeIfPresent(callId, (same, before) -> true);
  }

  /**
   * Whether the caller has cancelled a call that is repeated. A sender that waits for an owner asks
   * before it sends: while it waits no connection receives the cancellation.
   *
   * @param callId null for a call that cannot be cancelled
   */
  public boolean isCancelled(@Nullable String callId) {
    return callId != null && running.getOrDefault(callId, false);
  }

  /** A call leaves again: counts it, and tells it in one event a second for server and code. */
  void repeats(ConnectionId server, FailureCode code) {
    Telemetry telemetry = Telemetry.of(vertx);
    if (telemetry != null) {
      telemetry.repeated(server.value(), code);
    }
    boolean first;
    synchronized (counts) {
      first = counts.isEmpty();
      counts.merge(new Repeated(server, code), 1, Integer::sum);
    }
    if (first) {
      timers.set(EVENT_MILLIS, this::publish);
    }
  }

  private void publish() {
    Map<Repeated, Integer> all;
    synchronized (counts) {
      all = Map.copyOf(counts);
      counts.clear();
    }
    all.forEach(
        (which, count) -> {
          JsonObject event =
              new JsonObject()
                  .put("type", Events.CALLS_REPEATED)
                  .put("id", which.server().value())
                  .put("time", Instant.now().toString())
                  .put("code", which.code().name())
                  .put("count", count);
          vertx
              .eventBus()
              .publish(Addresses.of(which.server(), Addresses.EVENTS), event)
              .publish(Addresses.ALL_EVENTS, event);
        });
  }

  /** The tool that a call names; null where the params name none. */
  static @Nullable String tool(RawJson params) {
    RawJson name = params.member("name");
    return name != null && name.isString() ? name.asString() : null;
  }
}
