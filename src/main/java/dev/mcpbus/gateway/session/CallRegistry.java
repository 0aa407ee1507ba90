package dev.mcpbus.gateway.session;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.JsonReplies;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.gateway.request.RandomNames;
import io.vertx.core.Future;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
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
    void reported(String callId, String method, JsonObject params);

    /**
     * A question of a server.
     *
     * @param callId null if the server does not name the call
     * @param connection the private connection; null for a shared one
     * @param question the key by which the server takes it back
     * @return the MCP result
     */
    Future<JsonObject> asked(
        @Nullable String callId,
        @Nullable String connection,
        String question,
        String method,
        JsonObject params);

    /** The server has taken a question back. */
    void withdrawn(String question);

    /**
     * Ends what uses a private connection, if the caller is idle.
     *
     * @return false if the connection is in use
     */
    boolean giveUp(String connection);

    /** An event of a private connection. */
    void heard(String connection, JsonObject event);
  }

  private final String host;

  /** New in each host, so that no client can derive the id of another client's call. */
  private final String callIds;

  private final Map<String, Caller> calls = new HashMap<>();
  private final Map<String, Caller> connections = new HashMap<>();
  private final Map<String, Caller> questions = new HashMap<>();
  private long sequence;

  CallRegistry(String host) {
    this.host = host;
    this.callIds = host + "-" + RandomNames.create(16) + "-";
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

  void remove(String callId) {
    calls.remove(callId);
  }

  void addConnection(String connection, Caller caller) {
    connections.put(connection, caller);
  }

  void removeConnection(String connection) {
    connections.remove(connection);
  }

  void reported(Message<JsonObject> message) {
    String callId = String.valueOf(message.headers().get(Headers.CALL_ID));
    String method = message.headers().get(Headers.METHOD);
    Caller caller = calls.get(callId);
    if (caller != null && method != null) {
      caller.reported(callId, method, message.body());
    }
  }

  void asked(Message<JsonObject> message) {
    JsonObject body = message.body();
    String question = body.getString("question", "");
    if (body.getBoolean("withdrawn", false)) {
      Caller asked = questions.remove(question);
      if (asked != null) {
        asked.withdrawn(question);
      }
      return;
    }
    String callId = body.getString("call");
    String connection = body.getString("id", "");
    Caller byCall = callId == null ? null : calls.get(callId);
    Caller byConnection = connections.get(connection);
    Caller caller = byCall == null ? byConnection : byCall;
    if (caller == null) {
      message.reply(
          McpFailure.notSent(
              FailureCode.METHOD_NOT_FOUND, "the client that made the call has gone"));
      return;
    }
    questions.put(question, caller);
    JsonReplies.reply(
        message,
        caller
            .asked(
                byCall == null ? null : callId,
                byConnection == null ? null : connection,
                question,
                body.getString("method", ""),
                body.getJsonObject("params", new JsonObject()))
            .onComplete(ended -> questions.remove(question)));
  }

  /** Another client needs the connection: whether it is free now. */
  boolean giveUp(String connection) {
    Caller caller = connections.get(connection);
    return caller == null || caller.giveUp(connection);
  }

  void heard(Message<JsonObject> message) {
    String connection = message.body().getString("id", "");
    Caller caller = connections.get(connection);
    if (caller != null) {
      caller.heard(connection, message.body());
    }
  }
}
