package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ClientAnswer;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.QuestionMessage;
import dev.mcpbus.bus.ServerNotice;
import dev.mcpbus.gateway.request.HostMessage;
import dev.mcpbus.gateway.request.RandomNames;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.eventbus.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which session or parked call of this host made which call and has which private connection. It
 * passes each message of a server to that one caller and to no other. Confined to the host's
 * context.
 */
final class CallRegistry {

  /** A session or a parked call. */
  interface Caller {

    /** Progress or a log message of a call. */
    void reported(String callId, String method, RawJson params);

    /**
     * A question of a server.
     *
     * @param callId null or empty if no call in flight is known that it belongs to
     * @param connection the private connection; null for a shared one
     * @param question the key by which the server takes it back
     * @return the client's answer, unchanged; fails where there is none
     */
    Future<ClientAnswer> asked(
        @Nullable String callId,
        @Nullable String connection,
        String question,
        String method,
        RawJson params);

    /** The server has taken a question back. */
    void withdrawn(String question);

    /**
     * Ends what uses a private connection, if the caller is idle.
     *
     * @return false if the connection is in use
     */
    boolean giveUp(String connection);

    /** An event of a private connection. */
    void heard(ServerNotice event);
  }

  /** Of all connections that are being opened; more is lost. */
  static final int MAX_EARLY = 256;

  private final String host;

  /** New in each host, so that no client can derive the id of another client's call. */
  private final String callIds;

  private final Map<String, Caller> calls = new HashMap<>();
  private final Map<String, Caller> connections = new HashMap<>();
  private final Map<String, Caller> questions = new HashMap<>();
  private long sequence;

  /** Takes again what came from private connections whose callers were not registered yet. */
  private final List<Runnable> early = new ArrayList<>();

  /** How many private connections are being opened. */
  private int opening;

  CallRegistry(String host) {
    this.host = host;
    this.callIds = host + "-" + RandomNames.create(16) + "-";
  }

  /** The name of the host. */
  String host() {
    return host;
  }

  /** The host's address for progress and log messages of calls. */
  String calling() {
    return Addresses.GATEWAY_CALLS + host;
  }

  /** The host's address for questions. */
  String inputs() {
    return Addresses.GATEWAY_INPUT + host;
  }

  /** The host's address for events of private connections. */
  String privateEvents() {
    return Addresses.GATEWAY_PRIVATE_EVENTS + host;
  }

  /** A new name for a parked call; no client can guess it, and it names this host. */
  String state() {
    return RandomNames.heldBy(host);
  }

  /** Registers a call; returns its id. */
  String add(Caller caller) {
    String id = callIds + ++sequence;
    calls.put(id, caller);
    return id;
  }

  /** Registers a call that has its id already. */
  void add(String callId, Caller caller) {
    calls.put(callId, caller);
  }

  void remove(String callId) {
    calls.remove(callId);
  }

  /** The caller of a call; of one that went straight to a connection the one of its session. */
  private @Nullable Caller of(String callId) {
    Caller caller = calls.get(callId);
    int slash = caller == null ? callId.indexOf('/') : -1;
    return slash < 0 ? caller : calls.get(callId.substring(0, slash));
  }

  /**
   * A private connection is being opened. Its server may ask and report before this host learns the
   * connection's id; both wait for {@link #opened}.
   */
  void opening() {
    opening++;
  }

  /** An opening has ended, and the connection, if there is one, has its caller. */
  void opened() {
    opening--;
    List<Runnable> waiting = List.copyOf(early);
    early.clear();
    waiting.forEach(Runnable::run);
  }

  /** True where it waits: its connection is not known, and one is being opened. */
  private boolean waits(@Nullable String connection, Runnable again) {
    boolean waits = connection != null && opening > 0 && early.size() < MAX_EARLY;
    if (waits) {
      early.add(again);
    }
    return waits;
  }

  void addConnection(String connection, Caller caller) {
    connections.put(connection, caller);
  }

  void removeConnection(String connection) {
    connections.remove(connection);
  }

  void reported(Message<Object> message) {
    String callId = String.valueOf(message.headers().get(Headers.CALL_ID));
    String method = message.headers().get(Headers.METHOD);
    Caller caller = calls.get(callId);
    if (caller != null && method != null) {
      caller.reported(callId, method, HostMessage.params(message));
    }
  }

  void asked(Message<Object> message) {
    String withdrawn = QuestionMessage.withdrawn(message);
    if (withdrawn != null) {
      Caller asked = questions.remove(withdrawn);
      if (asked != null) {
        asked.withdrawn(withdrawn);
      } else if (!early.isEmpty()) {
        early.add(() -> asked(message)); // after the question, which may wait
      }
      return;
    }
    QuestionMessage question = QuestionMessage.of(message);
    String callId = question.call();
    Caller byConnection = connections.get(question.connection());
    boolean unnamed = callId == null || callId.isEmpty();
    Caller caller = callId == null || unnamed ? byConnection : of(callId);
    if (caller == null && unnamed && waits(question.connection(), () -> asked(message))) {
      return;
    }
    if (caller == null) {
      message.reply(gone());
      return;
    }
    questions.put(question.key(), caller);
    ClientAnswer.reply(
        message,
        caller
            .asked(
                callId,
                byConnection == null ? null : question.connection(),
                question.key(),
                question.method(),
                question.params())
            .onComplete(ended -> questions.remove(question.key())));
  }

  /** The failure of a question that belongs to a call which is over. */
  static McpFailure gone() {
    return McpFailure.notSent(FailureCode.CANCELLED, "the client that made the call has gone");
  }

  /** Another client needs the connection: whether it is free now. */
  boolean giveUp(String connection) {
    Caller caller = connections.get(connection);
    return caller == null || caller.giveUp(connection);
  }

  void heard(ServerNotice event) {
    Caller caller = connections.get(event.connection());
    if (caller != null) {
      caller.heard(event);
    } else {
      waits(event.connection(), () -> heard(event));
    }
  }
}
