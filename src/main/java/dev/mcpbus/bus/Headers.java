package dev.mcpbus.bus;

import dev.mcpbus.protocol.PublicApi;

/**
 * The headers of messages on the bus. A caller may set {@link #DEADLINE}, {@link #PROGRESS}, {@link
 * #LOG}, {@link #NOTICES}, {@link #INPUT}, {@link #CALL_ID}, {@link #CACHE}, {@link #VALIDATE},
 * {@link #TASK}, {@link #TOOL}, {@link #TRACEPARENT}, {@link #TRACESTATE}, {@link #BAGGAGE}, {@link
 * #WAIT_LOGIN} and {@link #HOLDER} on a call ({@code DeliveryOptions.addHeader}); mcpbus sets the
 * others. {@link CallHeaders} writes them, {@code connection.BusCall} reads them.
 */
@PublicApi
public final class Headers {

  /**
   * The time of the call until its deadline, milliseconds, counted from {@link #SINCE}, or from the
   * moment of sending where that is absent. It is a duration and not a time of day, because the
   * clocks of two nodes may differ. The connection cuts it to the longest duration of a call of its
   * server ({@code maxCallDuration}, default 10 min). Default: the request time-out of the
   * connection, which progress extends.
   */
  public static final String DEADLINE = "deadline";

  /**
   * A bus address: the connection sends it the {@code params} of the call's progress notifications,
   * unchanged.
   */
  public static final String PROGRESS = "progress";

  /**
   * A bus address: the connection sends it the {@code params} of the call's log messages,
   * unchanged, if it can tell to which call a log message belongs.
   */
  public static final String LOG = "log";

  /**
   * A bus address: the connection sends it the {@code params} of notifications that MCP does not
   * define, unchanged, if it can tell that they belong to the call. It can with a server of the
   * {@code discover} era, whose notifications belong to a request in flight, if this is the only
   * one.
   */
  public static final String NOTICES = "notices";

  /**
   * On a message to {@link #PROGRESS}, {@link #LOG} or {@link #NOTICES}: the method of the
   * notification.
   */
  public static final String METHOD = "method";

  /**
   * Where the connection sends a question that the server asks because of this call. {@value
   * #PASS}: the caller receives the result {@code input_required} unchanged, and calls again with
   * the answer. A bus address: only the consumer there receives the question, {@code {id, call,
   * method, params}}. With either value the {@code _meta} of the call lists the caller's
   * capabilities. Default: the handlers that answer for all callers.
   */
  public static final String INPUT = "input";

  /** A value of {@link #INPUT}. */
  public static final String PASS = "pass";

  /** The caller's id of this call; {@code mcp.<id>.cancel} finds the call by it. */
  public static final String CALL_ID = "call-id";

  /**
   * A {@link CacheMode} for a list or for the reading of a resource: {@code use} replies with the
   * cached result if it is fresh; {@code refresh} sends the request and caches the result; {@code
   * bypass} sends the request and caches nothing. Default: the connection sends the request to a
   * server of the {@code discover} era if the {@code ttlMs} of the cached result has passed, and to
   * a server of the {@code initialize} era always.
   */
  public static final String CACHE = "cache";

  /**
   * {@code true} or {@code false}: whether the connection checks the arguments of this call against
   * the tool's input schema.
   */
  public static final String VALIDATE = "validate";

  /**
   * {@code true}: the connection sends a request although the server does not offer the capability,
   * or does not list the tool, so that the caller gets the server's own refusal. What the entry of
   * the server or a pin refuses is refused all the same. {@link #AS_IS_TASKS} means more.
   */
  public static final String AS_IS = "as-is";

  /**
   * A value of {@link #AS_IS}, of a caller that asks for tasks itself (MCP 2025-11-25): the
   * connection makes no task of a call without {@code params.task}, also if the tool demands one.
   */
  public static final String AS_IS_TASKS = "tasks";

  /**
   * {@code true} on a tool call: if the server creates a task for the call, the connection replies
   * with the task at once. {@code params.task} has the same effect. Without either, the connection
   * replies with the tool's result, also if the server creates a task.
   */
  public static final String TASK = "task";

  /**
   * On a call to {@code mcp.tools.call}: the tool, {@code server.tool}, that the sender has checked
   * against the policies. The receiver then ignores the name in the params.
   */
  public static final String TOOL = "tool";

  /** W3C trace context, passed to the server as {@code _meta.traceparent}. */
  public static final String TRACEPARENT = "traceparent";

  /** W3C trace context beside {@link #TRACEPARENT}; at most 512 characters. */
  public static final String TRACESTATE = "tracestate";

  /** W3C baggage, passed to the server as {@code _meta.baggage}; at most 8,192 characters. */
  public static final String BAGGAGE = "baggage";

  /**
   * The principal that calls, as {@link Requester#text}. Only a door sets it, and it drops a value
   * that a caller sends. Everything that is kept because of the call, such as a server's question,
   * belongs to this principal. Absent: a program on the bus calls, which may see everything.
   */
  public static final String PRINCIPAL = "principal";

  /**
   * The headers of the caller's HTTP request that entries of servers may use, as one JSON object by
   * names in small letters. Only a door sets it, and only where such a server exists.
   */
  public static final String CALLER_HEADERS = "caller-headers";

  /**
   * {@code true}: a call that needs a login of its principal, which waits already, waits for it as
   * long as its deadline allows. Default: it fails at once with {@code AUTH_REQUIRED} and the link.
   */
  public static final String WAIT_LOGIN = "wait-login";

  /**
   * On {@code resources.subscribe} and {@code .unsubscribe}: the name of one of several subscribers
   * of the same principal, or of several programs on the bus. A subscriber ends its own
   * subscription only.
   */
  public static final String HOLDER = "holder";

  /**
   * On a call from a process that can decode {@link McpFailure}: the newest {@link WireForm} that
   * it reads. A caller on another node that does not set it receives Vert.x's own exception with
   * {@link FailureCode#busCode} and the message.
   */
  public static final String SPEAKS = "mcpbus";

  /**
   * Since when the time of a call counts: {@code "<node> <milliseconds>"}, by the monotonic clock
   * of that node, the value of {@link CallOrigin}. A door sets it to the arrival of the first byte;
   * a node of a cluster changes it to its own clock. The name is that of earlier versions, which
   * set it beside a {@link #DEADLINE} at each sending.
   */
  public static final String SINCE = "sent-at";

  /**
   * Who can say whether the client of a call still waits: {@code "<address> <key>"}. A connection
   * asks there before it sends a call to its server that has waited for long. Messages between
   * doors and session hosts carry it, too, beside the header {@code door} that they have.
   */
  public static final String DOOR = "awaited-at";

  /**
   * On a message to {@link ReplicaId#address}: the suffix of the operation. {@code
   * cluster.routing.ClusterRequests} sets it.
   */
  public static final String TO = "to";

  /**
   * Beside {@link #TO}. {@code true}: the replica handles the message alone. {@code speaker}: it
   * handles the message for all replicas, and does not forward it to the speaker again.
   */
  public static final String ALONE = "alone";

  /**
   * On the result of a call in a cluster: the {@link OwnershipEpoch} of the owner that replied.
   * {@code cluster.routing.ClusterRequests} refuses the result of an owner that is older than one
   * that has replied before.
   */
  public static final String EPOCH = "epoch";

  /**
   * On the reply to a tool call whose structured content does not match the tool's output schema:
   * the path and the mismatch. The connection delivers the result unchanged.
   */
  public static final String OUTPUT_MISMATCH = "output-mismatch";

  /**
   * {@code true} on the reply to a tool call whose result has {@code isError}: the tool reports a
   * failure of its own. The connection delivers the result unchanged.
   */
  public static final String TOOL_ERROR = "tool-error";

  /**
   * On the reply to a call that mcpbus has made again: how many times, 1 or 2 ({@link
   * RequestSender#request}).
   */
  public static final String REPEATED = "repeated";

  /**
   * A bus address: the connection sends it the call id as text before the first progress, question
   * or notice of the call leaves for its client. The sender of the call sets it, and then does not
   * repeat the call.
   */
  public static final String REACHED = "reached";

  /**
   * On a message between processes of a cluster: the proof that its sender has the cluster's
   * secret. {@code cluster.signing.SignedMessages} sets and checks it, on the addresses that
   * require it.
   */
  public static final String PROOF = "proof";

  /**
   * On a request that a third node passes on: the send time-out in milliseconds, a space, and the
   * address for which it is.
   */
  public static final String RELAY = "relay";

  /**
   * On a request in a cluster: its id, {@code "<sender> <number>"}, by which its sender can ask for
   * an answer that a cut link has kept back. {@code cluster.routing.ClusterRequests} sets it.
   */
  public static final String REQUEST = "request";

  /** On the reply to such a question: what has become of the request. */
  public static final String ASKED = "asked";

  private Headers() {}
}
