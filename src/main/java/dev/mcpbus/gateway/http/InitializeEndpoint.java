package dev.mcpbus.gateway.http;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallHeaders;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.bus.Telemetry;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.gateway.request.HostMessage;
import dev.mcpbus.gateway.request.HostMessage.AnswerMessage;
import dev.mcpbus.gateway.request.HostMessage.DeleteMessage;
import dev.mcpbus.gateway.request.HostMessage.DoorEvent;
import dev.mcpbus.gateway.request.HostMessage.FindMessage;
import dev.mcpbus.gateway.request.HostMessage.From;
import dev.mcpbus.gateway.request.HostMessage.GoneMessage;
import dev.mcpbus.gateway.request.HostMessage.KeepMessage;
import dev.mcpbus.gateway.request.HostMessage.OpenMessage;
import dev.mcpbus.gateway.request.HostMessage.PostMessage;
import dev.mcpbus.gateway.request.HostMessage.StreamMessage;
import dev.mcpbus.gateway.request.HostMessage.TakeMessage;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.gateway.request.PublishedSession;
import dev.mcpbus.gateway.request.RandomNames;
import dev.mcpbus.gateway.request.RequestAudit;
import dev.mcpbus.gateway.request.RequestRouter;
import dev.mcpbus.gateway.request.SessionHostNames;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.McpHeaders;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Audit;
import dev.mcpbus.security.Principal;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP side of clients of the {@code initialize} era (MCP 2025-11-25, Streamable HTTP). It
 * sends each message of a client to the host of its session, and passes the answer and the events
 * that the host has written to the open response. A request that needs nothing of its session goes
 * straight to its server ({@link DirectCall}). It holds open responses and nothing of a session.
 * Confined to the context of the HTTP verticle.
 */
final class InitializeEndpoint {

  /** How many sessions it remembers with their new host; for any other it asks a session host. */
  private static final int MAX_MOVED = 10_000;

  private final Vertx vertx;
  private final Directory directory;
  private final RequestRouter router;
  private final @Nullable Telemetry telemetry;
  private final Map<String, PublishedSession> sessions;
  private final Map<String, DirectCall> direct = new HashMap<>();
  private final OpenReplies replies;
  private final String name;
  private final SessionHostNames hostNames;
  private final Map<String, HttpReply> exchanges = new HashMap<>();

  /** What a GET has opened: at which host, and after which event. */
  private record Standing(String host, @Nullable String last) {}

  /** The streams of GET, by exchange. */
  private final Map<String, Standing> standing = new HashMap<>();

  /** The present hosts of sessions whose first host was lost. */
  private final Map<String, String> moved =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
          return size() > MAX_MOVED;
        }
      };

  private long sequence;

  /**
   * @param name of the HTTP verticle
   * @param sessions those that hosts of this node have, by their ids
   */
  InitializeEndpoint(
      Vertx vertx,
      Directory directory,
      RequestRouter router,
      OpenReplies replies,
      String name,
      SessionHostNames hostNames,
      Map<String, PublishedSession> sessions) {
    this.vertx = vertx;
    this.directory = directory;
    this.router = router;
    this.telemetry = Telemetry.of(vertx);
    this.sessions = sessions;
    this.replies = replies;
    this.name = name;
    this.hostNames = hostNames;
  }

  void initialize(Principal principal, Envelope message, DirectoryView view, HttpReply reply) {
    RawJson id = message.id();
    if (message.kind() != Envelope.Kind.REQUEST || id == null) {
      reply.refuse(400, id, McpErrors.invalidRequest("initialize is a request"));
      return;
    }
    hostNames
        .send(
            hostNames.next(),
            message,
            new OpenMessage(from(principal, view, exchange()), true).options())
        .onComplete(
            answered -> {
              reply.header(McpHeaders.SESSION_ID, HostMessage.session(answered));
              reply.answer(200, answered.body(), null);
            },
            failure -> fail(reply, id, failure, null));
  }

  void post(
      MultiMap headers,
      Principal principal,
      Envelope message,
      DirectoryView view,
      HttpReply reply) {
    String session = session(headers, reply, message.id());
    if (session == null) {
      return;
    }
    boolean request = message.kind() == Envelope.Kind.REQUEST;
    String exchange = LostStreamAnswers.exchange(name, ++sequence, request ? message.id() : null);
    if (request
        && !(reply instanceof BatchedReply)
        && goesStraight(
            new SessionRequest(session, exchange, headers, principal, message, view, reply))) {
      return;
    }
    DeliveryOptions options =
        new PostMessage(from(principal, view, exchange), session, reply.source().text()).options();
    reply.origin().addTo(options);
    if (request) {
      CallHeaders.add(HostMessage.lasting(options, message.method()), CallHeaders.trace(headers));
      open(session, exchange, headers, reply);
    }
    Future<Message<Buffer>> call = send(session, message, options);
    reply.causes(call);
    call.onComplete(
        answered -> answered(answered, request, exchange, reply),
        failure -> {
          forget(exchange, reply);
          fail(reply, request ? message.id() : null, failure, LostStreamAnswers.eventId(exchange));
        });
  }

  private void answered(
      Message<Buffer> answered, boolean request, String exchange, HttpReply reply) {
    forget(exchange, reply);
    reply.repeated(CallHeaders.repeats(answered.headers()));
    if (answered.body() != null && answered.body().length() > 0) {
      reply.answer(200, answered.body(), HostMessage.eventId(answered));
    } else if (request) {
      reply.end();
    } else {
      reply.status(202);
    }
  }

  /** The response to a request stays open until the answer, and may become a stream before. */
  private void open(String session, String exchange, MultiMap headers, HttpReply reply) {
    open(
        exchange,
        headers,
        reply,
        () -> gone(session, exchange, reply),
        () -> tell(session, new KeepMessage(session, exchange)));
  }

  /**
   * @param keeps runs when the client gets event ids of the response
   */
  private void open(
      String exchange, MultiMap headers, HttpReply reply, Runnable gone, Runnable keeps) {
    exchanges.put(exchange, reply);
    replies.add(reply);
    reply
        .onGone(gone)
        .onStream(
            () -> {
              if (isResumable(headers)) {
                keeps.run();
                reply.prime(exchange + "_0");
              }
            });
  }

  // ---- calls that go straight

  /** A request of a client, and the name of its open response. */
  record SessionRequest(
      String session,
      String exchange,
      MultiMap headers,
      Principal principal,
      Envelope message,
      DirectoryView view,
      HttpReply reply) {}

  /** Sends a request straight to its server, if it needs nothing of its session. */
  private boolean goesStraight(SessionRequest asked) {
    DirectCall call = DirectCall.of(this, vertx, directory, sessions.get(asked.session()), asked);
    if (call == null || !call.begins()) {
      return false;
    }
    HttpReply reply = asked.reply();
    direct.put(call.request().callId(), call);
    open(asked.exchange(), asked.headers(), reply, call::gone, call::becomesResumable);
    if (telemetry != null) {
      call.measureBy(telemetry, call.id(), call.version(), asked.headers());
    }
    Audit audit = directory.audit();
    Future<RawJson> answer =
        audit.precedesCalls()
            ? RequestAudit.begun(
                vertx, audit, reply.source(), call.request(), () -> router.route(call))
            : router.route(call);
    reply.causes(answer);
    answer.onComplete(
        outcome -> {
          RequestAudit.ended(audit, reply.source(), call, outcome);
          call.ended(outcome);
          direct.remove(call.request().callId());
          call.answered(outcome);
        });
    return true;
  }

  /** The address for what connections report about these calls. */
  String callsAt() {
    return Addresses.GATEWAY_CALLS + name;
  }

  /**
   * A connection reports something about a call.
   *
   * @return false if it is none of these calls
   */
  boolean reportedOfCall(String callId, String method, Message<?> message) {
    DirectCall call = direct.get(callId);
    if (call != null) {
      call.reported(method, HostMessage.params(message));
    }
    return call != null;
  }

  /**
   * The host of the session gets the call, and writes the response from now on.
   *
   * @param keep whether the client gets event ids of the response
   */
  void handOver(DirectCall call, boolean keep) {
    From from = from(call.request().principal(), call.request().view(), call.asked.exchange());
    TakeMessage take = new TakeMessage(from, call.asked.session(), call.request().callId(), keep);
    hostNames
        .send(call.host(), null, HostMessage.lasting(take.options(), call.request().method()))
        .onComplete(
            answered -> answered(answered, true, call.asked.exchange(), call.asked.reply()),
            failure -> {
              forget(call.asked.exchange(), call.asked.reply());
              call.lost();
            });
  }

  /** The answer to a call that the host has. */
  void passAnswer(DirectCall call, Buffer answer) {
    AnswerMessage message =
        new AnswerMessage(call.asked.session(), call.request().callId(), call.repeats());
    hostNames.tell(call.host(), answer, message.options());
  }

  void keep(DirectCall call) {
    hostNames.tell(
        call.host(), new KeepMessage(call.asked.session(), call.asked.exchange()).options());
  }

  void tellGone(DirectCall call) {
    hostNames.tell(
        call.host(), new GoneMessage(call.asked.session(), null, call.asked.exchange()).options());
  }

  void forget(DirectCall call) {
    forget(call.asked.exchange(), call.asked.reply());
  }

  // ---- streams

  private void gone(String session, String exchange, HttpReply reply) {
    forget(exchange, reply);
    tell(session, new GoneMessage(session, null, exchange));
  }

  /** Clients of earlier versions do not expect an event without a message. */
  private static boolean isResumable(MultiMap headers) {
    return ProtocolVersion.LATEST_INITIALIZE
        .wire()
        .equals(headers.get(McpHeaders.PROTOCOL_VERSION));
  }

  void stream(MultiMap headers, Principal principal, DirectoryView view, HttpReply reply) {
    String session = session(headers, reply, null);
    String last = headers.get("Last-Event-ID");
    if (session == null) {
      return;
    }
    if (LostStreamAnswers.isTold(last)) { // SDKs come back after an error; to 405 they do not
      reply.header("Allow", "POST");
      reply.refuse(405, null, McpErrors.invalidRequest("that stream has ended with its answer"));
      return;
    }
    if (!replies.addStream(reply, principal, null)) {
      return;
    }
    String exchange = exchange();
    exchanges.put(exchange, reply);
    reply.onGone(() -> gone(session, exchange, reply));
    send(session, new StreamMessage(from(principal, view, exchange), session, last))
        .onComplete(
            open -> {
              if (exchanges.containsKey(exchange)) {
                standing.put(exchange, new Standing(host(session), last));
              }
              reply.open();
            },
            failure -> {
              forget(exchange, reply);
              if (!isLost(session, failure) || !endLost(reply, last)) {
                fail(reply, null, failure, null);
              }
            });
  }

  /** Whether the stream that a client comes back for was lost with a node. */
  private boolean isLost(String session, Throwable failure) {
    return hostNames.isClustered()
        ? hostNames.isGone(host(session)) || McpFailure.of(failure).code() == FailureCode.OWNER_LOST
        : RequestSender.hadNoReceiver(failure);
  }

  /**
   * Answers the request whose stream the client has come back for, and ends the response.
   *
   * @param last {@code Last-Event-ID}
   * @return false if it names no request
   */
  private static boolean endLost(HttpReply reply, @Nullable String last) {
    RawJson id = LostStreamAnswers.requestId(last);
    if (last == null || id == null) {
      return false;
    }
    String exchange = last.substring(0, last.lastIndexOf('_'));
    reply.open();
    reply.answer(
        200, McpErrors.message(id, LostStreamAnswers.gone()), LostStreamAnswers.eventId(exchange));
    return true;
  }

  void delete(MultiMap headers, Principal principal, DirectoryView view, HttpReply reply) {
    String session = session(headers, reply, null);
    if (session != null) {
      send(session, new DeleteMessage(from(principal, view, exchange()), session))
          .onComplete(ended -> reply.status(204), failure -> fail(reply, null, failure, null));
    }
  }

  /** A session sends an event for an open response, or ends the response. */
  void reported(Message<Buffer> message) {
    DoorEvent event = DoorEvent.of(message);
    HttpReply reply = exchanges.get(event.exchange());
    if (reply == null) {
      return;
    }
    if (message.body().length() > 0) {
      reply.event(event.id(), message.body().getBytes());
    }
    if (event.end()) {
      forget(event.exchange(), reply);
      reply.end();
    }
  }

  /**
   * A node has left the cluster: ends the streams of its sessions, so that clients reconnect. A
   * response that has gone on after {@code Last-Event-ID} ends with the answer to its request.
   */
  void left(String node) {
    List.copyOf(standing.entrySet()).stream()
        .filter(one -> SessionHostNames.isOn(node, one.getValue().host()))
        .forEach(one -> cutOff(one.getKey(), one.getValue().last()));
  }

  private void cutOff(String exchange, @Nullable String last) {
    HttpReply reply = exchanges.get(exchange);
    if (reply != null) {
      forget(exchange, reply);
      if (!endLost(reply, last)) {
        reply.end();
      }
    }
  }

  /** Answers the requests that have no answer yet, before the server cuts their connections off. */
  void giveUp() {
    Map.copyOf(exchanges)
        .forEach(
            (exchange, reply) ->
                reply.giveUp(LostStreamAnswers.doorEnds(), LostStreamAnswers.eventId(exchange)));
  }

  private void forget(String exchange, HttpReply reply) {
    exchanges.remove(exchange);
    standing.remove(exchange);
    replies.remove(reply);
  }

  private String exchange() {
    return LostStreamAnswers.exchange(name, ++sequence, null);
  }

  private static @Nullable String session(MultiMap headers, HttpReply reply, @Nullable RawJson id) {
    String session = headers.get(McpHeaders.SESSION_ID);
    if (session != null && RandomNames.isHeld(session)) {
      return session;
    }
    refuseSession(reply, id);
    return null;
  }

  /** 404 says to a client that it has to begin a new session. */
  private static void refuseSession(HttpReply reply, @Nullable RawJson id) {
    reply.refuse(
        404,
        id,
        McpErrors.invalidRequest(
            "Session not found: its node or its client has ended it, or it was idle for too long;"
                + " initialize again"));
  }

  /**
   * @param eventId of the answer that a node was lost
   */
  private static void fail(
      HttpReply reply, @Nullable RawJson id, Throwable failure, @Nullable String eventId) {
    McpFailure known = McpErrors.of(failure);
    if (known.code() == FailureCode.OWNER_LOST && id != null) {
      reply.answer(200, McpErrors.message(id, known), eventId); // the answer to that request
    } else if (known.code() == FailureCode.UNKNOWN_CONNECTION) {
      refuseSession(reply, id);
    } else {
      reply.refuse(known.code().httpStatus(), id, known);
    }
  }

  private From from(Principal principal, DirectoryView view, String exchange) {
    return new From(
        principal.text(), view.name(), Addresses.GATEWAY_RESPONSES + name, exchange, view.caller());
  }

  // ---- where a session is

  private String host(String session) {
    String other = moved.get(session);
    return other == null ? RandomNames.host(session) : other;
  }

  private Future<Message<Buffer>> send(String session, HostMessage message) {
    return send(session, null, message.options());
  }

  /** Sends to the host of a session; if that host is lost, to the host that takes over. */
  private Future<Message<Buffer>> send(
      String session, @Nullable Envelope message, DeliveryOptions options) {
    String host = host(session);
    if (!hostNames.isClustered()) {
      return hostNames.send(host, message, options);
    }
    DeliveryOptions again = new DeliveryOptions(options);
    return hostNames
        .send(host, message, options)
        .recover(
            failure ->
                McpFailure.of(failure).code() == FailureCode.UNKNOWN_CONNECTION
                    ? find(session, host, RequestSender.hadNoReceiver(failure))
                        .compose(found -> hostNames.send(found, message, again))
                    : Future.failedFuture(failure));
  }

  private Future<String> find(String session, String tried, boolean lost) {
    return hostNames
        .send(hostNames.next(), null, new FindMessage(session, tried, lost).options())
        .map(found -> String.valueOf(HostMessage.host(found)))
        .onSuccess(found -> moved.put(session, found))
        .onFailure(unknown -> moved.remove(session));
  }

  private void tell(String session, HostMessage message) {
    hostNames.tell(host(session), message.options());
  }
}
