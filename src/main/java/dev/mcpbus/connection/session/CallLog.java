package dev.mcpbus.connection.session;

import dev.mcpbus.bus.CallActivity;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ServerOperation;
import dev.mcpbus.connection.options.EndedCall;
import dev.mcpbus.connection.options.PrivateConnection;
import dev.mcpbus.internals.LongMap;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one connection, through all its sessions: those in flight, and the last that ended:
 * {@code mcp.<id>.calls}. The ended ones stand in parallel arrays, made for the first of them, so
 * that no call costs an allocation here. It also counts the ended calls by the minute, in a {@link
 * CallActivity}. {@code Mailbox} begins a call, {@link BusCall} ends it. Owner: the connection's
 * context.
 */
public final class CallLog {

  static final int MAX_ENDED = 100;

  /** Characters that are kept of a name or a method, which a caller may have chosen. */
  private static final int MAX_NAME = 256;

  /** Longer params are not searched for a name. */
  private static final int MAX_NAMING_BYTES = 4_096;

  private static final class EndedCalls {
    final long[] numbers = new long[MAX_ENDED];
    final long[] began = new long[MAX_ENDED];
    final long[] ended = new long[MAX_ENDED];
    final String[] methods = new String[MAX_ENDED];
    final @Nullable String[] names = new @Nullable String[MAX_ENDED];
    final @Nullable String[] owners = new @Nullable String[MAX_ENDED];
    final boolean[] cancellable = new boolean[MAX_ENDED];
    final String[] outcomes = new String[MAX_ENDED];
    int count;
  }

  private final Clock clock;
  private final LongMap<BusCall> inFlight = new LongMap<>();
  private long last;
  private @Nullable EndedCalls recent;
  private final CallActivity activity;
  private final InstantSource timeOfDay;
  private final @Nullable PrivateConnection client;
  private final ConnectionId connection;

  /**
   * @param timeOfDay tells in which minute of the last hour a call ends
   * @param connection the id of the connection
   * @param client whose private connection it is, which hears of each end of a call; null where all
   *     callers share it
   */
  public CallLog(
      Clock clock,
      InstantSource timeOfDay,
      ConnectionId connection,
      @Nullable PrivateConnection client) {
    this.clock = clock;
    this.timeOfDay = timeOfDay;
    this.connection = connection;
    this.client = client;
    this.activity = new CallActivity(timeOfDay);
  }

  /** Gives a call its number. */
  public void began(BusCall call) {
    call.logged(this, ++last);
    inFlight.put(last, call);
  }

  /** {@code inner} goes on for the call with its number. */
  void replaced(BusCall inner) {
    inFlight.put(inner.number(), inner);
  }

  /**
   * The call has ended; a second ending of a call changes nothing.
   *
   * @param outcome {@code OK}, {@code TOOL_ERROR} or the code of the failure
   */
  void ended(BusCall call, String outcome) {
    if (inFlight.remove(call.number()) == null) {
      return;
    }
    EndedCalls to = recent;
    if (to == null) {
      to = new EndedCalls();
      recent = to;
    }
    int at = to.count++ % MAX_ENDED;
    if (to.count == 2 * MAX_ENDED) {
      to.count = MAX_ENDED; // full either way, and never too large for an int
    }
    to.numbers[at] = call.number();
    to.began[at] = call.began();
    long now = clock.millis();
    to.ended[at] = now;
    to.methods[at] = cut(call.method());
    to.names[at] = name(call);
    to.owners[at] = call.owner();
    to.cancellable[at] = call.callId() != null;
    to.outcomes[at] = outcome;
    activity.ended(call.method(), outcome, now - call.began());
    if (client != null) {
      client
          .ended()
          .accept(
              new EndedCall(
                  connection,
                  call.number(),
                  to.methods[at],
                  to.names[at],
                  call.owner(),
                  to.cancellable[at],
                  timeOfDay.instant(),
                  now - call.began(),
                  outcome));
    }
  }

  /**
   * The calls that ended in each of the last 60 minutes: the reply of {@code mcp.<id>.activity}.
   */
  public JsonObject activity() {
    return activity.toJson();
  }

  /** The tool, prompt or resource that the call is for; null for other calls. */
  private static @Nullable String name(BusCall call) {
    String name = call.name();
    if (name == null && call.params().length() <= MAX_NAMING_BYTES) {
      ServerOperation row = ServerOperation.ofMethod(call.method());
      String member = row == null ? null : row.subject.member;
      RawJson found = member == null ? null : call.params().member(member);
      name = found != null && found.isString() ? found.asString() : null;
    }
    return name == null ? null : cut(name);
  }

  private static String cut(String text) {
    return text.length() <= MAX_NAME ? text : text.substring(0, MAX_NAME);
  }

  /**
   * The number of the call that the body of {@code mcp.<id>.calls.cancel} names.
   *
   * @throws McpFailure {@code BAD_REQUEST} if it names none
   */
  public static long number(JsonObject body) {
    Object call = body.getValue("call");
    if (call instanceof Integer || call instanceof Long) {
      return ((Number) call).longValue();
    }
    throw McpFailure.badRequest("the body must be {\"call\": number}, as mcp.<id>.calls has it");
  }

  /**
   * {@code {inFlight: [{call, method, name?, who?, hasCallId, ageMillis, deadlineMillis}], recent:
   * [{call, method, name?, who?, hasCallId, time, millis, outcome}]}}; of those in flight the
   * oldest stands first, of the others the last that ended. Without {@code who} a program on the
   * bus has called.
   *
   * @param limit at most so many of each
   */
  public JsonObject toJson(int limit) {
    long now = clock.millis();
    List<BusCall> open = new ArrayList<>(inFlight.values());
    open.sort(Comparator.comparingLong(BusCall::number));
    JsonArray calls = new JsonArray();
    for (BusCall call : open.subList(0, Math.min(limit, open.size()))) {
      calls.add(
          described(call.number(), cut(call.method()), name(call), call.owner())
              .put("hasCallId", call.callId() != null)
              .put("ageMillis", now - call.began())
              .put("deadlineMillis", Math.max(0, call.deadline() - now)));
    }
    return new JsonObject().put("inFlight", calls).put("recent", recent(now, limit));
  }

  private JsonArray recent(long now, int limit) {
    JsonArray calls = new JsonArray();
    EndedCalls from = recent;
    if (from == null) {
      return calls;
    }
    Instant present = Instant.now();
    for (int i = 1; i <= Math.min(limit, Math.min(from.count, MAX_ENDED)); i++) {
      int at = (from.count - i) % MAX_ENDED;
      calls.add(
          described(from.numbers[at], from.methods[at], from.names[at], from.owners[at])
              .put("hasCallId", from.cancellable[at])
              .put("time", present.minusMillis(now - from.ended[at]).toString())
              .put("millis", from.ended[at] - from.began[at])
              .put("outcome", from.outcomes[at]));
    }
    return calls;
  }

  private static JsonObject described(
      long number, String method, @Nullable String name, @Nullable String owner) {
    JsonObject call = new JsonObject().put("call", number).put("method", method);
    if (name != null) {
      call.put("name", name);
    }
    return owner == null ? call : call.put("who", owner);
  }
}
