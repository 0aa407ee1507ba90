package dev.mcpbus.bridge;

import dev.mcpbus.bus.Headers;
import dev.mcpbus.security.Hangup;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.bridge.BridgeEventType;
import io.vertx.ext.bridge.PermittedOptions;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.sockjs.BridgeEvent;
import io.vertx.ext.web.handler.sockjs.SockJSBridgeOptions;
import io.vertx.ext.web.handler.sockjs.SockJSHandler;
import io.vertx.ext.web.handler.sockjs.SockJSHandlerOptions;
import io.vertx.ext.web.handler.sockjs.SockJSSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The event bus at {@code /eventbus}, for pages and remote verticles: SockJS and the raw WebSocket
 * at {@code /eventbus/websocket}. {@link EventBusAccess} is the list of what is allowed; anything
 * else is answered {@code rejected}. WebSockets alone: the other transports of SockJS read bodies
 * and queue answers without a bound. Used on the bridge's context.
 */
final class EventBusDoor {

  static final String PATH = "/eventbus";

  private static final List<String> DISABLED =
      List.of("XHR", "EVENT_SOURCE", "HTML_FILE", "JSON_P");
  private static final int MAX_ADDRESS = 160;
  private static final int MAX_HANDLERS = 100;
  private static final Duration REPLY_TIMEOUT = Duration.ofHours(1);

  private final Vertx vertx;
  private final StreamCap cap;
  private final Duration ping;
  private final Access access;
  private final Set<SockJSSocket> sockets = new HashSet<>();
  private boolean closed;

  /**
   * @param ping a peer that has sent nothing for as long is gone
   */
  EventBusDoor(Vertx vertx, StreamCap cap, Duration ping, Access access) {
    this.vertx = vertx;
    this.cap = cap;
    this.ping = ping;
    this.access = access;
  }

  void mount(Router router) {
    SockJSHandlerOptions sockJs = new SockJSHandlerOptions().setInsertJSESSIONID(false);
    DISABLED.forEach(sockJs::addDisabledTransport);
    // Any address here: the list is asked for each message, and knows more than a pattern.
    PermittedOptions any = new PermittedOptions().setAddressRegex("mcp\\..+");
    SockJSBridgeOptions options =
        new SockJSBridgeOptions()
            .setMaxAddressLength(MAX_ADDRESS)
            .setMaxHandlersPerSocket(MAX_HANDLERS)
            .setPingTimeout(ping.toMillis())
            .setReplyTimeout(REPLY_TIMEOUT.toMillis())
            .addInboundPermitted(any)
            .addOutboundPermitted(any);
    // The page that other transports need, with a script from elsewhere.
    router
        .routeWithRegex(PATH + "/iframe.*")
        .handler(ctx -> Problem.send(ctx.response(), 404, "WebSockets alone are spoken here"));
    router.route(PATH + "/*").handler(this::admit);
    router
        .route(PATH + "/*")
        .subRouter(SockJSHandler.create(vertx, sockJs).bridge(options, this::decide));
  }

  private void admit(RoutingContext ctx) {
    if (ctx.request().headers().contains("Upgrade") && (closed || cap.isFull())) {
      ctx.fail(cap.refusal(closed));
    } else {
      ctx.next();
    }
  }

  private void decide(BridgeEvent event) {
    SockJSSocket socket = event.socket();
    boolean fine =
        switch (event.type()) {
          case SOCKET_CREATED -> open(socket);
          case SEND, REGISTER -> allows(event);
          // A call has an answer, and only one receiver.
          case PUBLISH -> false;
          case RECEIVE -> deliver(socket);
          default -> true;
        };
    if (event.type() == BridgeEventType.SOCKET_IDLE) {
      // It is told so, and closes; one that does not read would never hear of it.
      vertx.setTimer(ping.toMillis(), late -> Hangup.on(socket.routingContext().request()));
    }
    if (event.type() == BridgeEventType.SOCKET_CLOSED && sockets.remove(socket)) {
      cap.free();
    }
    event.complete(fine);
  }

  private boolean open(SockJSSocket socket) {
    if (closed || !cap.take()) {
      return false;
    }
    sockets.add(socket);
    return true;
  }

  private boolean allows(BridgeEvent event) {
    JsonObject message = event.getRawMessage();
    if (!(message.getValue("address") instanceof String address)) {
      return false;
    }
    boolean sends = event.type() == BridgeEventType.SEND;
    Optional<Subject> subject =
        sends
            ? EventBusAccess.sending(address, message.getValue("body"))
            : EventBusAccess.listening(address);
    if (!access.admits(event.socket().routingContext(), subject)) {
      return false;
    }
    return !sends || admitsHeaders(event, message);
  }

  /**
   * Others than those known are dropped; one that would make the bus write elsewhere is refused.
   */
  private static boolean admitsHeaders(BridgeEvent event, JsonObject message) {
    if (!(message.getValue("headers") instanceof JsonObject given)) {
      return !message.containsKey("headers") || message.getValue("headers") == null;
    }
    JsonObject kept = new JsonObject();
    for (String name : given.fieldNames()) {
      if (EventBusAccess.HEADERS.contains(name)) {
        kept.put(name, String.valueOf(given.getValue(name)));
      }
    }
    String progress = kept.getString(Headers.PROGRESS);
    if (progress != null && !EventBusAccess.isProgress(progress)) {
      return false;
    }
    event.setRawMessage(message.copy().put("headers", kept));
    return true;
  }

  /** A peer that does not read is cut off: nothing is queued for it. */
  private static boolean deliver(SockJSSocket socket) {
    if (socket.writeQueueFull()) {
      Hangup.on(socket.routingContext().request());
      return false;
    }
    return true;
  }

  /** Closes all sockets; later ones are refused. */
  void close() {
    closed = true;
    new ArrayList<>(sockets).forEach(socket -> socket.close(1001, "the service is stopping"));
  }
}
