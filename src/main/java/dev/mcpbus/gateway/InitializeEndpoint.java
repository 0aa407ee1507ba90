package dev.mcpbus.gateway;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.CallDeadline.Layer;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.McpHeaders;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.RawJson;
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
 * The HTTP side of sessions of the {@code initialize} era: each message of the client goes to the
 * session's host, what comes back is written. Holds nothing of a session. Confined to the context
 * of the HTTP verticle.
 */
final class InitializeEndpoint {

  /** Of so many it is remembered; of others it is looked up again. */
  private static final int MAX_MOVED = 10_000;

  private final Vertx vertx;
  private final OpenReplies replies;
  private final String name;
  private final SessionHostNames hostNames;
  private final Map<String, HttpReply> exchanges = new HashMap<>();

  /** Hosts of standing streams, by their exchanges. */
  private final Map<String, String> standing = new HashMap<>();

  /** Where sessions live whose hosts were lost. */
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
   */
  InitializeEndpoint(Vertx vertx, OpenReplies replies, String name, SessionHostNames hostNames) {
    this.vertx = vertx;
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
    DeliveryOptions options =
        options(SessionHeaders.OPEN, principal, view, exchange())
            .addHeader(SessionHeaders.LASTING, "true");
    hostNames
        .<Buffer>request(
            Addresses.GATEWAY_SESSIONS, hostNames.next(), message.text().toBuffer(), options)
        .onComplete(
            answered -> {
              reply.header(
                  McpHeaders.SESSION_ID,
                  String.valueOf(answered.headers().get(SessionHeaders.SESSION)));
              reply.answer(200, answered.body().getBytes(), null);
            },
            failure -> fail(reply, id, failure));
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
    String exchange = exchange();
    DeliveryOptions options =
        options(SessionHeaders.POST, principal, view, exchange)
            .addHeader(SessionHeaders.SOURCE, reply.source().text())
            .addHeader(SessionHeaders.SESSION, session);
    boolean request = message.kind() == Envelope.Kind.REQUEST;
    if (request) {
      exchanges.put(exchange, reply);
      replies.add(reply);
      reply
          .onGone(
              () -> {
                forget(exchange, reply);
                tell(session, SessionHeaders.GONE, exchange);
              })
          .onStream(
              () -> {
                if (isResumable(headers)) {
                  reply.prime(exchange + "_0");
                  tell(session, SessionHeaders.KEEP, exchange);
                }
              });
    }
    send(session, message.text().toBuffer(), options)
        .onComplete(
            answered -> {
              forget(exchange, reply);
              if (answered.body() != null && answered.body().length() > 0) {
                reply.answer(200, answered.body(), answered.headers().get(SessionHeaders.EVENT));
              } else if (request) {
                reply.end();
              } else {
                reply.status(202);
              }
            },
            failure -> {
              forget(exchange, reply);
              fail(reply, request ? message.id() : null, failure);
            });
  }

  void stream(MultiMap headers, Principal principal, DirectoryView view, HttpReply reply) {
    String session = session(headers, reply, null);
    if (session == null) {
      return;
    }
    if (!replies.addStream(reply, principal, null)) {
      return;
    }
    String exchange = exchange();
    exchanges.put(exchange, reply);
    reply.onGone(
        () -> {
          forget(exchange, reply);
          tell(session, SessionHeaders.GONE, exchange);
        });
    DeliveryOptions options =
        options(SessionHeaders.STREAM, principal, view, exchange)
            .addHeader(SessionHeaders.SESSION, session);
    String last = headers.get("Last-Event-ID");
    if (last != null) {
      options.addHeader(SessionHeaders.EVENT, last);
    }
    send(session, Buffer.buffer(), options)
        .onComplete(
            open -> {
              if (exchanges.containsKey(exchange)) {
                standing.put(exchange, at(session));
              }
              reply.open();
            },
            failure -> {
              forget(exchange, reply);
              fail(reply, null, failure);
            });
  }

  void delete(MultiMap headers, Principal principal, DirectoryView view, HttpReply reply) {
    String session = session(headers, reply, null);
    if (session != null) {
      DeliveryOptions options =
          options(SessionHeaders.DELETE, principal, view, exchange())
              .addHeader(SessionHeaders.SESSION, session);
      send(session, Buffer.buffer(), options)
          .onComplete(ended -> reply.status(204), failure -> fail(reply, null, failure));
    }
  }

  /** A message of a session for one of the open responses. */
  void told(Message<Buffer> message) {
    String exchange = String.valueOf(message.headers().get(SessionHeaders.EXCHANGE));
    HttpReply reply = exchanges.get(exchange);
    if (reply == null) {
      return;
    }
    if (message.body().length() > 0) {
      reply.event(message.headers().get(SessionHeaders.EVENT), message.body().getBytes());
    }
    if (message.headers().contains(SessionHeaders.END)) {
      forget(exchange, reply);
      reply.end();
    }
  }

  /** Nothing more comes on the streams of its sessions: their clients are to look elsewhere. */
  void left(String node) {
    List.copyOf(standing.entrySet()).stream()
        .filter(one -> SessionHostNames.isOn(node, one.getValue()))
        .forEach(one -> cutOff(one.getKey()));
  }

  private void cutOff(String exchange) {
    HttpReply reply = exchanges.get(exchange);
    if (reply != null) {
      forget(exchange, reply);
      reply.end();
    }
  }

  /** Older clients do not expect an event without a message. */
  private static boolean isResumable(MultiMap headers) {
    return ProtocolVersion.LATEST_INITIALIZE
        .wire()
        .equals(headers.get(McpHeaders.PROTOCOL_VERSION));
  }

  private void forget(String exchange, HttpReply reply) {
    exchanges.remove(exchange);
    standing.remove(exchange);
    replies.remove(reply);
  }

  private String exchange() {
    return name + "-" + ++sequence;
  }

  private @Nullable String session(MultiMap headers, HttpReply reply, @Nullable RawJson id) {
    String session = headers.get(McpHeaders.SESSION_ID);
    if (session != null && RandomNames.isHeld(session)) {
      return session;
    }
    gone(reply, id);
    return null;
  }

  private static void gone(HttpReply reply, @Nullable RawJson id) {
    reply.refuse(404,
        id,
        McpErrors.invalidRequest("Session not found; begin with initialize"));
  }

  private void fail(HttpReply reply, @Nullable RawJson id, Throwable failure) {
    McpFailure known = McpErrors.of(failure);
    if (known.code() == FailureCode.UNKNOWN_CONNECTION) {
      gone(reply, id);
    } else if (known.code() == FailureCode.OWNER_LOST && id != null) {
      reply.answer(200, McpErrors.message(id, known), null); // the answer to that request
    } else {
      reply.refuse(known.code().httpStatus(), id, known);
    }
  }

  private DeliveryOptions options(
      String op, Principal principal, DirectoryView view, String exchange) {
    return new DeliveryOptions()
        .setSendTimeout(Layer.ENDPOINT.timeout(CallDeadline.NONE))
        .setCodecName(Codecs.SHARED)
        .addHeader(SessionHeaders.OP, op)
        .addHeader(SessionHeaders.VIEW, view.name())
        .addHeader(SessionHeaders.PRINCIPAL, principal.text())
        .addHeader(SessionHeaders.DOOR, Addresses.GATEWAY_RESPONSES + name)
        .addHeader(SessionHeaders.EXCHANGE, exchange);
  }

  // ---- where a session is

  private String at(String session) {
    String other = moved.get(session);
    return other == null ? RandomNames.host(session) : other;
  }

  /** To the host that has the session, or goes on with it. */
  private Future<Message<Buffer>> send(String session, Buffer body, DeliveryOptions options) {
    String host = at(session);
    if (!hostNames.isClustered()) {
      return hostNames.request(Addresses.GATEWAY_SESSIONS, host, body, options);
    }
    DeliveryOptions again = new DeliveryOptions(options);
    return hostNames
        .<Buffer>request(Addresses.GATEWAY_SESSIONS, host, body, options)
        .recover(
            failure ->
                McpFailure.of(failure).code() == FailureCode.UNKNOWN_CONNECTION
                    ? find(session, host, SessionHostNames.isGone(failure))
                        .compose(
                            found ->
                                hostNames.request(Addresses.GATEWAY_SESSIONS, found, body, again))
                    : Future.failedFuture(failure));
  }

  private Future<String> find(String session, String tried, boolean lost) {
    DeliveryOptions options =
        new DeliveryOptions()
            .addHeader(SessionHeaders.OP, SessionHeaders.FIND)
            .addHeader(SessionHeaders.SESSION, session)
            .addHeader(SessionHeaders.HOST, tried);
    if (lost) {
      options.addHeader(SessionHeaders.LOST, "true");
    }
    return hostNames
        .<Buffer>request(Addresses.GATEWAY_SESSIONS, hostNames.next(), Buffer.buffer(), options)
        .map(found -> String.valueOf(found.headers().get(SessionHeaders.HOST)))
        .onSuccess(found -> moved.put(session, found))
        .onFailure(unknown -> moved.remove(session));
  }

  private void tell(String session, String op, String exchange) {
    vertx
        .eventBus()
        .send(
            Addresses.GATEWAY_SESSIONS + at(session),
            Buffer.buffer(),
            new DeliveryOptions()
                .addHeader(SessionHeaders.OP, op)
                .addHeader(SessionHeaders.SESSION, session)
                .addHeader(SessionHeaders.EXCHANGE, exchange));
  }
}
