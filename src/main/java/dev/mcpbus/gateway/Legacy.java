package dev.mcpbus.gateway;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Principal;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.http.HttpHeaders;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP side of sessions of the {@code initialize} era: each message of the client goes to the
 * session's host, what comes back is written. Holds nothing of a session. Confined to the context
 * of the HTTP verticle.
 */
final class Legacy {

  static final CharSequence SESSION = HttpHeaders.createOptimized("Mcp-Session-Id");

  /** {@code <host>.<random>}. */
  static final Pattern ID = Pattern.compile("[0-9a-f]{16}\\.[0-9a-f]{32}");

  /** A call ends by the bounds of its connection; this is the net below. */
  private static final long PATIENCE_MILLIS = 3_600_000;

  /** Of so many it is remembered; of others it is looked up again. */
  private static final int MAX_MOVED = 10_000;

  private final Vertx vertx;
  private final Replies replies;
  private final String name;
  private final Hosts hosts;
  private final Map<String, Reply> exchanges = new HashMap<>();

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
  Legacy(Vertx vertx, Replies replies, String name, Hosts hosts) {
    this.vertx = vertx;
    this.replies = replies;
    this.name = name;
    this.hosts = hosts;
  }

  void initialize(Principal principal, Envelope message, View view, Reply reply) {
    RawJson id = message.id();
    if (message.kind() != Envelope.Kind.REQUEST || id == null) {
      Door.refuse(
          reply, 400, id, Errors.rpc(JsonRpcError.INVALID_REQUEST, "initialize is a request"));
      return;
    }
    DeliveryOptions options =
        options(Words.OPEN, principal, view, exchange()).addHeader(Words.LASTING, "true");
    hosts
        .<Buffer>request(
            Addresses.GATEWAY_SESSIONS, hosts.next(), message.text().toBuffer(), options)
        .onComplete(
            answered -> {
              reply.header(SESSION, String.valueOf(answered.headers().get(Words.SESSION)));
              reply.answer(200, answered.body().getBytes(), null);
            },
            failure -> fail(reply, id, failure));
  }

  void post(MultiMap headers, Principal principal, Envelope message, View view, Reply reply) {
    String session = session(headers, reply, message.id());
    if (session == null) {
      return;
    }
    String exchange = exchange();
    DeliveryOptions options =
        options(Words.POST, principal, view, exchange)
            .addHeader(Words.SOURCE, reply.source().text())
            .addHeader(Words.SESSION, session);
    boolean request = message.kind() == Envelope.Kind.REQUEST;
    if (request) {
      exchanges.put(exchange, reply);
      replies.add(reply);
      reply
          .onGone(
              () -> {
                forget(exchange, reply);
                tell(session, Words.GONE, exchange);
              })
          .onStream(
              () -> {
                if (isResumable(headers)) {
                  reply.prime(exchange + "_0");
                  tell(session, Words.KEEP, exchange);
                }
              });
    }
    send(session, message.text().toBuffer(), options)
        .onComplete(
            answered -> {
              forget(exchange, reply);
              if (answered.body() != null && answered.body().length() > 0) {
                reply.answer(200, answered.body(), answered.headers().get(Words.EVENT));
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

  void stream(MultiMap headers, Principal principal, View view, Reply reply) {
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
          tell(session, Words.GONE, exchange);
        });
    DeliveryOptions options =
        options(Words.STREAM, principal, view, exchange).addHeader(Words.SESSION, session);
    String last = headers.get("Last-Event-ID");
    if (last != null) {
      options.addHeader(Words.EVENT, last);
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

  void delete(MultiMap headers, Principal principal, View view, Reply reply) {
    String session = session(headers, reply, null);
    if (session != null) {
      DeliveryOptions options =
          options(Words.DELETE, principal, view, exchange()).addHeader(Words.SESSION, session);
      send(session, Buffer.buffer(), options)
          .onComplete(ended -> reply.status(204), failure -> fail(reply, null, failure));
    }
  }

  /** A message of a session for one of the open responses. */
  void told(Message<Buffer> message) {
    String exchange = String.valueOf(message.headers().get(Words.EXCHANGE));
    Reply reply = exchanges.get(exchange);
    if (reply == null) {
      return;
    }
    if (message.body().length() > 0) {
      reply.event(message.headers().get(Words.EVENT), message.body().getBytes());
    }
    if (message.headers().contains(Words.END)) {
      forget(exchange, reply);
      reply.end();
    }
  }

  /** Nothing more comes on the streams of its sessions: their clients are to look elsewhere. */
  void left(String node) {
    List.copyOf(standing.entrySet()).stream()
        .filter(one -> Hosts.isOn(node, one.getValue()))
        .forEach(one -> cutOff(one.getKey()));
  }

  private void cutOff(String exchange) {
    Reply reply = exchanges.get(exchange);
    if (reply != null) {
      forget(exchange, reply);
      reply.end();
    }
  }

  /** Older clients do not expect an event without a message. */
  private static boolean isResumable(MultiMap headers) {
    return ProtocolVersion.LATEST_INITIALIZE.wire().equals(headers.get(ModernHeaders.VERSION));
  }

  private void forget(String exchange, Reply reply) {
    exchanges.remove(exchange);
    standing.remove(exchange);
    replies.remove(reply);
  }

  private String exchange() {
    return name + "-" + ++sequence;
  }

  static String host(String session) {
    return session.substring(0, session.indexOf('.'));
  }

  private @Nullable String session(MultiMap headers, Reply reply, @Nullable RawJson id) {
    String session = headers.get(SESSION);
    if (session != null && ID.matcher(session).matches()) {
      return session;
    }
    gone(reply, id);
    return null;
  }

  private static void gone(Reply reply, @Nullable RawJson id) {
    Door.refuse(
        reply,
        404,
        id,
        Errors.rpc(JsonRpcError.INVALID_REQUEST, "Session not found; begin with initialize"));
  }

  private void fail(Reply reply, @Nullable RawJson id, Throwable failure) {
    McpFailure known = Errors.of(failure);
    if (known.code() == FailureCode.UNKNOWN_CONNECTION) {
      gone(reply, id);
    } else if (known.code() == FailureCode.OWNER_LOST && id != null) {
      reply.answer(200, Errors.message(id, known), null); // the answer to that request
    } else {
      Door.refuse(reply, known.code().httpStatus(), id, known);
    }
  }

  private DeliveryOptions options(String op, Principal principal, View view, String exchange) {
    return new DeliveryOptions()
        .setSendTimeout(PATIENCE_MILLIS)
        .setCodecName(Codecs.SHARED)
        .addHeader(Words.OP, op)
        .addHeader(Words.VIEW, view.name())
        .addHeader(Words.PRINCIPAL, principal.text())
        .addHeader(Words.DOOR, Addresses.GATEWAY_RESPONSES + name)
        .addHeader(Words.EXCHANGE, exchange);
  }

  // ---- where a session is

  private String at(String session) {
    String other = moved.get(session);
    return other == null ? host(session) : other;
  }

  /** To the host that has the session, or goes on with it. */
  private Future<Message<Buffer>> send(String session, Buffer body, DeliveryOptions options) {
    String host = at(session);
    if (!hosts.isClustered()) {
      return hosts.request(Addresses.GATEWAY_SESSIONS, host, body, options);
    }
    DeliveryOptions again = new DeliveryOptions(options);
    return hosts
        .<Buffer>request(Addresses.GATEWAY_SESSIONS, host, body, options)
        .recover(
            failure ->
                McpFailure.of(failure).code() == FailureCode.UNKNOWN_CONNECTION
                    ? find(session, host, Hosts.isGone(failure))
                        .compose(
                            found -> hosts.request(Addresses.GATEWAY_SESSIONS, found, body, again))
                    : Future.failedFuture(failure));
  }

  private Future<String> find(String session, String tried, boolean lost) {
    DeliveryOptions options =
        new DeliveryOptions()
            .addHeader(Words.OP, Words.FIND)
            .addHeader(Words.SESSION, session)
            .addHeader(Words.HOST, tried);
    if (lost) {
      options.addHeader(Words.LOST, "true");
    }
    return hosts
        .<Buffer>request(Addresses.GATEWAY_SESSIONS, hosts.next(), Buffer.buffer(), options)
        .map(found -> String.valueOf(found.headers().get(Words.HOST)))
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
                .addHeader(Words.OP, op)
                .addHeader(Words.SESSION, session)
                .addHeader(Words.EXCHANGE, exchange));
  }
}
