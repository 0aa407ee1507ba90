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
 * Checks, at the start, that the event buses of other nodes accept this node's. Hazelcast admits a
 * node whose certificate the event buses refuse; that node would get connections that no caller
 * reaches.
 */
final class EventBusProbe {

  private static final int CONNECT_MILLIS = 3_000;
  private static final int REPLY_MILLIS = 3_000;

  private final Vertx vertx;
  private final HazelcastClusterManager cluster;
  private final NetClient client;

  private EventBusProbe(Vertx vertx, HazelcastClusterManager cluster, EventBusOptions bus) {
    this.vertx = vertx;
    this.cluster = cluster;
    // The same options as the client of the event bus.
    this.client =
        vertx.createNetClient(
            new NetClientOptions(bus.toJson())
                .setHostnameVerificationAlgorithm("")
                .setConnectTimeout(CONNECT_MILLIS));
  }

  /**
   * Fails where other nodes refuse this one and none replies; the failure names a node and the
   * remedy.
   */
  static Future<Void> check(Vertx vertx, HazelcastClusterManager cluster, EventBusOptions bus) {
    EventBusProbe check = new EventBusProbe(vertx, cluster, bus);
    List<Future<@Nullable String>> replies =
        cluster.getNodes().stream()
            .filter(node -> !node.equals(cluster.getNodeId()))
            .map(check::probe)
            .toList();
    return Future.join(replies)
        .otherwiseEmpty()
        .eventually(check.client::close)
        .compose(over -> evaluate(replies));
  }

  private static Future<Void> evaluate(List<Future<@Nullable String>> replies) {
    String refusal =
        replies.stream()
            .filter(Future::succeeded)
            .map(Future::result)
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(null);
    boolean answered = replies.stream().anyMatch(one -> one.succeeded() && one.result() == null);
    return refusal == null || answered
        ? Future.succeededFuture()
        : Future.failedFuture(new IllegalStateException(refusal));
  }

  /**
   * Succeeds with null where the node replies, with a sentence where it refuses; fails otherwise.
   */
  private Future<@Nullable String> probe(String node) {
    Promise<NodeInfo> read = Promise.promise();
    cluster.getNodeInfo(node, read);
    return read.future()
        .compose(
            info -> {
              JsonObject metadata = info.metadata();
              if (metadata == null || !metadata.containsKey(WireForm.METADATA)) {
                return Future.failedFuture("no node");
              }
              return client
                  .connect(info.port(), info.host())
                  .compose(this::ping)
                  .transform(
                      answer ->
                          answer.succeeded()
                              ? Future.succeededFuture(null)
                              : refusal(info, metadata, answer.cause()));
            });
  }

  private static Future<@Nullable String> refusal(
      NodeInfo info, JsonObject metadata, Throwable cause) {
    if (cause instanceof ConnectException || cause instanceof TimeoutException) {
      return Future.failedFuture(cause); // the node has gone, or is busy
    }
    return Future.succeededFuture(
        "the event bus of node '"
            + metadata.getJsonObject(WireForm.METADATA).getString("name", "")
            + "' at "
            + info.host()
            + ":"
            + info.port()
            + " does not accept this node ("
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
    return answered.future().timeout(REPLY_MILLIS, TimeUnit.MILLISECONDS).eventually(socket::close);
  }

  /** The frame with which event buses of Vert.x check a connection. */
  private static Buffer pingFrame() {
    byte[] address = "__vertx_ping".getBytes(StandardCharsets.UTF_8);
    Buffer frame = Buffer.buffer();
    frame.appendByte((byte) 2).appendByte((byte) 1).appendByte((byte) 0); // version, codec, send
    frame.appendInt(address.length).appendBytes(address);
    frame.appendInt(0).appendInt(0).appendInt(Integer.BYTES); // no reply, sender, headers
    return Buffer.buffer().appendInt(frame.length()).appendBuffer(frame);
  }
}
