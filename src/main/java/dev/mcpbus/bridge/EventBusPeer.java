package dev.mcpbus.bridge;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.CallDeadline.Layer;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.internals.ArrivalClock;
import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.internals.ForcedClose;
import dev.mcpbus.internals.InboundConnection;
import dev.mcpbus.internals.SocketMessages;
import dev.mcpbus.policy.PolicyCheck;
import dev.mcpbus.policy.PolicyFilter;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.Admission;
import dev.mcpbus.security.Operation;
import dev.mcpbus.security.RateLimiter.Place;
import io.vertx.core.AsyncResult;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.bridge.BridgeEventType;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.sockjs.BridgeEvent;
import io.vertx.ext.web.handler.sockjs.SockJSSocket;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One open socket of the event bus. Each of its messages passes the checks of a request: the
 * credential, the rate, the rights. This class sends the messages to the bus, not Vert.x's own
 * bridge, so that the reply frees the caller's place. Confined to the bridge's context.
 */
final class EventBusPeer {

  private static final int MAX_PENDING = 100;
  private static final int MAX_REPLY_ADDRESS = 36;
  private static final long REPLY_MILLIS = Layer.CALLER.timeout(CallDeadline.NONE);

  /** RFC 6455: the endpoint ends the connection because of its policy. */
  private static final short POLICY = 1008;

  private static final int MAX_REASON = 120;
  private static final long CLOSE_MILLIS = 2_000;

  private final Vertx vertx;
  private final SockJSSocket socket;
  private final PolicyGate gate;
  private final ArrivalClock arrivals;
  private final OpenRequests requests;
  private final String key;
  private final Admission caller;
  private final TaskIdSealing tasks;
  private final SocketSubscriptions subscriptions;
  private final SocketMessages messages;
  private final ByteBudget.ByteAccount unread;
  private int pending;
  private boolean over;

  EventBusPeer(
      Vertx vertx,
      SockJSSocket socket,
      InboundConnection connection,
      PolicyGate gate,
      ArrivalClock arrivals,
      OpenRequests requests) {
    this.vertx = vertx;
    this.socket = socket;
    this.gate = gate;
    this.arrivals = arrivals;
    this.requests = requests;
    this.key = requests.key();
    requests.add(key, () -> !over);
    this.caller = AdmittedRequests.of(socket.routingContext());
    this.tasks = new TaskIdSealing(vertx);
    this.subscriptions = new SocketSubscriptions(vertx);
    String owner = caller.principal().name();
    ByteBudget budget = ByteBudget.of(vertx);
    this.messages = SocketMessages.install(connection, budget, owner);
    this.unread = budget.account(ByteBudget.ByteUse.ANSWERS, owner);
    caller.end(); // from now on each message takes a place
  }

  private RoutingContext ctx() {
    return socket.routingContext();
  }

  /**
   * Closes the socket if its credential is invalid or its rights have changed; true if it is open.
   */
  boolean check() {
    String why = over ? null : caller.changed();
    if (why == null) {
      return !over;
    }
    over = true;
    socket.close(POLICY, why.length() > MAX_REASON ? why.substring(0, MAX_REASON) : why);
    // A peer that does not read gets no close frame.
    vertx.setTimer(CLOSE_MILLIS, late -> ForcedClose.on(ctx().request()));
    return false;
  }

  void closed() {
    over = true;
    requests.remove(key);
    unread.close();
    subscriptions.close();
  }

  /** Whether the peer may receive a published message; makes it the one that the peer gets. */
  boolean receives(JsonObject frame) {
    if (EventBusRules.isEvents(frame.getString("address"))
        && frame.getValue("body") instanceof JsonObject fact) {
      String server = String.valueOf(fact.getValue("id"));
      String uri = EventLog.resource(fact);
      JsonObject bare = PolicyFilter.withoutTools(fact);
      JsonObject shown = fact.equals(bare) || caller.rights().listsAllTools(server) ? fact : bare;
      if (shown == null) {
        return false;
      }
      frame.put("body", Events.TASK.equals(fact.getValue("type")) ? tasks.sealed(fact) : shown);
      return Events.isFor(AdmittedRequests.requester(ctx(), server), fact)
          && (uri == null || caller.rights().allows(Action.SUBSCRIBE, server, uri));
    }
    if (frame.getValue("headers") instanceof JsonObject headers
        && headers.getValue(Headers.CALL_ID) instanceof String callId) {
      headers.put(Headers.CALL_ID, Requester.ownCallId(callId));
    }
    return true;
  }

  /** Handles a message that sends or that registers a listener. */
  void take(BridgeEvent event) {
    if (!check()) {
      event.complete(false);
      return;
    }
    long arrived = arrivals.arrived(InboundConnection.of(ctx().request().connection()));
    ByteBudget.ByteAccount bytes = messages.taken();
    Place place = caller.message();
    Runnable end =
        () -> {
          place.end().run();
          bytes.close();
        };
    if (!place.isFree()) {
      bytes.close();
      limited(event, place.retryMillis());
    } else if (event.type() == BridgeEventType.SEND) {
      send(event, arrived, end);
    } else {
      end.run();
      event.complete(listens(event));
    }
  }

  private void limited(BridgeEvent event, long retryMillis) {
    McpFailure failure =
        new McpFailure(
            FailureCode.RATE_LIMITED,
            McpFailure.Sent.NO,
            "more messages than you are allowed; try again in " + retryMillis + " ms",
            retryMillis,
            null);
    gate.limited(ctx(), String.valueOf(event.getRawMessage().getValue("address")));
    fail(event.getRawMessage(), failure);
  }

  private boolean listens(BridgeEvent event) {
    return event.getRawMessage().getValue("address") instanceof String address
        && gate.mayListen(ctx(), "listen " + address, EventBusRules.listening(address));
  }

  private void send(BridgeEvent event, long arrived, Runnable end) {
    JsonObject message = event.getRawMessage();
    JsonObject headers = headers(message);
    Object reply = message.getValue("replyAddress");
    if (!(message.getValue("address") instanceof String address)
        || headers == null
        || (reply != null && (!(reply instanceof String to) || to.length() > MAX_REPLY_ADDRESS))) {
      end.run();
      event.complete(false);
      return;
    }
    Optional<Operation> wanted = EventBusRules.sending(address, message.getValue("body"));
    if (!gate.maySend(ctx(), address, wanted)) {
      end.run();
      event.complete(false);
      return;
    }
    if (pending >= MAX_PENDING) {
      end.run();
      fail(
          message,
          McpFailure.notSent(
              FailureCode.OVERLOADED, MAX_PENDING + " calls of this socket are under way already"));
      return;
    }
    Requester requester = AdmittedRequests.requester(ctx(), EventBusRules.server(address));
    PeerMessage sent;
    try {
      sent = new PeerMessage(requester, tasks, address, message.getValue("body"), headers);
    } catch (McpFailure refused) {
      end.run();
      fail(message, refused);
      return;
    }
    if (!subscriptions.note(requester, address, sent.body(), headers)) {
      end.run();
      event.complete(false);
      return;
    }
    long since = System.nanoTime();
    pending++;
    DeliveryOptions options = new DeliveryOptions().setSendTimeout(REPLY_MILLIS);
    headers.forEach(header -> options.addHeader(header.getKey(), (String) header.getValue()));
    requests.origin(key, arrived).addTo(options);
    if (!caller.rights().isUnbounded()) {
      EventBusRules.tool(address, message.getValue("body"))
          .ifPresent(tool -> options.addHeader(Headers.TOOL, tool));
    }
    // The event stays uncompleted: Vert.x's bridge would send the message once more.
    Operation operation = wanted.orElse(Operation.NOTHING);
    gate.<Message<Object>>begun(
            ctx(),
            address,
            operation,
            () -> vertx.eventBus().request(address, sent.body(), options))
        .onComplete(
            answer -> {
              pending--;
              end.run();
              gate.ended(ctx(), address, operation, answer, since);
              answered(message, sent, answer);
            });
  }

  /**
   * The headers that a peer may set; others are dropped. Null if the progress address is not one of
   * a peer.
   */
  private static @Nullable JsonObject headers(JsonObject message) {
    Object value = message.getValue("headers");
    if (value == null) {
      return new JsonObject();
    }
    if (!(value instanceof JsonObject given)) {
      return null;
    }
    JsonObject kept = new JsonObject();
    for (String name : given.fieldNames()) {
      if (EventBusRules.HEADERS.contains(name)) {
        kept.put(name, String.valueOf(given.getValue(name)));
      }
    }
    String progress = kept.getString(Headers.PROGRESS);
    return progress == null || EventBusRules.isProgress(progress) ? kept : null;
  }

  private void answered(JsonObject message, PeerMessage sent, AsyncResult<Message<Object>> answer) {
    if (answer.failed()) {
      Throwable failure = sent.failure(answer.cause());
      fail(
          message,
          caller.rights().isUnbounded() ? failure : PolicyCheck.absence(McpFailure.of(failure)));
      return;
    }
    JsonObject headers = new JsonObject();
    answer.result().headers().forEach(header -> headers.put(header.getKey(), header.getValue()));
    JsonObject frame =
        new JsonObject()
            .put("type", "rec")
            .put("address", message.getString("replyAddress"))
            .put("body", visible(message, sent.answer(answer.result().body())));
    write(message, headers.isEmpty() ? frame : frame.put("headers", headers));
  }

  private @Nullable Object visible(JsonObject message, @Nullable Object answer) {
    return answer instanceof JsonObject status
            && EventBusRules.suffix(message.getString("address"))
                .orElse("")
                .equals(Addresses.STATUS)
        ? PolicyFilter.status(status, caller.rights())
        : answer;
  }

  private void fail(JsonObject message, Throwable failure) {
    ReplyException known = failure instanceof ReplyException mine ? mine : McpFailure.of(failure);
    write(
        message,
        new JsonObject()
            .put("type", "err")
            .put("address", message.getValue("replyAddress"))
            .put("failureCode", known.failureCode())
            .put("failureType", known.failureType().name())
            .put("message", known.getMessage()));
  }

  /**
   * Writes a reply, if one is wanted; cuts off a peer that does not read, and queues nothing for
   * it.
   */
  private void write(JsonObject message, JsonObject frame) {
    if (over || message.getValue("replyAddress") == null) {
      return;
    }
    if (socket.writeQueueFull()) {
      ForcedClose.on(ctx().request());
      return;
    }
    Buffer bytes = Buffer.buffer(frame.encode());
    int length = bytes.length();
    if (unread.take(length)) {
      socket.write(bytes).onComplete(written -> unread.give(length));
    } else if (length > ByteBudget.SMALL) {
      fail(message, McpFailure.unpaid(McpFailure.Sent.MAYBE, unread.refusal(length)));
    } else {
      ForcedClose.on(ctx().request());
    }
  }
}
