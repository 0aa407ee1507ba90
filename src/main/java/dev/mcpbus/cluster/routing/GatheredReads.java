package dev.mcpbus.cluster.routing;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.OwnershipEpoch;
import dev.mcpbus.bus.ServerOperation;
import dev.mcpbus.bus.ServerOperation.Bundling;
import dev.mcpbus.internals.InternalContext;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Readings of many connections of one node in one message. A node that lists the servers, or learns
 * that a thousand of them have connected, asks each for its status or its tools; one message for
 * each costs more than the answers are worth. A reading waits {@link #GATHER_MILLIS} for others of
 * the same node. Where the bundle gives no answer to one of them, because the connection has moved,
 * takes long, has much to say or refuses, that reading is made alone, so callers see what a request
 * of their own would have brought them.
 *
 * <p>A bundle is {@code {"millis": n, "reads": [{"id", "to", "json" or "text"}]}}, its reply {@code
 * {"reads": [{"json" or "text", "epoch"?}]}} with empty objects for what is to be asked alone. Any
 * thread may call.
 */
final class GatheredReads {

  private static final long GATHER_MILLIS = 5;
  private static final int MOST = 200;

  /** A longer text travels alone: the messages of a bundle must not keep other messages waiting. */
  private static final int MAX_TEXT = 32 * 1024;

  /** How long the owner waits at most for the answers of its connections, milliseconds. */
  private static final long MAX_WAIT_MILLIS = 2_000;

  /** What can be read in a bundle; everything else is refused. */
  private static final Set<String> READABLE =
      ServerOperation.suffixes(row -> row.bundling == Bundling.BUNDLED);

  /**
   * One reading that waits, {@code millis} at most; {@code answer} gets the body, or null where it
   * has to be made alone.
   */
  private record Read(
      ConnectionId server,
      String suffix,
      Object body,
      long millis,
      Promise<@Nullable Object> answer) {}

  private final Vertx vertx;
  private final ClusterRequests requests;
  private final InternalContext context;

  /** By node. Guarded by itself. */
  private final Map<String, List<Read>> waiting = new HashMap<>();

  GatheredReads(Vertx vertx, ClusterRequests requests) {
    this.vertx = vertx;
    this.requests = requests;
    this.context = InternalContext.create(vertx);
  }

  static boolean isReadable(String suffix) {
    return READABLE.contains(suffix);
  }

  private static String address(String node) {
    return Addresses.at(Addresses.SERVERS_READ, node);
  }

  /** Answers bundles of other nodes until this Vert.x closes. */
  void open(String self) {
    context.run(() -> vertx.eventBus().<JsonObject>consumer(address(self), this::answer));
  }

  /**
   * Reads from a connection of another node.
   *
   * @param millis how long the answer is waited for at most
   * @return the body of the reply; null where the reading has to be made alone
   */
  Future<@Nullable Object> read(
      String node, ConnectionId server, String suffix, Object body, long millis) {
    Promise<@Nullable Object> answer = InternalContext.promise(vertx);
    List<Read> full = null;
    boolean first;
    synchronized (waiting) {
      List<Read> bundle = waiting.computeIfAbsent(node, one -> new ArrayList<>());
      first = bundle.isEmpty();
      bundle.add(new Read(server, suffix, body, millis, answer));
      if (bundle.size() == MOST) {
        full = waiting.remove(node);
      }
    }
    if (full != null) {
      send(node, full);
    } else if (first) {
      context.run(() -> vertx.setTimer(GATHER_MILLIS, now -> sendWaiting(node)));
    }
    return answer.future();
  }

  private void sendWaiting(String node) {
    List<Read> bundle;
    synchronized (waiting) {
      bundle = waiting.remove(node);
    }
    if (bundle != null) {
      send(node, bundle);
    }
  }

  private void send(String node, List<Read> bundle) {
    long left = bundle.stream().mapToLong(Read::millis).min().orElse(MAX_WAIT_MILLIS);
    long wait = Math.min(left / 2, MAX_WAIT_MILLIS);
    JsonArray reads = new JsonArray();
    for (Read read : bundle) {
      JsonObject one = new JsonObject().put("id", read.server().value()).put("to", read.suffix());
      reads.add(put(one, read.body()));
    }
    requests
        .<JsonObject>requestOnce(
            null,
            address(node),
            new JsonObject().put("millis", wait).put("reads", reads),
            new DeliveryOptions().setSendTimeout(wait + left / 4))
        .map(Message::body)
        .otherwise(failure -> new JsonObject())
        .onSuccess(
            reply -> {
              JsonArray answers = reply.getJsonArray("reads", new JsonArray());
              for (int i = 0; i < bundle.size(); i++) {
                Read read = bundle.get(i);
                boolean has = i < answers.size() && answers.getValue(i) instanceof JsonObject;
                read.answer().complete(has ? body(read.server(), answers.getJsonObject(i)) : null);
              }
            });
  }

  /** Null where the object has no body, or that of an owner that has been replaced. */
  private @Nullable Object body(ConnectionId server, JsonObject answer) {
    OwnershipEpoch epoch = OwnershipEpoch.parse(server, answer.getString("epoch"));
    return epoch == null || requests.isCurrent(epoch) ? body(answer) : null;
  }

  private static @Nullable Object body(JsonObject from) {
    return from.getValue("text") instanceof String text
        ? Buffer.buffer(text)
        : from.getJsonObject("json");
  }

  private static JsonObject put(JsonObject to, Object body) {
    if (body instanceof JsonObject json) {
      int texts =
          json.stream()
              .mapToInt(member -> member.getValue() instanceof String text ? text.length() : 0)
              .sum();
      return texts <= MAX_TEXT ? to.put("json", json) : to;
    }
    return body instanceof Buffer bytes && bytes.length() <= MAX_TEXT
        ? to.put("text", bytes.toString())
        : to;
  }

  private void answer(Message<JsonObject> message) {
    try {
      long millis = message.body().getLong("millis");
      List<Future<JsonObject>> answers = new ArrayList<>();
      for (Object each : message.body().getJsonArray("reads")) {
        answers.add(answer((JsonObject) each, millis));
      }
      Future.join(answers)
          .onComplete(
              all ->
                  message.reply(
                      new JsonObject()
                          .put(
                              "reads",
                              new JsonArray(answers.stream().map(Future::result).toList()))));
    } catch (RuntimeException malformed) {
      McpFailure.badRequest("this is no bundle of readings: " + malformed).replyTo(message);
    }
  }

  /** Never fails: an empty object is to be asked alone. */
  private Future<JsonObject> answer(JsonObject read, long millis) {
    String suffix = read.getString("to", "");
    Object body = body(read);
    ConnectionId server = ConnectionId.parse(read.getString("id", "")).orElse(null);
    if (server == null || body == null || !isReadable(suffix)) {
      return Future.succeededFuture(new JsonObject());
    }
    DeliveryOptions here =
        new DeliveryOptions().setLocalOnly(true).setSendTimeout(Math.max(1, millis));
    return vertx
        .eventBus()
        .<Object>request(Addresses.of(server, suffix), body, here)
        .map(
            reply -> {
              JsonObject answer = put(new JsonObject(), reply.body());
              String epoch = reply.headers().get(Headers.EPOCH);
              return epoch == null ? answer : answer.put("epoch", epoch);
            })
        .timeout(Math.max(1, millis), TimeUnit.MILLISECONDS)
        .otherwise(failure -> new JsonObject());
  }
}
