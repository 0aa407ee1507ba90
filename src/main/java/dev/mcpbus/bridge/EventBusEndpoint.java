package dev.mcpbus.bridge;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.internals.ArrivalClock;
import dev.mcpbus.internals.ForcedClose;
import dev.mcpbus.internals.InboundConnection;
import dev.mcpbus.security.Admission;
import dev.mcpbus.security.MountPath;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.bridge.PermittedOptions;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.sockjs.BridgeEvent;
import io.vertx.ext.web.handler.sockjs.SockJSBridgeOptions;
import io.vertx.ext.web.handler.sockjs.SockJSHandler;
import io.vertx.ext.web.handler.sockjs.SockJSHandlerOptions;
import io.vertx.ext.web.handler.sockjs.SockJSSocket;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The event bus at {@code /eventbus}, for web pages and remote verticles: SockJS, and the raw
 * WebSocket at {@code /eventbus/websocket}. {@link EventBusRules} lists the allowed addresses; a
 * message to another address is answered {@code rejected}. WebSockets only: the other transports of
 * SockJS read bodies and queue responses without a bound, and tell pages of any origin that they
 * may. Used on the bridge's context.
 */
final class EventBusEndpoint {

  private static final Logger LOG = LoggerFactory.getLogger(EventBusEndpoint.class);

  private static final String PATH = MountPath.EVENT_BUS.root();

  private static final String WEBSOCKET = "websocket";

  /** 16 bytes in Base64. */
  private static final Pattern KEY = Pattern.compile("[A-Za-z0-9+/]{22}==");

  /** All paths that Vert.x serves: it answers the others with CORS headers of its own. */
  private static final Pattern SOCKET = Pattern.compile(PATH + "(/[^/.]+/[^/.]+)?/" + WEBSOCKET);

  private static final int MAX_ADDRESS = 160;
  private static final int MAX_HANDLERS = 100;
  private static final long CHECK_MILLIS = 1_000;

  private final Vertx vertx;
  private final StreamLimit cap;
  private final Duration ping;
  private final PolicyGate gate;
  private final ArrivalClock arrivals;
  private final OpenRequests requests;
  private final Map<SockJSSocket, EventBusPeer> peers = new HashMap<>();
  private final long check;
  private boolean closed;

  /**
   * @param ping a peer that sends nothing for so long is disconnected
   */
  EventBusEndpoint(
      Vertx vertx,
      StreamLimit cap,
      Duration ping,
      PolicyGate gate,
      ArrivalClock arrivals,
      OpenRequests requests) {
    this.vertx = vertx;
    this.cap = cap;
    this.ping = ping;
    this.gate = gate;
    this.arrivals = arrivals;
    this.requests = requests;
    this.check =
        vertx.setPeriodic(
            CHECK_MILLIS, now -> List.copyOf(peers.values()).forEach(EventBusPeer::check));
  }

  void mount(Router router) {
    SockJSHandlerOptions sockJs = new SockJSHandlerOptions().setInsertJSESSIONID(false);
    // Any address: EventBusRules decides on each message, with more than a pattern.
    PermittedOptions any = new PermittedOptions().setAddressRegex("mcp\\..+");
    SockJSBridgeOptions options =
        new SockJSBridgeOptions()
            .setMaxAddressLength(MAX_ADDRESS)
            .setMaxHandlersPerSocket(MAX_HANDLERS)
            .setPingTimeout(ping.toMillis())
            .addInboundPermitted(any)
            .addOutboundPermitted(any);
    router.route(PATH + "/*").handler(this::admit);
    router
        .route(PATH + "/*")
        .subRouter(SockJSHandler.create(vertx, sockJs).bridge(options, this::decide));
  }

  /** What a client of SockJS asks first. */
  private static void info(RoutingContext ctx) {
    JsonObject info =
        new JsonObject()
            .put("websocket", true)
            .put("origins", JsonArray.of("*:*")) // no client reads it; the protocol wants it
            .put("cookie_needed", false)
            .put("entropy", ThreadLocalRandom.current().nextLong(1L << 32));
    RouteTable.document(ctx, 200, info);
  }

  private void admit(RoutingContext ctx) {
    String path = ctx.request().path();
    String problem = problem(ctx.request());
    if (path.equals(PATH + "/info") && ctx.request().method().equals(HttpMethod.GET)) {
      info(ctx);
    } else if (!SOCKET.matcher(path).matches()) {
      ProblemDocument.send(ctx.response(), 404, "WebSockets alone are spoken here");
    } else if (problem != null) {
      ctx.response().putHeader("Connection", "close");
      ProblemDocument.send(ctx.response(), 400, problem);
    } else if (ctx.request().headers().contains("Upgrade")) {
      upgrade(ctx);
    } else {
      ctx.next();
    }
  }

  /** Takes the place of a socket before its handshake: other verticles take places meanwhile. */
  private void upgrade(RoutingContext ctx) {
    McpFailure refusal = gate.refusal();
    Admission caller = AdmittedRequests.of(ctx);
    if (refusal != null) {
      ctx.fail(refusal);
    } else if (closed || !cap.take(caller, caller)) {
      ctx.fail(cap.refusal(closed, caller));
    } else {
      caller.onEnd(() -> cap.free(caller));
      ctx.next();
    }
  }

  /** Why a WebSocket handshake is refused; null if it is unambiguous, and for other requests. */
  private static @Nullable String problem(HttpServerRequest request) {
    MultiMap headers = request.headers();
    if (request.version() == HttpVersion.HTTP_2 || !headers.contains("Upgrade", WEBSOCKET, true)) {
      return null;
    }
    List<String> keys = headers.getAll("Sec-WebSocket-Key");
    if (headers.getAll("Upgrade").size() != 1
        || keys.size() != 1
        || !KEY.matcher(keys.get(0)).matches()) {
      return "a WebSocket handshake has one Upgrade, and one Sec-WebSocket-Key of 16 bytes";
    }
    return ReceiveDeadline.hasBody(request) ? "a WebSocket handshake has no body" : null;
  }

  private void decide(BridgeEvent event) {
    SockJSSocket socket = event.socket();
    EventBusPeer peer = peers.get(socket);
    switch (event.type()) {
      case SOCKET_CREATED -> event.complete(open(socket));
      case SEND, REGISTER -> {
        if (peer == null) {
          event.complete(false);
        } else {
          peer.take(event);
        }
      }
      // A call has one receiver and one reply, so nothing is published.
      case PUBLISH -> event.complete(false);
      case RECEIVE ->
          event.complete(
              peer != null
                  && peer.check()
                  && deliver(socket)
                  && peer.receives(event.getRawMessage()));
      case SOCKET_IDLE -> {
        // The peer gets a close frame; one that does not read is cut off.
        vertx.setTimer(ping.toMillis(), late -> ForcedClose.on(socket.routingContext().request()));
        event.complete(true);
      }
      case SOCKET_CLOSED -> {
        if (peer != null) {
          peers.remove(socket);
          peer.closed();
          gate.closed(socket.routingContext());
          cap.free(AdmittedRequests.of(socket.routingContext()));
        }
        event.complete(true);
      }
      default -> event.complete(true);
    }
  }

  private boolean open(SockJSSocket socket) {
    if (!closed) {
      AdmittedRequests.of(socket.routingContext())
          .onEnd(() -> {}); // the place ends with the socket
    }
    InboundConnection connection =
        InboundConnection.of(socket.routingContext().request().connection());
    vertx.runOnContext(set -> quieten(socket));
    if (closed || connection == null) {
      return false;
    }
    connection.upgraded();
    peers.put(socket, new EventBusPeer(vertx, socket, connection, gate, arrivals, requests));
    gate.opened(socket.routingContext());
    return true;
  }

  /** Replaces the handler of Vert.x's bridge, which logs each peer that is cut off. */
  private static void quieten(SockJSSocket socket) {
    try {
      socket.exceptionHandler(broken -> LOG.debug("event bus: a socket broke", broken));
    } catch (IllegalStateException gone) {
      LOG.debug("event bus: a socket was closed while it was opened", gone);
    }
  }

  /** Cuts off a peer that does not read: the endpoint queues nothing for it. */
  private static boolean deliver(SockJSSocket socket) {
    if (socket.writeQueueFull()) {
      ForcedClose.on(socket.routingContext().request());
      return false;
    }
    return true;
  }

  /** Closes all sockets; later ones are refused. */
  void close() {
    closed = true;
    vertx.cancelTimer(check);
    List.copyOf(peers.keySet()).forEach(socket -> socket.close(1001, "the service is stopping"));
  }
}
