package dev.mcpbus.gateway.request;

import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.CallDeadline.Layer;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;

/**
 * The messages between an HTTP verticle and a session host: the values of the header {@link #OP},
 * the other headers, and what the body is. Stateless.
 */
public final class SessionMessage {

  /** Of a client's message; the HTTP server has bounded its size. */
  public static final ParseLimits LIMITS = ParseLimits.DEFAULT.withMaxBytes(Integer.MAX_VALUE);

  public static final String OP = "op";

  /** A client begins: the request {@code initialize} -> its answer and {@link #SESSION}. */
  public static final String OPEN = "open";

  /** A message of a client -> the answer; empty for a message without an answer. */
  public static final String POST = "post";

  /** A client opens a stream -> nothing; the messages follow at {@link #VERTICLE}. */
  public static final String STREAM = "stream";

  /** The client knows event ids of the response to a {@link #POST} and may ask for more. */
  public static final String KEEP = "keep";

  /** The client has closed a response. */
  public static final String GONE = "gone";

  /**
   * In place of a method, from a host to the HTTP verticle of a response that listens: the host
   * does not have the client any more.
   */
  public static final String ENDED = "ended";

  /**
   * A request of a {@code discover} client to a server that has sessions: params -> result, or
   * {@code input_required}. The answer to this and to {@link #TASK}, {@link #LIST} and {@link
   * #LISTEN} names in {@link #HOST} another host if that one has the client; an empty name says
   * that the host is leaving and the sender's own node has to take the client.
   */
  public static final String CALL = "call";

  /** The same call again with answers: params that hold {@code requestState}. */
  public static final String RETRY = "retry";

  /** Such a call that becomes a task: params -> the task. */
  public static final String TASK = "task";

  /** A request about such a task: {@link #SUFFIX} names the method, {@link #STATE} the task. */
  public static final String ABOUT_TASK = "about-task";

  /** A page of a list, {@link #SUFFIX} the kind, as the client sees it: params -> page. */
  public static final String LIST = "list";

  /**
   * A {@code discover} client listens to its own sessions: {@code {kinds, resources: [{server, uri,
   * name}]}} -> {@code {watched: [name]}}. Notifications follow at {@link #VERTICLE} until {@link
   * #GONE}.
   */
  public static final String LISTEN = "listen";

  /** The key of a {@code discover} client: no other client has it. */
  public static final String CLIENT = "client";

  /** {@code clientInfo} of the client, as JSON; absent if it stated none. */
  public static final String CLIENT_INFO = "client-info";

  /** Headers of these requests: where the call goes, and what the client offers and wants. */
  public static final String SERVER = "server";

  public static final String SUFFIX = "suffix";
  public static final String CAPABILITIES = "capabilities";
  public static final String LEVEL = "level";
  public static final String STATE = "state";

  /**
   * {@link #SESSION} was not at {@link #HOST}: the receiver answers with the host that has the
   * session, or takes the session over.
   */
  public static final String FIND = "find";

  public static final String HOST = "host";

  /** On a {@link #FIND}: that host does not exist any more. */
  public static final String LOST = "lost";

  /** On an {@link #OPEN}: another node may take the session over. */
  public static final String LASTING = "lasting";

  public static final String DELETE = "delete";

  public static final String SESSION = "session";
  public static final String VIEW = "view";

  /**
   * {@code Principal.text()}. What the message leaves behind belongs to this name; these rights
   * apply to this message alone.
   */
  public static final String PRINCIPAL = "principal";

  /** {@code RequestSource.text()}, for the audit log. */
  public static final String SOURCE = "source";

  /** The address of the HTTP verticle that has the response, for what comes before the answer. */
  public static final String VERTICLE = "door";

  /** The HTTP verticle's name of the response. */
  public static final String EXCHANGE = "exchange";

  /** {@code Last-Event-ID} of a {@link #STREAM}; the id of an event for the client. */
  public static final String EVENT = "event";

  /** On a message to the HTTP verticle: the response ends. */
  public static final String END = "end";

  private SessionMessage() {}

  /**
   * The options of a message about a response of a client.
   *
   * @param principal {@code Principal.text()}
   * @param verticle the address of the HTTP verticle
   * @param exchange the HTTP verticle's name of the response
   */
  public static DeliveryOptions options(
      String op, String principal, String verticle, String exchange) {
    return new DeliveryOptions()
        .setSendTimeout(Layer.ENDPOINT.timeout(CallDeadline.NONE))
        .addHeader(OP, op)
        .addHeader(PRINCIPAL, principal)
        .addHeader(VERTICLE, verticle)
        .addHeader(EXCHANGE, exchange);
  }

  /** The answer comes when a request of {@code method} has ended, which may be a stream. */
  public static DeliveryOptions lasting(DeliveryOptions options, String method) {
    return options.setSendTimeout(Layer.ENDPOINT.timeout(CallDeadline.noneOf(method)));
  }

  /**
   * The message of a client in the body. An endpoint of this node has parsed it; the bytes of
   * another node are parsed here.
   *
   * @throws McpFailure {@code BAD_REQUEST} if the bytes are no JSON-RPC message
   */
  public static Envelope envelope(Message<?> message) {
    if (message.body() instanceof Envelope parsed) {
      return parsed;
    }
    RawJson raw = params(message);
    try {
      return Envelope.parse(raw.array(), raw.offset(), raw.length(), LIMITS);
    } catch (ProtocolException e) {
      throw McpFailure.notSent(FailureCode.BAD_REQUEST, String.valueOf(e.getMessage()));
    }
  }

  /**
   * The params of a call or of a notification in the body, as any node sends them; those of a
   * notification are a {@code JsonObject} where the node has an older mcpbus.
   */
  public static RawJson params(Message<?> message) {
    return message.body() instanceof JsonObject json
        ? RawJson.of(json)
        : RawJson.ofParams((Buffer) message.body());
  }

  /** A header of the message, as text; {@code "null"} if it is absent. */
  public static String header(Message<?> message, String name) {
    return String.valueOf(message.headers().get(name));
  }
}
