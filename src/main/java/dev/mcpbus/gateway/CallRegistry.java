package dev.mcpbus.gateway;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.Future;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who on this host made which call, and holds which lease: whatever comes from a server goes to him
 * and nobody else. Confined to the host's context.
 */
final class CallRegistry {

  /** Whoever makes calls. */
  interface Caller {

    /** Progress or a log message of a call. */
    void told(String callId, String method, JsonObject params);

    /**
     * What a server asks.
     *
     * @param callId null where the server did not say for which
     * @param lease null for a connection that is not leased
     * @param question by which it may be taken back
     * @return the MCP result
     */
    Future<JsonObject> asked(
        @Nullable String callId,
        @Nullable String lease,
        String question,
        String method,
        JsonObject params);

    /** Nobody wants the answer any more. */
    void withdrawn(String question);

    /** Ends what is done with a leased connection, if nothing is; false where it is in use. */
    boolean giveUp(String lease);

    /** A fact about a leased connection. */
    void heard(String lease, JsonObject event);
  }

  private final String host;

  /** Of this life of the host: whoever sees the name of one call cannot tell another's. */
  private final String secret = RandomNames.create(16);

  private final Map<String, Caller> calls = new HashMap<>();
  private final Map<String, Caller> leases = new HashMap<>();
  private final Map<String, Caller> questions = new HashMap<>();
  private long sequence;

  CallRegistry(String host) {
    this.host = host;
  }

  /** The host's addresses: for progress and log messages, for questions, for events of leases. */
  String calling() {
    return Addresses.GATEWAY_CALLS + host;
  }

  String inputs() {
    return Addresses.GATEWAY_INPUT + host;
  }

  String leased() {
    return Addresses.GATEWAY_LEASED + host;
  }

  /** A name that nobody can guess, and that leads back to this host. */
  String state() {
    return RandomNames.heldBy(host);
  }

  String add(Caller caller) {
    String id = host + "-" + secret + "-" + ++sequence;
    calls.put(id, caller);
    return id;
  }

  void remove(String callId) {
    calls.remove(callId);
  }

  void addLease(String lease, Caller caller) {
    leases.put(lease, caller);
  }

  void removeLease(String lease) {
    leases.remove(lease);
  }

  void told(Message<JsonObject> message) {
    String callId = String.valueOf(message.headers().get(Headers.CALL_ID));
    String method = message.headers().get(Headers.METHOD);
    Caller caller = calls.get(callId);
    if (caller != null && method != null) {
      caller.told(callId, method, message.body());
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
    Caller byLease = leases.get(connection);
    Caller caller = byCall == null ? byLease : byCall;
    if (caller == null) {
      message.reply(McpFailure.notSent(FailureCode.METHOD_NOT_FOUND, "nobody is there to answer"));
      return;
    }
    questions.put(question, caller);
    caller
        .asked(
            byCall == null ? null : callId,
            byLease == null ? null : connection,
            question,
            body.getString("method", ""),
            body.getJsonObject("params", new JsonObject()))
        .onComplete(ended -> questions.remove(question))
        .onComplete(message::reply, failure -> message.reply(McpFailure.of(failure)));
  }

  /** Another client wants such a connection: false where it is in use. */
  boolean giveUp(String lease) {
    Caller caller = leases.get(lease);
    return caller == null || caller.giveUp(lease);
  }

  void heard(Message<JsonObject> message) {
    String lease = message.body().getString("id", "");
    Caller caller = leases.get(lease);
    if (caller != null) {
      caller.heard(lease, message.body());
    }
  }
}
