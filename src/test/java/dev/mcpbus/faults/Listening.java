package dev.mcpbus.faults;

import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** One principal's event stream and event-bus socket, and all that comes over them. */
final class Listening implements AutoCloseable {

  private static final AtomicInteger MARKS = new AtomicInteger();

  /** What was heard over the event stream, in pieces, and over the socket, in frames. */
  private final List<String> stream = new CopyOnWriteArrayList<>();

  final List<JsonObject> frames = new CopyOnWriteArrayList<>();
  private final Vertx vertx;
  private final HttpClient http;
  private final WebSocketClient sockets;
  private final WebSocket socket;
  private int replies;

  /**
   * @param server of which the socket listens, the stream listens to all
   */
  Listening(DoorBed bed, ApiKeys.Fresh key, String server) {
    this(bed, server, DoorBed.as(key));
  }

  /**
   * @param credential a header and its value, or nothing
   */
  Listening(DoorBed bed, String server, String... credential) {
    vertx = bed.bus.vertx();
    http = vertx.createHttpClient();
    sockets = vertx.createWebSocketClient();
    MultiMap headers = HttpHeaders.headers();
    if (credential.length > 0) {
      headers.add(credential[0], credential[1]);
    }
    TestBus.await(
        http.request(
                new RequestOptions()
                    .setMethod(HttpMethod.GET)
                    .setHost("127.0.0.1")
                    .setPort(bed.bus.port())
                    .setURI("/api/events")
                    .setHeaders(headers))
            .compose(request -> request.send())
            .onSuccess(
                response -> {
                  response.handler(piece -> stream.add(piece.toString()));
                  response.exceptionHandler(cut -> {});
                }));
    socket =
        TestBus.await(
            sockets
                .connect(
                    new WebSocketConnectOptions()
                        .setHost("127.0.0.1")
                        .setPort(bed.bus.port())
                        .setURI("/eventbus/websocket")
                        .setHeaders(headers))
                .onSuccess(
                    open -> {
                      open.handler(frame -> frames.add(new JsonObject(frame)));
                      open.exceptionHandler(cut -> {});
                    }));
    say(new JsonObject().put("type", "register").put("address", "mcp." + server + ".events"));
    mark(server);
  }

  private void say(JsonObject frame) {
    socket.writeTextMessage(frame.encode());
  }

  /** The frame that answers. */
  JsonObject send(String address, JsonObject body, JsonObject headers) {
    String reply = start(address, body, headers);
    await().until(() -> !answers(reply).isEmpty());
    return answers(reply).get(0);
  }

  /** Does not wait; {@link #answers} has the answer in time. */
  String start(String address, JsonObject body, JsonObject headers) {
    String reply = "reply-" + ++replies;
    say(
        new JsonObject()
            .put("type", "send")
            .put("address", address)
            .put("body", body)
            .put("headers", headers)
            .put("replyAddress", reply));
    return reply;
  }

  List<JsonObject> answers(String reply) {
    return frames.stream().filter(frame -> reply.equals(frame.getString("address"))).toList();
  }

  /** Waits until everything that was published before has been heard, or has not. */
  void mark(String server) {
    String mark = "mark-" + MARKS.incrementAndGet();
    JsonObject event = new JsonObject().put("type", "log").put("id", server).put("params", mark);
    await()
        .until(
            () -> {
              vertx
                  .eventBus()
                  .publish(Addresses.of(new ConnectionId(server), Addresses.EVENTS), event);
              vertx.eventBus().publish(Addresses.ALL_EVENTS, event);
              return streamed().contains(mark) && socket().contains(mark);
            });
  }

  String streamed() {
    return String.join("", stream);
  }

  String socket() {
    return new ArrayList<>(frames).toString();
  }

  @Override
  public void close() {
    TestBus.await(socket.close().otherwiseEmpty());
    TestBus.await(http.close());
    TestBus.await(sockets.close());
  }
}
