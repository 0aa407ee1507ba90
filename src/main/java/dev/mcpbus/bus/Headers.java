package dev.mcpbus.bus;

/**
 * Headers that a caller may put on a call ({@code DeliveryOptions.addHeader}), and those of
 * replies.
 */
public final class Headers {

  /**
   * Milliseconds that the caller is still willing to wait, counted from the send. A budget, not a
   * time of day, so that clocks need not agree. Without it the connection's request time-out holds.
   */
  public static final String DEADLINE = "deadline";

  /** A bus address that the call's progress notifications are sent to, params as they came. */
  public static final String PROGRESS = "progress";

  /**
   * A bus address that the call's log messages are sent to where they can be told from other
   * calls', params as they came.
   */
  public static final String LOG = "log";

  /** On what is sent to {@link #PROGRESS} and {@link #LOG}: the method of the notification. */
  public static final String METHOD = "method";

  /**
   * Who answers what the server asks on behalf of this call: {@value #PASS}, the caller himself,
   * who gets the result {@code input_required} as it is and calls again; or a bus address, asked
   * with {@code {id, call, method, params}} and nobody else. The {@code _meta} of the call then
   * says what the caller can do. Without it whoever answers for all callers is asked.
   */
  public static final String INPUT = "input";

  public static final String PASS = "pass";

  /** A name for this call, chosen by the caller, under which {@code mcp.<id>.cancel} finds it. */
  public static final String CALL_ID = "call-id";

  /**
   * {@code use} answers a list, or the reading of a resource, from what is kept and still fresh;
   * {@code refresh} asks the server and keeps the answer; {@code bypass} asks and keeps nothing.
   * Without it a server of 2026-07-28 is asked where its {@code ttlMs} has passed, an older one
   * always.
   */
  public static final String CACHE = "cache";

  /** {@code true} or {@code false}: check arguments against the input schema, for this call. */
  public static final String VALIDATE = "validate";

  /**
   * {@code true} on a tool call: answer with the task as soon as there is one, where the server
   * makes one of the call. {@code params.task} says the same. Without either the answer is the
   * tool's result, however the server gets there.
   */
  public static final String TASK = "task";

  /**
   * On a call to {@code mcp.tools.call}: the tool that it is for, {@code server.tool}, where its
   * sender has decided that. The name in the params is not read then.
   */
  public static final String TOOL = "tool";

  /** W3C trace context, passed to the server as {@code _meta.traceparent}. */
  public static final String TRACEPARENT = "traceparent";

  /**
   * Who calls, a {@link Requester#text}; set by a trusted edge only, which drops what a caller
   * sends. Whatever is kept for the call's sake, such as a server's question, belongs to him.
   * Without it a program on the bus calls, which sees all.
   */
  public static final String PRINCIPAL = "principal";

  /**
   * On {@code resources.subscribe} and {@code .unsubscribe}: a name for one of several subscribers
   * of the same principal, or of the programs on the bus. Each ends its own subscription only.
   */
  public static final String HOLDER = "holder";

  /**
   * On a call from a process that understands the failures of mcpbus: the newest {@link WireForm}
   * form that it reads. Without it a caller on another node gets Vert.x's own exception with the
   * code's number and the message.
   */
  public static final String SPEAKS = "mcpbus";

  /**
   * Set by {@code ClusterRequests} beside a {@link #DEADLINE}: {@code "<node> <milliseconds>"}, by
   * the monotonic clock of the node that sent the call. What was under way too long is not
   * delivered.
   */
  public static final String SENT_AT = "sent-at";

  /**
   * On what is sent to {@link ReplicaId#address}: the suffix of the address that is meant. Set by
   * {@code ClusterRequests}.
   */
  public static final String TO = "to";

  /** Beside {@link #TO}: this replica shall do it, and ask no other. */
  public static final String ALONE = "alone";

  /**
   * On the result of a call to a connection of a cluster: the epoch of the owner that answered, a
   * number that rises with each owner. Behind it, after a space, the replica where there are
   * several, for each has owners of its own. {@code ClusterRequests} refuses results of an owner
   * older than one that has answered before.
   */
  public static final String EPOCH = "epoch";

  /**
   * On the reply to a tool call whose structured content is not what the tool's output schema
   * promises: where, and what. The result itself is delivered as it came.
   */
  public static final String OUTPUT_MISMATCH = "output-mismatch";

  /**
   * On what needs it between the processes of a cluster: that its sender knows the cluster's
   * secret. Set and checked by {@code SignedMessages}.
   */
  public static final String PROOF = "proof";

  private Headers() {}
}
