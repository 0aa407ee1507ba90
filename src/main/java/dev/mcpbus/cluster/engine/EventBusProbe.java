package dev.mcpbus.cluster.engine;

import dev.mcpbus.bus.WireForm;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.spi.cluster.NodeInfo;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Whether the buses of the other nodes talk with this one. Hazelcast lets a node in whose
 * certificate they refuse: it would be given connections that nobody can call.
 */
final class EventBusProbe {

  private static final int CONNECT_MILLIS = 3_000;
  private static final int ANSWER_MILLIS = 3_000;

  private final Vertx vertx;
  private final HazelcastClusterManager cluster;
  private final NetClient client;

  private EventBusProbe(Vertx vertx, HazelcastClusterManager cluster, EventBusOptions bus) {
    this.vertx = vertx;
    this.cluster = cluster;
    // As the bus itself makes its client.
    this.client =
        vertx.createNetClient(
            new NetClientOptions(bus.toJson())
                .setHostnameVerificationAlgorithm("")
                .setConnectTimeout(CONNECT_MILLIS));
  }

  /** Fails where other nodes refuse this one and none answers; says who, and what to do. */
  static Future<Void> check(Vertx vertx, HazelcastClusterManager cluster, EventBusOptions bus) {
    EventBusProbe check = new EventBusProbe(vertx, cluster, bus);
    List<Future<@Nullable String>> asked =
        cluster.getNodes().stream()
            .filter(node -> !node.equals(cluster.getNodeId()))
            .map(check::ask)
            .toList();
    return Future.join(asked)
        .otherwiseEmpty()
        .eventually(check.client::close)
        .compose(over -> judge(asked));
  }

  private static Future<Void> judge(List<Future<@Nullable String>> asked) {
    String refusal =
        asked.stream()
            .filter(Future::succeeded)
            .map(Future::result)
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(null);
    boolean answered = asked.stream().anyMatch(one -> one.succeeded() && one.result() == null);
    return refusal == null || answered
        ? Future.succeededFuture()
        : Future.failedFuture(new IllegalStateException(refusal));
  }

  /** Succeeds with null where it answers, with a sentence where it refuses; else fails. */
  private Future<@Nullable String> ask(String node) {
    Promise<NodeInfo> read = Promise.promise();
    cluster.getNodeInfo(node, read);
    return read.future()
        .compose(
            info -> {
              JsonObject says = info.metadata();
              if (says == null || !says.containsKey(WireForm.METADATA)) {
                return Future.failedFuture("no node");
              }
              return client
                  .connect(info.port(), info.host())
                  .compose(this::ping)
                  .transform(
                      answer ->
                          answer.succeeded()
                              ? Future.succeededFuture(null)
                              : refusal(info, says, answer.cause()));
            });
  }

  private static Future<@Nullable String> refusal(NodeInfo info, JsonObject says, Throwable cause) {
    if (cause instanceof ConnectException || cause instanceof TimeoutException) {
      return Future.failedFuture(cause); // it is gone, or busy
    }
    return Future.succeededFuture(
        "the event bus of node '"
            + says.getJsonObject(WireForm.METADATA).getString("name", "")
            + "' at "
            + info.host()
            + ":"
            + info.port()
            + " does not talk with this one ("
            + cause.getMessage()
            + "); give all nodes \"cluster.tls\", each with a certificate of an authority in the"
            + " others' caFile, or none of them");
  }

  private Future<Void> ping(NetSocket socket) {
    Promise<Void> answered = Promise.promise();
    socket.handler(pong -> answered.tryComplete());
    socket.exceptionHandler(answered::tryFail);
    socket.closeHandler(
        closed -> vertx.runOnContext(late -> answered.tryFail("it closed the connection")));
    socket.write(pingFrame()).onFailure(answered::tryFail);
    return answered
        .future()
        .timeout(ANSWER_MILLIS, TimeUnit.MILLISECONDS)
        .eventually(socket::close);
  }

  /** What buses of Vert.x send each other to know that the other is there. */
  private static Buffer pingFrame() {
    byte[] address = "__vertx_ping".getBytes(StandardCharsets.UTF_8);
    Buffer frame = Buffer.buffer();
    frame.appendByte((byte) 2).appendByte((byte) 1).appendByte((byte) 0); // version, codec, send
    frame.appendInt(address.length).appendBytes(address);
    frame.appendInt(0).appendInt(0).appendInt(Integer.BYTES); // no reply, sender, headers
    return Buffer.buffer().appendInt(frame.length()).appendBuffer(frame);
  }
}
