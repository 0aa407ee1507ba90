package dev.mcpbus.gateway.request;

import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.CallDeadline.Layer;
import dev.mcpbus.bus.CallHeaders;
import dev.mcpbus.bus.CallerFacts;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Principal;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * A message of an HTTP verticle to a session host: what it says in its headers, whose names stand
 * here alone. Nodes of all versions send the same ones. The body is a message of a client ({@link
 * #envelope}), params ({@link #params}), or nothing. Immutable.
 */
public sealed interface HostMessage {

  /** Of a client's message; the HTTP server has bounded its size. */
  ParseLimits LIMITS = ParseLimits.DEFAULT.withMaxBytes(Integer.MAX_VALUE);

  /**
   * In place of a method, from a host to the HTTP verticle of a response that listens: the host
   * does not have the client any more.
   */
  String ENDED = "ended";

  /** The options of the message; new ones for each. */
  DeliveryOptions options();

  /**
   * Who sends a message, and the response that waits for the answer.
   *
   * @param principal {@code Principal.text()}. What the message leaves behind belongs to its name;
   *     its rights apply to this message alone
   * @param view null where the message is for no view
   * @param verticle the address of the HTTP verticle, for what comes before the answer
   * @param exchange the HTTP verticle's name of the response
   * @param caller the principal with the headers of the request that servers of callers use; null
   *     for none
   */
  record From(
      String principal,
      @Nullable String view,
      String verticle,
      String exchange,
      @Nullable CallerFacts caller) {

    /** From a caller of whose request no header counts. */
    public From(String principal, @Nullable String view, String verticle, String exchange) {
      this(principal, view, verticle, exchange, null);
    }

    /** The caller, with what counts of its request. */
    public CallerFacts whose() {
      return caller == null ? new CallerFacts(Principal.nameIn(principal)) : caller;
    }

    private DeliveryOptions options(String op) {
      return with(
              plain(op),
              "principal",
              principal,
              "exchange",
              exchange,
              "view",
              view,
              Headers.CALLER_HEADERS,
              caller == null ? null : caller.text())
          .addHeader("door", verticle) // not Headers.DOOR, which says where a call arrived
          .setSendTimeout(Layer.ENDPOINT.timeout(CallDeadline.NONE));
    }

    private static From of(MultiMap headers) {
      String principal = text(headers, "principal");
      String sent = headers.get(Headers.CALLER_HEADERS);
      return new From(
          principal,
          headers.get("view"),
          text(headers, "door"),
          text(headers, "exchange"),
          sent == null ? null : CallerFacts.ofText(Principal.nameIn(principal), sent));
    }
  }

  /**
   * What a client of the {@code discover} era states with a request.
   *
   * @param key no other client has it
   * @param capabilities JSON
   * @param info {@code clientInfo}, JSON; null if it states none
   */
  record StatedClient(String key, String capabilities, @Nullable String info) {

    private DeliveryOptions addTo(DeliveryOptions options) {
      return with(options, "client", key, "capabilities", capabilities, "client-info", info);
    }

    private static StatedClient of(MultiMap headers) {
      return new StatedClient(
          text(headers, "client"), text(headers, "capabilities"), headers.get("client-info"));
    }
  }

  // ---- sessions

  /**
   * A client begins: the request {@code initialize} -> its answer and {@link #opened}.
   *
   * @param lasting whether another node may take the session over
   */
  record OpenMessage(From from, boolean lasting) implements HostMessage {
    @Override
    public DeliveryOptions options() {
      return with(from.options("open"), "lasting", flag(lasting));
    }
  }

  /**
   * A message of a client -> the answer and {@link #answered}; empty for one without an answer.
   *
   * @param source {@code RequestSource.text()}, for the audit log
   */
  record PostMessage(From from, String session, String source) implements HostMessage {
    @Override
    public DeliveryOptions options() {
      return with(from.options("post"), "source", source, "session", session);
    }
  }

  /**
   * A client opens a stream -> nothing; {@link DoorEvent}s follow.
   *
   * @param after its {@code Last-Event-ID}; null for none
   */
  record StreamMessage(From from, String session, @Nullable String after) implements HostMessage {
    @Override
    public DeliveryOptions options() {
      return with(from.options("stream"), "session", session, "event", after);
    }
  }

  /** A client ends its session -> nothing. */
  record DeleteMessage(From from, String session) implements HostMessage {
    @Override
    public DeliveryOptions options() {
      return from.options("delete").addHeader("session", session);
    }
  }

  /** The client knows event ids of the response and may ask for more. No answer. */
  record KeepMessage(String session, String exchange) implements HostMessage {
    @Override
    public DeliveryOptions options() {
      return with(plain("keep"), "session", session, "exchange", exchange);
    }
  }

  /**
   * A client has closed a response. No answer.
   *
   * @param session null for a response of the {@code discover} era
   * @param client the key of the client that listened with it; null for another response
   */
  record GoneMessage(@Nullable String session, @Nullable String client, String exchange)
      implements HostMessage {
    @Override
    public DeliveryOptions options() {
      return with(plain("gone"), "exchange", exchange, "session", session, "client", client);
    }
  }

  /**
   * A session was not at the host {@code tried}: the receiver answers {@link #at} the host that has
   * it, or takes the session over.
   *
   * @param lost whether that host does not exist any more
   */
  record FindMessage(String session, String tried, boolean lost) implements HostMessage {
    @Override
    public DeliveryOptions options() {
      return with(plain("find"), "session", session, "host", tried, "lost", flag(lost));
    }
  }

  // ---- calls that go straight from an HTTP verticle to a connection, on their own node

  /**
   * The HTTP verticle hands a call over -> the answer, as to a {@link PostMessage}.
   *
   * @param keep whether the client knows event ids of the response
   */
  record TakeMessage(From from, String session, String callId, boolean keep)
      implements HostMessage {
    @Override
    public DeliveryOptions options() {
      return with(
          from.options("take").setLocalOnly(true),
          "session",
          session,
          "call",
          callId,
          "keep",
          flag(keep));
    }
  }

  /** The server has answered such a call: the message for the client, empty for none. */
  record AnswerMessage(String session, String callId, int repeats) implements HostMessage {
    @Override
    public DeliveryOptions options() {
      return plain("answer")
          .setLocalOnly(true)
          .setCodecName(Codecs.SHARED)
          .addHeader("session", session)
          .addHeader("call", callId)
          .addHeader(Headers.REPEATED, Integer.toString(repeats));
    }
  }

  // ---- clients of the discover era

  /** How a host parks a call. */
  enum Parking {
    /** Params -> result, or {@code input_required}. */
    CALL("call"),
    /** The same call again with answers: params that hold {@code requestState}. */
    RETRY("retry"),
    /** It becomes a task: params -> the task. */
    TASK("task");

    private final String op;

    Parking(String op) {
      this.op = op;
    }
  }

  /**
   * A request to a server that has sessions. The answer to this, to {@link ListMessage} and to
   * {@link ListenMessage} names {@link #at} another host if that one has the client; an empty name
   * says that the host is leaving and the sender's own node has to take the client.
   *
   * @param client null for a retry
   * @param level the log level that the client wants; null for none
   * @param state of a retry
   * @param asIs whether the client wants the server's own refusal
   * @param notices where notifications go that MCP does not define; null for nowhere
   */
  record CallMessage(
      From from,
      Parking parking,
      @Nullable StatedClient client,
      String server,
      String suffix,
      @Nullable String level,
      @Nullable String state,
      boolean asIs,
      @Nullable String notices)
      implements HostMessage {
    @Override
    public DeliveryOptions options() {
      DeliveryOptions options =
          with(from.options(parking.op), "server", server, "suffix", suffix, "level", level);
      with(options, Headers.AS_IS, flag(asIs), Headers.NOTICES, notices, "state", state);
      return client == null ? options : client.addTo(options);
    }

    private static CallMessage of(Parking parking, MultiMap headers) {
      return new CallMessage(
          From.of(headers),
          parking,
          headers.contains("client") ? StatedClient.of(headers) : null,
          text(headers, "server"),
          text(headers, "suffix"),
          headers.get("level"),
          headers.get("state"),
          headers.contains(Headers.AS_IS),
          headers.get(Headers.NOTICES));
    }
  }

  /** A request about a task that a host keeps: the suffix is that of the method. */
  record AboutTaskMessage(String principal, String view, String suffix, String state)
      implements HostMessage {
    @Override
    public DeliveryOptions options() {
      return with(plain("about-task"), "principal", principal, "view", view, "state", state)
          .addHeader("suffix", suffix);
    }
  }

  /** A page of a list as the client sees it: params -> page. */
  record ListMessage(From from, StatedClient client, ListKind kind) implements HostMessage {
    @Override
    public DeliveryOptions options() {
      return client.addTo(from.options("list").addHeader("suffix", kind.name()));
    }
  }

  /**
   * A client listens to its own sessions: {@code {kinds, resources: [{server, uri, name}]}} ->
   * {@code {watched: [name]}}. Notifications follow until {@link GoneMessage}.
   */
  record ListenMessage(From from, StatedClient client) implements HostMessage {
    @Override
    public DeliveryOptions options() {
      return client.addTo(from.options("listen"));
    }
  }

  // ---- between HTTP verticles, and to them

  /**
   * A message of a client of HTTP+SSE for the HTTP verticle that has its stream -> nothing.
   *
   * @param principal {@code Principal.text()}
   */
  record SsePostMessage(String stream, String principal, String view) {
    public DeliveryOptions options() {
      return new DeliveryOptions()
          .setCodecName(Codecs.SHARED)
          .addHeader("session", stream)
          .addHeader("principal", principal)
          .addHeader("view", view);
    }

    public static SsePostMessage of(Message<?> message) {
      MultiMap headers = message.headers();
      return new SsePostMessage(
          text(headers, "session"), text(headers, "principal"), text(headers, "view"));
    }
  }

  /**
   * What a session sends to an open response; the body is the message, or nothing.
   *
   * @param id of the event; null for none
   * @param end whether the response ends
   */
  record DoorEvent(String exchange, @Nullable String id, boolean end) {
    public DeliveryOptions options() {
      return with(new DeliveryOptions(), "exchange", exchange, "event", id, "end", flag(end));
    }

    public static DoorEvent of(Message<?> message) {
      MultiMap headers = message.headers();
      return new DoorEvent(
          text(headers, "exchange"), headers.get("event"), headers.contains("end"));
    }
  }

  // ---- replies

  /** The reply to an {@link OpenMessage}. */
  static DeliveryOptions opened(String session) {
    return new DeliveryOptions().addHeader("session", session);
  }

  /** The session that the reply to an {@link OpenMessage} names. */
  static String session(Message<?> opened) {
    return text(opened.headers(), "session");
  }

  /** The reply to a {@link PostMessage}, with the id of the event that it is. */
  static DeliveryOptions answered(@Nullable String eventId) {
    return with(new DeliveryOptions().setCodecName(Codecs.SHARED), "event", eventId);
  }

  /** The id of the event that the reply to a {@link PostMessage} is; null for none. */
  static @Nullable String eventId(Message<?> answered) {
    return answered.headers().get("event");
  }

  /** A reply that names a host. */
  static DeliveryOptions at(String host) {
    return new DeliveryOptions().addHeader("host", host);
  }

  /** The host that a reply names; null for none. */
  static @Nullable String host(Message<?> reply) {
    return reply.headers().get("host");
  }

  // ---- to and from the bus

  /** The answer comes when a request of {@code method} has ended, which may be a stream. */
  static DeliveryOptions lasting(DeliveryOptions options, String method) {
    return options.setSendTimeout(Layer.ENDPOINT.timeout(CallDeadline.noneOf(method)));
  }

  /** Adds names and their values, unless these are null. */
  private static DeliveryOptions with(DeliveryOptions options, @Nullable String... pairs) {
    for (int i = 0; i < pairs.length; i += 2) {
      if (pairs[i + 1] != null) {
        options.addHeader(pairs[i], pairs[i + 1]);
      }
    }
    return options;
  }

  private static @Nullable String flag(boolean set) {
    return set ? "true" : null;
  }

  private static DeliveryOptions plain(String op) {
    return new DeliveryOptions().addHeader("op", op);
  }

  /** A header as text; {@code "null"} if it is absent. */
  private static String text(MultiMap headers, String name) {
    return String.valueOf(headers.get(name));
  }

  /**
   * Reads a message.
   *
   * @throws McpFailure {@code BAD_REQUEST} for one that is unknown
   */
  static HostMessage of(Message<?> message) {
    MultiMap headers = message.headers();
    String op = text(headers, "op");
    return switch (op) {
      case "post" ->
          new PostMessage(From.of(headers), text(headers, "session"), text(headers, "source"));
      case "open" -> new OpenMessage(From.of(headers), headers.contains("lasting"));
      case "stream" ->
          new StreamMessage(From.of(headers), text(headers, "session"), headers.get("event"));
      case "delete" -> new DeleteMessage(From.of(headers), text(headers, "session"));
      case "keep" -> new KeepMessage(text(headers, "session"), text(headers, "exchange"));
      case "gone" ->
          new GoneMessage(headers.get("session"), headers.get("client"), text(headers, "exchange"));
      case "find" ->
          new FindMessage(
              text(headers, "session"), text(headers, "host"), headers.contains("lost"));
      case "take" ->
          new TakeMessage(
              From.of(headers),
              text(headers, "session"),
              text(headers, "call"),
              headers.contains("keep"));
      case "answer" ->
          new AnswerMessage(
              text(headers, "session"), text(headers, "call"), CallHeaders.repeats(headers));
      case "call" -> CallMessage.of(Parking.CALL, headers);
      case "retry" -> CallMessage.of(Parking.RETRY, headers);
      case "task" -> CallMessage.of(Parking.TASK, headers);
      case "about-task" ->
          new AboutTaskMessage(
              text(headers, "principal"),
              text(headers, "view"),
              text(headers, "suffix"),
              text(headers, "state"));
      case "list" ->
          new ListMessage(
              From.of(headers),
              StatedClient.of(headers),
              ListKind.valueOf(text(headers, "suffix")));
      case "listen" -> new ListenMessage(From.of(headers), StatedClient.of(headers));
      default -> throw McpFailure.notSent(FailureCode.BAD_REQUEST, "unknown " + op);
    };
  }

  /**
   * The message of a client in the body. An endpoint of this node has parsed it; the bytes of
   * another node are parsed here.
   *
   * @throws McpFailure {@code BAD_REQUEST} if the bytes are no JSON-RPC message
   */
  static Envelope envelope(Message<?> message) {
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
  static RawJson params(Message<?> message) {
    return message.body() instanceof JsonObject json
        ? RawJson.of(json)
        : RawJson.ofParams((Buffer) message.body());
  }
}
